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

// keep commits a state of the tree and keeps it under a ref, so that nothing an agent
// wrote is lost.
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
	return tr.r.keepOnce(ctx, tr.step, label, commit, "%(tree) %(parent)", strings.Join(append([]string{tree}, parents...), " "))
}

// keep keeps an agent's commit under a ref of its own.
func (r *repository) keep(ctx context.Context, step, label, commit string) error {
	return r.keepOnce(ctx, step, label, commit, "%(objectname)", commit)
}

// keepOnce keeps a commit unless one with the same facts is already kept; format is the
// git format of the facts. For a snapshot, the same tree on the same parents is enough,
// because a check that leaves files behind does so at each run.
func (r *repository) keepOnce(ctx context.Context, step, label, commit, format, facts string) error {
	if checkName("label", label) != nil {
		label = "run"
	}
	prefix := keptRefs(r.ref.Quest) + step + "/"
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

// restore resets the tree's files to a commit, which HEAD must be at. Of other files it
// removes only those in the snapshot: ignored files stay, and nested repositories are
// moved aside.
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
			if err := tr.aside(c.name); err != nil { // a staged repository, or a folder without write permission
				return tr.unstuck(ctx, err)
			}
		}
		for dir := path.Dir(c.name); dir != "." && inside.Remove(filepath.FromSlash(dir)) == nil; {
			dir = path.Dir(dir) // Remove deletes only empty folders
		}
	}
	if _, err := tr.git(ctx, "read-tree", "--reset", "-u", commit); err != nil {
		return err
	}
	return tr.forget(inProgress...)
}

// inProgress lists git's notes of an unfinished merge, rebase or similar.
var inProgress = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "MERGE_AUTOSTASH", "AUTO_MERGE", "SQUASH_MSG",
	"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG", "BISECT_START"}

// keepAutostash saves the stash of an unfinished "git rebase --autostash".
func (tr *tree) keepAutostash(ctx context.Context) error {
	for _, name := range []string{"MERGE_AUTOSTASH", "rebase-merge/autostash", "rebase-apply/autostash"} {
		if commit := tr.noted(name); commit != "" {
			if err := tr.r.keep(ctx, tr.step, "autostash", commit); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeHeads returns the commits that a merge in progress brings in.
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

// Kept lists the kept work of a quest, oldest first.
func (t *Trees) Kept(ctx context.Context, repo, quest string) ([]record.Kept, error) {
	r, err := t.read(ctx, Ref{Quest: quest, Repo: repo})
	if err != nil {
		return nil, ofQuest("list what was kept of", quest, err)
	}
	prefix := keptRefs(quest)
	out, err := r.git(ctx, "for-each-ref", "--sort=committerdate",
		"--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)%00", prefix)
	if err != nil {
		return nil, ofQuest("list what was kept of", quest, err)
	}
	var all []record.Kept
	fields := strings.Split(out, "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		ref := strings.TrimPrefix(fields[i], "\n")
		line, label, ok := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
		seconds, err := strconv.ParseInt(fields[i+2], 10, 64)
		if !ok || err != nil { // not ours
			continue
		}
		all = append(all, record.Kept{Ref: ref, Step: line, Label: label, Commit: fields[i+1], At: time.Unix(seconds, 0).UTC(),
			Subject: fields[i+3]})
	}
	return all, nil
}

// Restore makes a new branch in the user's repository from kept work. kept is a
// Kept.Ref, branch the name. The error may be ErrName or ErrBranchTaken.
func (t *Trees) Restore(ctx context.Context, repo, kept, branch string) error {
	parts := strings.Split(kept, "/") // refs questboard kept <quest> <step> <label>
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
