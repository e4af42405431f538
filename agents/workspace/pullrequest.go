package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// PullRequest opens a pull request for the quest's branch, which must be pushed,
// into the base branch, and returns its address; one that is open already does
// as well. It needs gh on the PATH of Git.Environ: else ErrNoGh. ErrNoBranch.
// How long it may take is for ctx to say.
func (t *Trees) PullRequest(ctx context.Context, ref Ref, title, body string) (address string, err error) {
	gh, err := t.Git.gh()
	if err == nil {
		address, err = t.pullRequest(ctx, gh, ref, title, body)
	}
	if err != nil {
		return "", fmt.Errorf("open a pull request for quest %s: %w", ref.Quest, err)
	}
	return address, nil
}

// PullCommand is a command line for the user to copy: it opens the pull request
// and asks for its text. ErrNoBranch.
func (t *Trees) PullCommand(ctx context.Context, ref Ref, title string) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("word the pull request of quest %s: %w", ref.Quest, err)
	}
	p, err := r.pull(ctx, title)
	if err != nil {
		return "", fmt.Errorf("word the pull request of quest %s: %w", ref.Quest, err)
	}
	return "cd " + shellQuoted(ref.Repo) + " && gh pr create --head " + shellQuoted(p.head) + " --base " + shellQuoted(p.base) +
		" --title=" + shellQuoted(p.title), nil
}

// pull is what a pull request is about.
type pull struct{ head, base, title string }

func (r *repository) pull(ctx context.Context, title string) (pull, error) {
	into, err := r.into(ctx)
	if err != nil {
		return pull{}, err
	}
	if title = plain(title, 250); title == "" {
		title = "Quest " + r.ref.Quest
	}
	return pull{head: "quest/" + r.ref.Quest, base: strings.TrimPrefix(into, "refs/heads/"), title: title}, nil
}

func (t *Trees) pullRequest(ctx context.Context, gh string, ref Ref, title, body string) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", err
	}
	p, err := r.pull(ctx, title)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, gh, "pr", "create", "--head", p.head, "--base", p.base, "--title="+p.title, "--body-file", "-")
	endsAsGroup(cmd, true)
	// gh asks git, which is given our view and the remotes of the repository.
	cmd.Dir = r.view
	cmd.Env = slices.Concat(t.Git.env(question{online: true}), online(r.users.remotes), []string{"GIT_DIR=" + r.view, "GIT_COMMON_DIR=" + r.view, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_PAGER=cat", "NO_COLOR=1"})
	cmd.Stdin = strings.NewReader(strings.ToValidUTF8(body, "\uFFFD"))
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{w: &out, left: 64 << 10}, &limited{w: &complaint, left: 4 << 10}
	failed := cmd.Start()
	if failed == nil {
		failed = exited(cmd)
	}
	if address := addressIn(out.String()); failed == nil && address != "" {
		return address, nil
	}
	if address := addressIn(complaint.String()); address != "" && strings.Contains(complaint.String(), "already exists") {
		return address, nil
	}
	if failed == nil {
		failed = errors.New("it does not say where the pull request is")
	}
	return "", fmt.Errorf("gh: %s (%w)", plainLines(complaint.String()+"\n"+out.String()), errors.Join(failed, context.Cause(ctx)))
}

// addressIn is the last web address that has a line of its own.
func addressIn(text string) string {
	address := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if u, err := url.Parse(line); err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http") {
			address = line
		}
	}
	return address
}

// HasGh reports whether PullRequest can do anything; else PullCommand is for
// the user to run elsewhere.
func (g Git) HasGh() bool {
	_, err := g.gh()
	return err == nil
}

// gh looks on the PATH that git is given, which need not be this process's.
func (g Git) gh() (string, error) {
	path := ""
	for _, entry := range g.environ() {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		gh := filepath.Join(dir, "gh")
		if info, err := os.Stat(gh); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&fs.FileMode(0o111) != 0 {
			return gh, nil
		}
	}
	return "", ErrNoGh
}
