package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"questboard/agents/git"
)

// call is one git command in our git directory.
type call struct {
	in    *tree  // nil: the command does not look at files
	index string // another index file
	input []byte
	from  *git.Command // the command whose output is its input
	limit int          // of the answer, in bytes; 0: git.MaxOutput, and more is an error
	args  []string
}

func (r *repository) do(ctx context.Context, c call) (string, error) {
	out, _, err := r.doCut(ctx, c)
	return string(out), err
}

func (r *repository) doCut(ctx context.Context, c call) (out []byte, cut bool, err error) {
	q := git.Command{Dir: r.view, GitDir: r.view, Common: r.view, Index: c.index, Env: r.users.identity(),
		Args: c.args, Writing: true, Input: c.input, Source: c.from, Limit: c.limit, Held: r.lock}
	if c.in != nil {
		// The git directory is named explicitly, so the tree's .git file does not
		// matter.
		q.Dir, q.GitDir, q.Common, q.WorkTree = c.in.path, c.in.admin, c.in.view, c.in.path
		q.Reads, q.Writes = append([]string{c.in.view}, r.users.borrowed...), append([]string{c.in.path, c.in.common, c.in.admin},
			r.lfsFolder()...)
		q.Settings = r.lfs()
	}
	if c.limit == 0 {
		q.Limit = git.MaxOutput
	}
	out, cut, err = r.t.Git.Run(ctx, q)
	if err == nil && cut && c.limit == 0 {
		return nil, true, fmt.Errorf("git %s: more than %d bytes", c.args[0], git.MaxOutput)
	}
	if err != nil && r.lock != nil {
		err = whyNotWritten(err, r.common, r.root)
	}
	return out, cut, err
}

// lfs returns the settings of the user's git-lfs if the user trusts the repository with
// it. Files that are not on this machine stay pointers: our git does not contact
// servers.
func (r *repository) lfs() []string {
	if len(r.users.lfs) == 0 || r.t.LFS == nil || !r.t.LFS(r.ref.Repo) {
		return nil
	}
	args := []string{"-c", "lfs.url=http://127.0.0.1:9/nothing-is-downloaded", "-c", "lfs.locksverify=false"}
	for _, s := range r.users.lfs {
		args = append(args, "-c", s.key+"="+s.value)
	}
	return args
}

// lfsFolder returns the folder where git-lfs keeps files, if it runs.
func (r *repository) lfsFolder() []string {
	folder := filepath.Join(r.users.common, "lfs")
	if info, err := os.Lstat(folder); len(r.lfs()) == 0 || err != nil || !info.IsDir() {
		return nil
	}
	return []string{folder}
}

// answer runs a command for which the given exit code is a valid answer, too.
func (r *repository) answer(ctx context.Context, c call, code int) ([]byte, bool, error) {
	out, cut, err := r.doCut(ctx, c)
	if git.Exited(err, code) {
		err = nil
	}
	return out, cut, err
}

// git runs a command and returns its output without the last newline.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.do(ctx, call{args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// contains reports whether a commit is another one or has it in its history.
func (r *repository) contains(ctx context.Context, commit, older string) (bool, error) {
	if commit == older {
		return true, nil
	}
	_, err := r.git(ctx, "merge-base", "--is-ancestor", older, commit)
	if git.Exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// scarce is the free space below which a failure may be the disk's.
const scarce = 1 << 20

// whyNotWritten adds to an error of git that a disk is full. Often git says only that
// it could not write.
func whyNotWritten(err error, dirs ...string) error {
	for _, dir := range dirs {
		var disk unix.Statfs_t
		if unix.Statfs(dir, &disk) == nil && disk.Bavail*uint64(disk.Bsize) < scarce {
			return fmt.Errorf("%w: there is no room left at %s (%w)", ErrFull, dir, err)
		}
	}
	return err
}

// change is one path that differs between two trees.
type change struct {
	name             string
	oldMode, newMode string // "000000": absent
	oldBlob, newBlob string
}

// compare lists what differs between two commits or trees.
func (tr *tree) compare(ctx context.Context, from, to string) ([]change, error) {
	return tr.r.compare(ctx, tr, from, to)
}

// compare lists what differs between two commits or trees. If in is nil, they must be
// given by id.
func (r *repository) compare(ctx context.Context, in *tree, from, to string) ([]change, error) {
	out, err := r.do(ctx, call{in: in, args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", from, to}})
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

func parseRaw(out string) ([]change, error) {
	fields := strings.Split(out, "\x00") // :mode mode blob blob letter, name, …
	var all []change
	for i := 0; i+1 < len(fields); i += 2 {
		facts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(facts) != 5 {
			return nil, fmt.Errorf("git compares with %q", fields[i])
		}
		all = append(all, change{name: fields[i+1], oldMode: facts[0], newMode: facts[1], oldBlob: facts[2], newBlob: facts[3]})
	}
	return all, nil
}

func namesOf(changes []change) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.name)
	}
	return names
}

// both returns the names that are in both lists of changes.
func both(a, b []change) []string {
	in := map[string]bool{}
	for _, c := range b {
		in[c.name] = true
	}
	var names []string
	for _, c := range a {
		if in[c.name] {
			names = append(names, c.name)
		}
	}
	return names
}

// presentObjects returns those of the ids that our git directory has.
func (r *repository) presentObjects(ctx context.Context, ids []string) (map[string]bool, error) {
	var asked strings.Builder
	for _, id := range ids {
		if id != "" {
			asked.WriteString(id + "\n")
		}
	}
	there := map[string]bool{}
	if asked.Len() == 0 {
		return there, nil
	}
	out, err := r.do(ctx, call{input: []byte(asked.String()), args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}})
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		id, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		there[id] = kind != "missing"
	}
	return there, nil
}
