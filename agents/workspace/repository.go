package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repository is a user's repository during one call.
type repository struct {
	t      *Trees
	ref    Ref
	root   string // Trees.Root without symbolic links, as git writes it
	common string // the git directory that all its worktrees share
	prefix string // where ref.Repo is within its checkout
	env    []string
	turn   *turn             // nil: only reads
	known  map[string]string // refs and where they are; "" for one that is not there
	wanted []string          // refs to ask for with the first ones: they are needed sooner or later
}

// writing are settings for commands that change something: what they leave
// behind must not depend on the user's taste, nor start anything.
var writing = []string{
	"-c", "commit.gpgSign=false", "-c", "merge.verifySignatures=false", "-c", "merge.autoStash=false",
	"-c", "merge.conflictStyle=diff3", "-c", "rerere.enabled=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "submodule.recurse=false", "-c", "protocol.ext.allow=never", "-c", "core.safecrlf=false", "-c", "i18n.commitEncoding=UTF-8",
}

// component is what a quest, line or run must look like: it becomes a folder
// and a part of a branch name. Names of our own begin with "_".
var component = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

func checkName(what, name string) error {
	if len(name) > 100 || !component.MatchString(name) || strings.HasSuffix(name, ".lock") {
		return fmt.Errorf("%s %q: %w", what, name, ErrName)
	}
	return nil
}

// read opens the quest's repository for questions.
func (t *Trees) read(ctx context.Context, ref Ref) (*repository, error) {
	if err := checkName("quest", ref.Quest); err != nil {
		return nil, err
	}
	if _, err := os.Stat(ref.Repo); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	h, err := t.homes.of(ctx, t.Git, ref.Repo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref.Repo, err)
	}
	r := &repository{t: t, ref: ref, common: h.common, prefix: h.prefix}
	r.wanted = []string{r.baseRef(), r.tipRef(own), r.questBranch()}
	if !filepath.IsAbs(t.Root) {
		return nil, fmt.Errorf("the folder for worktrees, %q: %w", t.Root, ErrName)
	}
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return nil, err
	}
	if r.root, err = filepath.EvalSymlinks(t.Root); err != nil {
		return nil, err
	}
	// Asked for anew each time: an agent may have changed the configuration.
	r.env, err = t.Git.tamed(ctx, ref.Repo, nil)
	return r, err
}

// write opens the quest's repository for changes; the caller must call done.
func (t *Trees) write(ctx context.Context, ref Ref) (r *repository, done func(), err error) {
	r, err = t.read(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	if r.turn, err = t.turns.take(ctx, r.root, r.common); err != nil {
		return nil, nil, err
	}
	if err := r.clearRefLocks(ctx); err != nil {
		r.turn.release()
		return nil, nil, err
	}
	return r, r.turn.release, nil
}

// call is one git command in a repository.
type call struct {
	in     *tree  // nil: the user's checkout, for commands that do not look at files
	index  string // another index file
	env    []string
	input  []byte
	online bool
	limit  int // of the answer, in bytes; 0: maxOutput, and more is an error
	args   []string
}

func (r *repository) do(ctx context.Context, c call) (string, error) {
	out, _, err := r.doCut(ctx, c)
	return string(out), err
}

func (r *repository) doCut(ctx context.Context, c call) (out []byte, cut bool, err error) {
	q := question{dir: r.ref.Repo, env: r.env, args: c.args, settings: writing, input: c.input, limit: c.limit, online: c.online}
	if r.turn != nil {
		q.held = r.turn.file
	}
	if c.in != nil {
		// Named outright: whatever became of the tree's .git, it is this one.
		q.dir, q.env = c.in.path, slices.Concat(c.in.env, []string{"GIT_DIR=" + c.in.admin, "GIT_WORK_TREE=" + c.in.path})
	}
	if c.index != "" {
		q.env = append(slices.Clip(q.env), "GIT_INDEX_FILE="+c.index)
	}
	q.env = append(slices.Clip(q.env), c.env...)
	if c.limit == 0 {
		q.limit = maxOutput
	}
	out, cut, err = r.t.Git.ask(ctx, q)
	if err == nil && cut && c.limit == 0 {
		return nil, true, fmt.Errorf("git %s: more than %d bytes", c.args[0], maxOutput)
	}
	if err != nil && r.turn != nil {
		err = whyNotWritten(err, r.common, r.root)
	}
	return out, cut, err
}

// answer is for a command whose exit code, that one, is an answer too.
func (r *repository) answer(ctx context.Context, c call, code int) ([]byte, bool, error) {
	out, cut, err := r.doCut(ctx, c)
	if exitedWith(err, code) {
		err = nil
	}
	return out, cut, err
}

// git runs a command and returns its answer without the last line end.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.do(ctx, call{args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// exitedWith tells an answer by exit code from a failure.
func exitedWith(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}

// contains reports whether a commit has another in its history, or is it.
func (r *repository) contains(ctx context.Context, commit, older string) (bool, error) {
	if commit == older {
		return true, nil
	}
	_, err := r.git(ctx, "merge-base", "--is-ancestor", older, commit)
	if exitedWith(err, 1) {
		return false, nil
	}
	return err == nil, err
}
