package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// patchMax bounds a patch: half of one would be worse than none.
const patchMax = 256 << 20

// Patch is the quest's change for "git apply", binary files included.
func (t *Trees) Patch(ctx context.Context, ref Ref) ([]byte, error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	patch, cut, err := r.diff(ctx, from, to, patchMax, "--binary", "--full-index")
	if err == nil && cut {
		err = errors.New("it is larger than 256 MiB; use the branch")
	}
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	return patch, nil
}

// PushCommand is a command line for the user to copy: it pushes the quest's
// branch to the remote of the base branch, or to the only one there is.
func (t *Trees) PushCommand(ctx context.Context, ref Ref) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("word the push of quest %s: %w", ref.Quest, err)
	}
	out, err := r.git(ctx, "remote")
	if err != nil || out == "" {
		return "", fmt.Errorf("word the push of quest %s: %w", ref.Quest, errors.Join(err, errors.New("the repository has no remote")))
	}
	remotes := strings.Split(out, "\n")
	remote := remotes[0]
	for _, name := range remotes {
		if name == "origin" {
			remote = name
		}
	}
	if into, err := r.into(ctx); err == nil {
		if name, err := r.git(ctx, "config", "--get", "branch."+strings.TrimPrefix(into, "refs/heads/")+".remote"); err == nil && name != "." {
			remote = name
		}
	}
	branch := "quest/" + ref.Quest
	return "git -C " + shellQuoted(ref.Repo) + " push -u " + shellQuoted(remote) + " " + shellQuoted(branch), nil
}

// shellQuoted is for a person's shell, never for one of ours.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
