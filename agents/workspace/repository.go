package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"questboard/agents/git"
)

// repository is a user's repository during one call, with the git directory of
// ours that the quests' worktrees belong to.
type repository struct {
	t      *Trees
	ref    Ref
	root   string            // Trees.Root without symbolic links, as git writes it
	users  *users            // the user's own
	home   string            // our folder for the quest
	common string            // the git directory in it, which all worktrees of the quest share
	view   string            // our view of it
	lock   *git.Lock         // nil: only reads
	known  map[string]string // refs and where they are; "" for one that is not there
	wanted []string          // refs to ask for with the first ones: they are needed sooner or later
	alone  bool              // the user's repository is gone
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
	u, err := t.Git.open(ctx, ref.Repo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref.Repo, err)
	}
	r, err := t.repository(ref, u)
	if err != nil {
		return nil, err
	}
	if err := r.prepare(); err != nil {
		return nil, fmt.Errorf("make a git directory for %s: %w", u.top, err)
	}
	return r, r.carryOver(ctx)
}

// repository is the quest's, with the folders of ours where they are.
func (t *Trees) repository(ref Ref, u *users) (*repository, error) {
	home, err := t.Git.home()
	if err != nil {
		return nil, err
	}
	r := &repository{t: t, ref: ref, users: u, home: filepath.Join(home, ref.Quest)}
	r.common, r.view = filepath.Join(r.home, treesDir), filepath.Join(r.home, oursView)
	r.wanted = []string{r.baseRef(), r.tipRef(own), r.questBranch(), r.publishedRef()}
	if !filepath.IsAbs(t.Root) {
		return nil, fmt.Errorf("the folder for worktrees, %q: %w", t.Root, ErrName)
	}
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return nil, err
	}
	r.root, err = filepath.EvalSymlinks(t.Root)
	return r, err
}

// repositoryNote is the file of our folder for a quest that says where its repository is.
const repositoryNote = "repository"

// lockFile is the name of the lock in our folder for a quest, and in the view of
// a user's repository.
const lockFile = "turn"

// prepare makes the quest's git directory, or what a kill left out of it, and
// our view of it.
func (r *repository) prepare() error {
	if _, err := os.Lstat(filepath.Join(r.common, "config")); err != nil || !isGitDir(r.common) {
		if err := makeGitDir(r.common, r.users.treesConfig(), r.questBranch()); err != nil {
			return err
		}
		exclude, err := textIn(r.users.common, "info/exclude")
		if err != nil {
			return err
		}
		if err := written(filepath.Join(r.common, "info", "exclude"), exclude); err != nil {
			return err
		}
		if err := linkLFS(r.common, r.users.common); err != nil {
			return err
		}
	}
	if err := written(filepath.Join(r.home, repositoryNote), []byte(r.users.top+"\n")); err != nil {
		return err
	}
	return r.t.Git.makeView(r.view, r.common, r.users.settings, r.users.found)
}

// treesConfig is the configuration that agents' own git commands begin with.
// They may change it where nothing confines them. Ours obey nothing in it: a look
// at a worktree reads it as data, as it does that of a user's repository.
func (u *users) treesConfig() string {
	version := "0"
	var format []setting
	if u.format == "sha256" {
		version, format = "1", []setting{{"extensions.objectformat", u.format}}
	}
	return configText(slices.Concat([]setting{{"core.repositoryformatversion", version}, {"core.bare", "true"}, {"gc.auto", "0"}}, format, u.carried, u.remotes))
}

// write opens the quest's repository for changes; the caller must call done.
func (t *Trees) write(ctx context.Context, ref Ref) (r *repository, done func(), err error) {
	r, err = t.read(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	return r.begun(ctx)
}

// begun takes the quest's lock.
func (r *repository) begun(ctx context.Context) (_ *repository, done func(), err error) {
	if r.lock, err = r.t.locks.Take(ctx, filepath.Join(r.home, lockFile)); err != nil {
		return nil, nil, err
	}
	if err := r.clearRefLocks(ctx); err != nil {
		r.lock.Release()
		return nil, nil, err
	}
	return r, r.lock.Release, nil
}

// call is one git command in our git directory.
type call struct {
	in    *tree  // nil: it does not look at files
	index string // another index file
	env   []string
	input []byte
	from  *git.Command // whose output is its input
	limit int          // of the answer, in bytes; 0: git.MaxOutput, and more is an error
	args  []string
}

func (r *repository) do(ctx context.Context, c call) (string, error) {
	out, _, err := r.doCut(ctx, c)
	return string(out), err
}

func (r *repository) doCut(ctx context.Context, c call) (out []byte, cut bool, err error) {
	q := git.Command{Dir: r.view, Args: c.args, Writing: true, Input: c.input, Source: c.from, Limit: c.limit, Held: r.lock}
	q.Env = r.users.identity()
	if c.in != nil {
		// Named outright: whatever became of the tree's .git, it is this one.
		q.Dir = c.in.path
		q.Env = append(q.Env, "GIT_DIR="+c.in.admin, "GIT_WORK_TREE="+c.in.path, "GIT_COMMON_DIR="+c.in.view)
		q.Reads, q.Writes = append([]string{c.in.view}, r.users.borrowed...), append([]string{c.in.path, c.in.common, c.in.admin}, r.lfsFolder()...)
	} else {
		q.Env = append(q.Env, "GIT_DIR="+r.view, "GIT_COMMON_DIR="+r.view)
	}
	if c.in != nil {
		q.Settings = slices.Concat(q.Settings, r.lfs())
	}
	if c.index != "" {
		q.Env = append(q.Env, "GIT_INDEX_FILE="+c.index)
	}
	q.Env = append(q.Env, c.env...)
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

// lfs are the settings of the user's git-lfs, for a repository that the user
// trusts with it. What is not on this machine stays a pointer: our git asks nobody.
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

// lfsFolder is where git-lfs keeps files, if it runs.
func (r *repository) lfsFolder() []string {
	folder := filepath.Join(r.users.common, "lfs")
	if info, err := os.Lstat(folder); len(r.lfs()) == 0 || err != nil || !info.IsDir() {
		return nil
	}
	return []string{folder}
}

// answer is for a command whose exit code, that one, is an answer too.
func (r *repository) answer(ctx context.Context, c call, code int) ([]byte, bool, error) {
	out, cut, err := r.doCut(ctx, c)
	if git.Exited(err, code) {
		err = nil
	}
	return out, cut, err
}

// git runs a command and returns its answer without the last line end.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.do(ctx, call{args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// contains reports whether a commit has another in its history, or is it.
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

// TreesGit is the git directory that the worktrees of a quest belong to, without
// links; "" where it has none.
func (t *Trees) TreesGit(quest string) (string, error) {
	if checkName("quest", quest) != nil {
		return "", nil
	}
	dir := filepath.Join(t.Git.Dir, quest, treesDir)
	if _, err := os.Lstat(dir); err != nil {
		return "", ignoreGone(err)
	}
	return filepath.EvalSymlinks(dir)
}
