package workspace

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/orchestration"
)

// Kept lists what was kept of a quest, oldest first.
func (t *Trees) Kept(ctx context.Context, repo, quest string) ([]orchestration.Kept, error) {
	r, err := t.read(ctx, Ref{Quest: quest, Repo: repo})
	if err != nil {
		return nil, fmt.Errorf("list what was kept of quest %s: %w", quest, err)
	}
	prefix := keptRefs(quest)
	out, err := r.git(ctx, "for-each-ref", "--sort=committerdate",
		"--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)%00", prefix)
	if err != nil {
		return nil, fmt.Errorf("list what was kept of quest %s: %w", quest, err)
	}
	var all []orchestration.Kept
	fields := strings.Split(out, "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		ref := strings.TrimPrefix(fields[i], "\n")
		line, label, ok := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
		seconds, err := strconv.ParseInt(fields[i+2], 10, 64)
		if !ok || err != nil { // not one of ours
			continue
		}
		all = append(all, orchestration.Kept{Ref: ref, Line: line, Label: label, Commit: fields[i+1], At: time.Unix(seconds, 0).UTC(), Subject: fields[i+3]})
	}
	return all, nil
}

// Restore makes a branch of what was kept, in the user's repository: kept is a
// Kept.Ref, branch a new branch's name. ErrName, ErrBranchTaken.
func (t *Trees) Restore(ctx context.Context, repo, kept, branch string) error {
	parts := strings.Split(kept, "/") // refs questboard kept <quest> <line> <label>
	if len(parts) != 6 || !strings.HasPrefix(kept, "refs/questboard/kept/") {
		return fmt.Errorf("restore %q: %w", kept, ErrName)
	}
	r, done, err := t.write(ctx, Ref{Quest: parts[3], Repo: repo})
	if err != nil {
		return fmt.Errorf("restore %s: %w", kept, err)
	}
	defer done()
	all, err := t.Kept(ctx, repo, parts[3])
	if err != nil {
		return fmt.Errorf("restore %s: %w", kept, err)
	}
	at := slices.IndexFunc(all, func(k orchestration.Kept) bool { return k.Ref == kept })
	if at < 0 {
		return fmt.Errorf("restore %s: nothing is kept there", kept)
	}
	if _, err := r.git(ctx, "check-ref-format", "refs/heads/"+branch); err != nil || strings.HasPrefix(branch, "-") {
		return fmt.Errorf("restore %s as the branch %q: %w", kept, branch, ErrName)
	}
	err = r.hand(ctx, r.users, all[at].Commit)
	if err == nil {
		err = takenBy(r.users.move(ctx, r, "restore", move{ref: "refs/heads/" + branch, to: all[at].Commit}), branch)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", kept, err)
	}
	return nil
}
