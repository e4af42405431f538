package workspace

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// copiedNote is the file of our folder for a quest that lists where the user's
// branches and tags were when they were last copied: what is elsewhere since is
// an agent's.
const copiedNote = "copied"

func (r *repository) noteCopied(ids []string) error {
	slices.Sort(ids)
	return written(filepath.Join(r.home, copiedNote), []byte(strings.Join(slices.Compact(ids), "\n")))
}

func (r *repository) copied() ([]string, error) {
	file, err := openPlain(filepath.Join(r.home, copiedNote))
	if err != nil {
		return nil, ignoreGone(err)
	}
	defer file.Close()
	text, err := readAtMost(file, git.MaxOutput)
	return strings.Fields(string(text)), err
}

// keepBeside keeps what agents committed or stashed beside their lines, of the
// given refs: what no branch of the user's or the quest's has, nor one of a
// remote's. Where nobody did so it asks git nothing.
func (r *repository) keepBeside(ctx context.Context, refs map[string]string) error {
	copied, err := r.copied()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if strings.HasPrefix(name, "refs/questboard/") || strings.HasPrefix(name, "refs/remotes/") {
			continue
		}
		if _, users := slices.BinarySearch(copied, refs[name]); users {
			continue
		}
		commits := []string{refs[name]}
		if name == "refs/stash" { // the older ones are in its log alone
			out, err := r.git(ctx, "rev-list", "--walk-reflogs", name)
			if err != nil {
				return err
			}
			commits = slices.Compact(append(commits, strings.Fields(out)...))
		}
		for _, commit := range commits {
			if err := r.keepUnheld(ctx, labelOf(name), commit, copied); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepUnheld keeps a commit, or that of a tag, unless something else holds it.
func (r *repository) keepUnheld(ctx context.Context, label, id string, copied []string) error {
	out, err := r.do(ctx, call{input: []byte(id + "\n" + without(copied)), args: []string{"rev-list", "--max-count=1", "--ignore-missing", "--stdin", "--not",
		"--exclude=refs/questboard/into/*", "--glob=refs/questboard/", "--remotes"}}) // into is a branch's other name, also where an agent moved that
	commit := strings.TrimSpace(out)
	if err != nil || commit == "" {
		return err
	}
	held, err := r.inAnotherBranch(ctx, commit)
	if err != nil || held {
		return err
	}
	return r.keep(ctx, own, label, commit)
}

// without words commits as those that rev-list leaves out, with all before them.
func without(commits []string) string {
	var b strings.Builder
	for _, id := range commits {
		b.WriteString("^" + id + "\n")
	}
	return b.String()
}

// labelOf is what an agent called its branch, as a label.
func labelOf(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "heads/")
	if name = strings.ReplaceAll(name, "/", "-"); checkName("label", name) != nil {
		return "branch"
	}
	return name
}
