package confine_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/confine"
)

// layouts is a confine.Git that always returns the same layout.
type layouts confine.Layout

func (l layouts) Layout(string) (confine.Layout, error) {
	return confine.Layout(l), nil
}

func (l layouts) TreesGit(string) (string, error) { return "", nil }

// binds returns the arguments that mount something of this place, as in a golden file.
func (p *place) binds(spec agents.Spec) []string {
	p.t.Helper()
	return slices.DeleteFunc(p.wrap(spec, confine.Needs{}), func(line string) bool { return !strings.Contains(line, "bind ROOT") })
}

// refused asserts that the run was not started and that the card names the file.
func refused(t *testing.T, err error, file string) {
	t.Helper()
	var not *agents.NotStarted
	if !errors.As(err, &not) || !strings.Contains(not.Why, file) {
		t.Errorf("it was not refused because of %s: %v", file, err)
	}
}

// An agent without a sandbox can write a .git file that names somebody else's repository.
func TestAGitFileThatLiesShowsNothing(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]confine.Layout{
		"a repository":       {GitDir: "/theirs/.git", Common: "/theirs/.git"},
		"a worktree of it":   {GitDir: "/theirs/.git/worktrees/w", Common: "/theirs/.git"},
		"a folder without":   {GitDir: "/theirs/.git/worktrees", Common: "/theirs/.git"},
		"what it shares":     {GitDir: "/mine/.git", Common: "/theirs/.git"},
		"a tree around mine": {Top: "/theirs", GitDir: "/theirs/.git", Common: "/theirs/.git"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			mine := p.root + "/mine"
			p.mkdir(p.root+"/theirs/.git/worktrees/w", mine)
			p.write(p.root+"/theirs/.git/worktrees/w/gitdir", p.root+"/theirs/.git\n")
			p.write(mine+"/.git", "gitdir: ../theirs/.git\n")
			if l.Top == "" {
				l.Top = "/mine"
			}
			p.sandbox.Git = layouts{Top: p.root + l.Top, GitDir: p.root + l.GitDir, Common: p.root + l.Common}
			got := p.binds(agents.Spec{RunID: "r", QuestID: "q1", Dir: mine})
			if slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "theirs") }) {
				t.Errorf("it is seen: %q", got)
			}
			if !slices.Contains(got, "--ro-bind ROOT/mine/.git ROOT/mine/.git") {
				t.Errorf("the .git file can be written: %q", got)
			}
		})
	}
}

// A quest can work in a worktree that the user made. Its git directory is shown
// read-only.
func TestAWorktreeOfTheUsersIsSeenWithItsGitReadOnly(t *testing.T) {
	t.Parallel()
	for _, relative := range []bool{false, true} {
		p := newPlace(t)
		mine, git := p.root+"/mine", p.repo+"/.git"
		p.mkdir(mine, git+"/worktrees/w")
		says := mine + "/.git"
		if relative {
			says, _ = filepath.Rel(git+"/worktrees/w", says)
		}
		p.write(git+"/worktrees/w/gitdir", says+"\n")
		p.write(mine+"/.git", "gitdir: "+git+"/worktrees/w\n")
		p.sandbox.Git = layouts{Top: mine, GitDir: git + "/worktrees/w", Common: git}
		got := p.binds(agents.Spec{RunID: "r", QuestID: "q1", Dir: mine})
		for _, line := range []string{"--bind ROOT/mine ROOT/mine", "--ro-bind ROOT/mine/.git ROOT/mine/.git", "--ro-bind ROOT/home/src/app/.git ROOT/home/src/app/.git"} {
			if !slices.Contains(got, line) {
				t.Errorf("relative %v: no %q in %q", relative, line, got)
			}
		}
	}
}

// Some checkouts contain their git directory under another name.
func TestAGitDirectoryWithinTheFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mine, link := p.root+"/mine", p.root+"/link"
	p.mkdir(mine + "/.bare")
	p.write(mine+"/.git", "gitdir: .bare\n")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	p.sandbox.Git = layouts{Top: mine, GitDir: mine + "/.bare", Common: mine + "/.bare"}
	got := p.binds(agents.Spec{RunID: "r", QuestID: "q1", Dir: link})
	for _, at := range []string{"ROOT/link", "ROOT/mine"} {
		for _, line := range []string{"--bind ROOT/mine " + at, "--ro-bind ROOT/mine/.git " + at + "/.git", "--ro-bind ROOT/mine/.bare " + at + "/.bare"} {
			if !slices.Contains(got, line) {
				t.Errorf("no %q in %q", line, got)
			}
		}
	}
}

// A quest on a part of a repository sees the whole repository and can change its part. If
// the repository contains the user's home, the quest sees only its part and the git
// directory.
func TestAPartOfARepositoryIsSeenInIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.mkdir(p.repo + "/sub")
	golden(t, "subfolder", p.wrap(p.spec(p.repo+"/sub"), confine.Needs{}))

	p = newPlace(t)
	p.mkdir(p.home + "/.git")
	p.sandbox.Git = layouts{Top: p.home, GitDir: p.home + "/.git", Common: p.home + "/.git"}
	got := p.binds(p.spec(p.repo))
	if slices.Contains(got, "--ro-bind ROOT/home ROOT/home") || !slices.Contains(got, "--ro-bind ROOT/home/.git ROOT/home/.git") {
		t.Errorf("a repository around the home: %q", got)
	}
}

func TestAGitThatIsALinkAtFirstIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.Rename(p.repo+"/.git", p.root+"/git"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.root+"/git", p.repo+"/.git"); err != nil {
		t.Fatal(err)
	}
	_, err := p.sandbox.Wrap(t.Context(), p.spec(p.repo), confine.Needs{})
	refused(t, err, p.repo+"/.git")
}

// Later runs see what was found before the first run, even after a restart and even if
// the layout has changed since.
func TestWhatIsMountedIsDecidedBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.binds(p.spec(p.repo))
	again := &confine.Sandbox{Bwrap: p.sandbox.Bwrap, Data: p.data, Home: p.home, Path: p.sandbox.Path, Links: p.sandbox.Links,
		Git: layouts{Top: p.root, GitDir: p.root + "/home/src/app/.git", Common: p.home + "/.ssh"}}
	p.sandbox = again
	if got := p.binds(p.spec(p.repo)); !slices.Equal(got, first) {
		t.Errorf("it was decided a second time: %q", got)
	}
	name := p.data + "/sandbox/q1.json"
	if info, err := os.Lstat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if info, err := os.Lstat(filepath.Dir(name)); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := p.sandbox.Forget("q1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); err == nil {
		t.Error("the quest is gone, and what was decided for it is not")
	}
}

// If a folder has been replaced since, it is not mounted, and the card says what to do.
func TestAFolderThatIsNotWhatItWasIsRefused(t *testing.T) {
	t.Parallel()
	move := func(p *place, from, to string) {
		if err := os.Rename(from, to); err != nil {
			p.t.Fatal(err)
		}
	}
	link := func(p *place, to, at string) {
		if err := os.Symlink(to, at); err != nil {
			p.t.Fatal(err)
		}
	}
	for name, change := range map[string]func(p *place) (file string){
		"git is a link": func(p *place) string {
			move(p, p.repo+"/.git", p.root+"/git")
			link(p, p.root+"/git", p.repo+"/.git")
			return p.repo + "/.git was a folder when this quest first ran in the sandbox, and is a link now"
		},
		"git is a file": func(p *place) string {
			move(p, p.repo+"/.git", p.root+"/git")
			p.write(p.repo+"/.git", "gitdir: /\n")
			return p.repo + "/.git was a folder when this quest first ran in the sandbox, and is a plain file now"
		},
		"git is another": func(p *place) string {
			move(p, p.repo+"/.git", p.root+"/git")
			p.mkdir(p.repo + "/.git")
			return p.repo + "/.git was a folder when this quest first ran in the sandbox, and is another one now"
		},
		"git is gone": func(p *place) string {
			move(p, p.repo+"/.git", p.root+"/git")
			return p.repo + "/.git was a folder when this quest first ran in the sandbox, and is not there now"
		},
		"the folder is a link": func(p *place) string {
			move(p, p.repo, p.root+"/moved")
			link(p, p.home+"/.ssh", p.repo)
			return p.repo + " leads to " + p.home + "/.ssh now"
		},
		"a folder on the way is a link": func(p *place) string {
			move(p, p.home+"/src", p.root+"/moved")
			link(p, p.root+"/moved", p.home+"/src")
			return p.repo + " leads to " + p.root + "/moved/app now"
		},
		"the folder is another": func(p *place) string {
			move(p, p.repo, p.root+"/moved")
			p.mkdir(p.repo)
			return p.repo + " was a folder when this quest first ran in the sandbox, and is another one now"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.wrap(p.spec(p.repo), confine.Needs{})
			says := change(p)
			_, err := p.sandbox.Wrap(t.Context(), p.spec(p.repo), confine.Needs{})
			refused(t, err, says)
			refused(t, err, p.data+"/sandbox/q1.json; then retry")
		})
	}
}
