package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Push pushes the quest's branch, as we left it, to the remote that PushCommand
// names. Never by force: a remote whose branch has other commits refuses, and
// its words are in the error. Nobody is asked for a password. How long it may
// take is for ctx to say.
//
// The user's own way to a remote is used (ssh, credential helpers, proxies);
// programs that the repository's own configuration names for it are not run.
func (t *Trees) Push(ctx context.Context, ref Ref) (branch, remote string, err error) {
	r, err := t.read(ctx, ref)
	if err == nil {
		remote, err = r.push(ctx)
	}
	if err != nil {
		return "", "", fmt.Errorf("push quest %s: %w", ref.Quest, err)
	}
	return "quest/" + ref.Quest, remote, nil
}

func (r *repository) push(ctx context.Context) (string, error) {
	tip, err := r.questTip(ctx)
	if err != nil {
		return "", err
	}
	remote, err := r.remote(ctx)
	if err != nil {
		return "", err
	}
	_, err = r.do(ctx, call{online: true, args: []string{"push", "--no-signed", "--no-follow-tags",
		"--recurse-submodules=no", "--receive-pack=git-receive-pack", "--", remote, tip + ":" + r.questBranch()}})
	return remote, err
}

// PushCommand is a command line for the user to copy: it pushes the quest's
// branch to the remote of the base branch, or to the only one there is.
func (t *Trees) PushCommand(ctx context.Context, ref Ref) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("word the push of quest %s: %w", ref.Quest, err)
	}
	remote, err := r.remote(ctx)
	if err != nil {
		return "", fmt.Errorf("word the push of quest %s: %w", ref.Quest, err)
	}
	return "git -C " + shellQuoted(ref.Repo) + " push -u " + shellQuoted(remote) + " " + shellQuoted("quest/"+ref.Quest), nil
}

// remote chooses where to push to.
func (r *repository) remote(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "remote")
	if err != nil {
		return "", err
	}
	remotes := slices.DeleteFunc(strings.Split(out, "\n"), func(name string) bool {
		return name == "" || strings.HasPrefix(name, "-") // it would be an option
	})
	if len(remotes) == 0 {
		return "", errors.New("the repository has no remote")
	}
	if into, err := r.into(ctx); err == nil {
		name, err := r.git(ctx, "config", "--get", "branch."+strings.TrimPrefix(into, "refs/heads/")+".remote")
		if err == nil && slices.Contains(remotes, name) {
			return name, nil
		}
	}
	if slices.Contains(remotes, "origin") {
		return "origin", nil
	}
	return remotes[0], nil
}

// shellQuoted is for a person's shell, never for one of ours.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
