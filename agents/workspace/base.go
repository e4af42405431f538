package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoRevision: there is no such branch or commit.
var ErrNoRevision = errors.New("no such branch or commit")

// Base returns what a quest that shall start from a revision is to remember: of
// a branch its name, so that the work can be delivered to it, else the commit.
// Empty: what is checked out. ErrNoRevision.
func (g Git) Base(ctx context.Context, dir, revision string) (string, error) {
	u, err := g.open(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("look for %q: %w", revision, err)
	}
	if revision == "" {
		if branch, err := u.ask(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
			return branch, nil
		}
		revision = "HEAD"
	}
	if strings.ContainsRune(revision, 0) {
		return "", fmt.Errorf("%w: %q", ErrNoRevision, revision)
	}
	name := strings.TrimPrefix(revision, "refs/heads/")
	_, err = u.ask(ctx, "show-ref", "--verify", "--quiet", "--", "refs/heads/"+name)
	if err == nil {
		return name, nil
	}
	commit, err := u.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("look for %q: %w", revision, context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("%w: %q", ErrNoRevision, revision)
	}
	return commit, nil
}
