package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"questboard/agents/git"
)

// PullRequest opens a pull request for the quest's branch, which must be pushed,
// into the base branch, and returns its address; one that is open already does
// as well. It needs gh on the PATH of Git.Environ: else ErrNoGh. ErrNoBranch.
// How long it may take is for ctx to say.
func (t *Trees) PullRequest(ctx context.Context, ref Ref, title, body string) (address string, err error) {
	err = ErrNoGh
	if t.Git.HasGh() {
		address, err = t.pullRequest(ctx, ref, title, body)
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
	if title = git.PlainLine(title, 250); title == "" {
		title = "Quest " + r.ref.Quest
	}
	return pull{head: "quest/" + r.ref.Quest, base: strings.TrimPrefix(into, "refs/heads/"), title: title}, nil
}

func (t *Trees) pullRequest(ctx context.Context, ref Ref, title, body string) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", err
	}
	p, err := r.pull(ctx, title)
	if err != nil {
		return "", err
	}
	// gh asks git, which is given our view and the remotes of the repository.
	out, complaint, failed := t.Git.Gh(ctx, r.view, append(online(r.users.remotes), "GIT_DIR="+r.view, "GIT_COMMON_DIR="+r.view), strings.ToValidUTF8(body, "\uFFFD"),
		"pr", "create", "--head", p.head, "--base", p.base, "--title="+p.title, "--body-file", "-")
	if address := addressIn(out); failed == nil && address != "" {
		return address, nil
	}
	if address := addressIn(complaint); address != "" && strings.Contains(complaint, "already exists") {
		return address, nil
	}
	if failed == nil {
		failed = errors.New("it does not say where the pull request is")
	}
	return "", fmt.Errorf("gh: %s (%w)", git.PlainLines(complaint+"\n"+out), errors.Join(failed, context.Cause(ctx)))
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
