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
	"time"

	"questboard/agents/git"
)

// repository is a user's repository during one call, with our git directory that the
// quest's worktrees belong to.
type repository struct {
	t      *Trees
	ref    Ref
	root   string            // Trees.Root without symbolic links, as git writes it
	users  *users            // the user's own
	home   string            // our folder for the quest
	common string            // the git directory in it, which all worktrees of the quest share
	view   string            // our view of it
	lock   *git.Lock         // nil: only reads
	known  map[string]string // refs and their commits; "" for a missing one
	wanted []string          // refs to ask for together with the first ones, because they will be needed
	alone  bool              // the user's repository is gone
}

// component is the allowed form of a quest, step or run: it becomes a folder and a part
// of a branch name. Our own names begin with "_".
var component = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

func checkName(what, name string) error {
	if len(name) > 100 || !component.MatchString(name) || strings.HasSuffix(name, ".lock") {
		return fmt.Errorf("%s %q: %w", what, name, ErrName)
	}
	return nil
}

// read opens the quest's repository for reading.
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

// repository returns the quest's repository with the paths of our folders.
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

// repositoryNote is the file in our folder for a quest that names its repository.
const repositoryNote = "repository"

// lockFile is the name of the lock in our folder for a quest, and in the view of
// a user's repository.
const lockFile = "turn"

// prepare makes our view and the quest's git directory, or completes what a kill left.
func (r *repository) prepare() error {
	if _, err := os.Lstat(filepath.Join(r.common, "config")); err != nil || !isGitDir(r.common) {
		if err := makeGitDir(r.common, r.users.treesConfig(), r.questBranch()); err != nil {
			return err
		}
	}
	if err := r.lend(); err != nil {
		return err
	}
	if err := writeIfChanged(filepath.Join(r.home, repositoryNote), []byte(r.users.top+"\n")); err != nil {
		return err
	}
	return r.t.Git.makeView(r.view, r.common, r.users.settings, r.users.found)
}

// lend gives agents' git the user's list of ignored files and the files of git-lfs, as they are
// now. An agent without a sandbox may have put something else in their place.
func (r *repository) lend() error {
	exclude, err := textIn(r.users.common, "info/exclude")
	if err != nil {
		return err
	}
	for _, name := range []string{"info", "info/exclude"} { // first the folder: it may lead elsewhere
		if plainAt(r.common, name, name == "info") == nil {
			continue
		}
		if err := removeAll(filepath.Join(r.common, name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(r.common, "info"), 0o700); err != nil {
		return err
	}
	if err := writeIfChanged(filepath.Join(r.common, "info", "exclude"), exclude); err != nil {
		return err
	}
	return linkLFS(r.common, r.users.common)
}

// treesConfig is the initial configuration for agents' own git commands. Agents without
// a sandbox may change it. Our commands obey nothing in it: they read it as data, like
// that of a user's repository.
func (u *users) treesConfig() string {
	version := "0"
	var format []setting
	if u.format == "sha256" {
		version, format = "1", []setting{{"extensions.objectformat", u.format}}
	}
	return configText(slices.Concat([]setting{{"core.repositoryformatversion", version}, {"core.bare", "true"}, {"gc.auto", "0"}}, format,
		u.carried, u.remotes))
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

// clearRefLocks removes lock files that a killed git left on refs that only we write. If a
// server died, or its git was ended, it also removes those of refs that others write: of all
// refs in our git directory, which the user's branches are copied to, and of what we write in the
// user's repository.
func (r *repository) clearRefLocks(ctx context.Context) error {
	if err := git.ClearLocks(ctx, filepath.Join(r.common, "refs", "questboard")); err != nil {
		return err
	}
	if err := git.ClearLock(ctx, filepath.Join(r.common, r.questBranch()+".lock")); err != nil {
		return err
	}
	if r.lock.Died.IsZero() {
		return nil
	}
	if err := errors.Join(git.ClearLocks(ctx, filepath.Join(r.common, "refs")), r.clearPacked(ctx, r.common),
		r.users.clear(ctx, r)); err != nil {
		return err
	}
	r.lock.Cleared()
	return nil
}

// clearPacked removes what a git that was ended left of the packed refs: the lock, and the new
// file that git writes while it has the lock.
func (r *repository) clearPacked(ctx context.Context, common string) error {
	packed := filepath.Join(common, "packed-refs")
	if older(packed+".lock", r.lock.Died) {
		return nil
	}
	if err := git.ClearLock(ctx, packed+".new"); err != nil {
		return err
	}
	return git.ClearLock(ctx, packed+".lock")
}

// older reports whether a lock file is older than our lock. Locks of git's are held only for
// moments. So one that anybody may have made belonged to the git that was ended if it is younger than
// our lock, and still there; an older one is another's.
func older(lock string, ours time.Time) bool {
	info, err := os.Lstat(lock)
	return err == nil && info.ModTime().Before(ours)
}

// TreesGit returns the git directory of a quest's worktrees, without links; "" if there
// is none.
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
