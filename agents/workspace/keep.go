package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/orchestration/record"
)

// keep makes a commit of a state of the tree and remembers it, so that nothing
// an agent wrote is lost.
func (tr *tree) keep(ctx context.Context, label, why, tree string, parents ...string) error {
	if strings.HasSuffix(tree, "^{tree}") {
		is, err := tr.git(ctx, "rev-parse", "--verify", tree)
		if err != nil {
			return err
		}
		tree = is
	}
	commit, err := tr.commitTree(ctx, tree, why+"\n", parents...)
	if err != nil {
		return err
	}
	return tr.r.keepOnce(ctx, tr.line, label, commit, "%(tree) %(parent)", strings.Join(append([]string{tree}, parents...), " "))
}

// keep remembers an agent's commit under a name of its own.
func (r *repository) keep(ctx context.Context, line, label, commit string) error {
	return r.keepOnce(ctx, line, label, commit, "%(objectname)", commit)
}

// keepOnce keeps a commit unless one with the same facts is kept, as git's
// format gives them. Of a snapshot the same tree on the same commits is enough:
// a check that litters does so each time it runs.
func (r *repository) keepOnce(ctx context.Context, line, label, commit, format, facts string) error {
	if checkName("label", label) != nil {
		label = "run"
	}
	prefix := keptRefs(r.ref.Quest) + line + "/"
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname)%00"+format+"%00", prefix)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		taken[strings.TrimSpace(fields[i])] = true
		if fields[i+1] == facts {
			return nil
		}
	}
	name := prefix + label
	for n := 2; taken[name]; n++ {
		name = fmt.Sprint(prefix, label, "-", n)
	}
	return r.move(ctx, "keep", move{ref: name, to: commit})
}

// commitTree makes a commit object.
func (tr *tree) commitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := tr.r.do(ctx, call{in: tr, input: []byte(message), args: append(args, "-F", "-", tree)})
	return strings.TrimSpace(out), err
}

// restore makes the tree's files those of a commit again, which its HEAD must
// be at. Of the files beyond it only those of the snapshot go: ignored ones
// stay, and repositories within are moved aside.
func (tr *tree) restore(ctx context.Context, commit string, snapshot staged) error {
	extra, err := tr.since(ctx, commit, snapshot)
	if err != nil {
		return err
	}
	for _, name := range snapshot.nested {
		if err := tr.aside(name); err != nil {
			return tr.unstuck(ctx, err)
		}
	}
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return err
	}
	defer inside.Close()
	for _, c := range extra {
		if c.oldMode != "000000" {
			continue
		}
		if err := inside.Remove(filepath.FromSlash(c.name)); err != nil && ignoreGone(err) != nil {
			if err := tr.aside(c.name); err != nil { // a repository that was staged, or a folder that nobody may write
				return tr.unstuck(ctx, err)
			}
		}
		for dir := path.Dir(c.name); dir != "." && inside.Remove(filepath.FromSlash(dir)) == nil; {
			dir = path.Dir(dir) // empty ones only: Remove refuses the others
		}
	}
	if _, err := tr.git(ctx, "read-tree", "--reset", "-u", commit); err != nil {
		return err
	}
	return tr.forget(inProgress...)
}

// inProgress are git's notes of a merge, rebase or the like that is not over.
var inProgress = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "MERGE_AUTOSTASH", "AUTO_MERGE", "SQUASH_MSG",
	"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG", "BISECT_START"}

// keepAutostash saves what a half-done "git rebase --autostash" put away.
func (tr *tree) keepAutostash(ctx context.Context) error {
	for _, name := range []string{"MERGE_AUTOSTASH", "rebase-merge/autostash", "rebase-apply/autostash"} {
		if commit := tr.noted(name); commit != "" {
			if err := tr.r.keep(ctx, tr.line, "autostash", commit); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeHeads are the commits that a merge in progress brings in.
func (tr *tree) mergeHeads(ctx context.Context, head string) ([]string, error) {
	var heads []string
	for _, commit := range strings.Fields(tr.noted("MERGE_HEAD")) {
		done, err := tr.r.contains(ctx, head, commit)
		if err != nil {
			return nil, err
		}
		if !done && !slices.Contains(heads, commit) {
			heads = append(heads, commit)
		}
	}
	return heads, nil
}

// Kept lists what was kept of a quest, oldest first.
func (t *Trees) Kept(ctx context.Context, repo, quest string) ([]record.Kept, error) {
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
	var all []record.Kept
	fields := strings.Split(out, "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		ref := strings.TrimPrefix(fields[i], "\n")
		line, label, ok := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
		seconds, err := strconv.ParseInt(fields[i+2], 10, 64)
		if !ok || err != nil { // not one of ours
			continue
		}
		all = append(all, record.Kept{Ref: ref, Line: line, Label: label, Commit: fields[i+1], At: time.Unix(seconds, 0).UTC(), Subject: fields[i+3]})
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
	at := slices.IndexFunc(all, func(k record.Kept) bool { return k.Ref == kept })
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
