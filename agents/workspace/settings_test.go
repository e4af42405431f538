package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// Our git uses the user's own configuration as the user's git would: the name from an
// include for this folder, the files to ignore, the line endings. It is read as data.
func TestTheUsersOwnConfigurationHolds(t *testing.T) {
	t.Parallel()
	dir, home := repo(t), t.TempDir()
	put(t, home, ".gitconfig", "[user]\n\tname = At Home\n\temail = home@example.com\n[core]\n\texcludesFile = ~/ignored\n\tautocrlf = input\n"+
		"[includeIf \"gitdir:"+filepath.Dir(dir)+"/\"]\n\tpath = work.cfg\n[merge]\n\tdefault = binary\n[pull]\n\ttwohead = ours\n")
	put(t, home, "work.cfg", "[user]\n\temail = work@example.com\n")
	put(t, home, "ignored", "*.mine\n")
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "w")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	g.trees.Git.Environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	one := g.dir("one")
	put(t, one, "note.mine", "x\n")
	put(t, one, "lines.txt", "a\r\nb\r\n")
	c := g.commit("one")
	if !slices.Equal(c.Files, []string{"lines.txt"}) {
		t.Errorf("committed %q", c.Files)
	}
	if got := gitOutput(t, g.ours(), "log", "-1", "--format=%an <%ae> %cn <%ce>", c.Commit); got != "At Home <work@example.com> At Home <work@example.com>" {
		t.Errorf("in the name of %s", got)
	}
	if got := gitOutput(t, g.ours(), "cat-file", "blob", c.Commit+":lines.txt"); got != "a\nb" {
		t.Errorf("lines end like %q", got)
	}
}

// The repository's configuration is also read as data. Only the documented settings are
// used, and its includes are not read.
func TestARepositorysConfigurationIsData(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "config", "user.email", "here@example.com")
	git(t, dir, "config", "user.name", "Here")
	git(t, dir, "config", "core.autocrlf", "input")
	git(t, dir, "config", "include.path", filepath.Join(dir, "included"))
	git(t, dir, "config", "core.excludesFile", filepath.Join(dir, "ignored"))
	put(t, dir, "included", "[user]\n\temail = trap@example.com\n")
	put(t, dir, "ignored", "*.txt\n")
	put(t, dir, ".git/info/exclude", "*.local\n")
	g := newTreesTest(t, dir)
	one := g.dir("one")
	put(t, one, "lines.txt", "a\r\n")
	put(t, one, "x.local", "x\n")
	c := g.commit("one")
	if !slices.Equal(c.Files, []string{"lines.txt"}) || gitOutput(t, g.ours(), "cat-file", "blob", c.Commit+":lines.txt") != "a" {
		t.Errorf("%+v", c)
	}
	if got := gitOutput(t, g.ours(), "log", "-1", "--format=%an <%ae>", c.Commit); got != "Here <here@example.com>" {
		t.Errorf("in the name of %s", got)
	}
	// A change of the configuration is noticed.
	git(t, dir, "config", "user.name", "Elsewhere")
	put(t, one, "more.txt", "x\n")
	if got := gitOutput(t, g.ours(), "log", "-1", "--format=%an", g.commit("one").Commit); got != "Elsewhere" {
		t.Errorf("in the name of %s", got)
	}
}

// The quest's objects survive the user's git gc, and a quest's branch that the user
// deleted comes back with the next merge.
func TestAQuestDoesNotNeedTheUsersBranches(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "checkout", "-q", "-b", "feature")
	put(t, dir, "feature.txt", "f\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "feature")
	g := newTreesTest(t, dir)
	put(t, g.dir("one"), "one.txt", "1\n")
	g.commit("one")
	git(t, dir, "checkout", "-q", "main")
	git(t, dir, "branch", "-q", "-D", "feature", "quest/q1")
	git(t, dir, "reflog", "expire", "--expire=now", "--all")
	git(t, dir, "gc", "-q", "--prune=now")
	g.bring("one", workspace.UpToDate)
	done, err := g.trees.Advance(t.Context(), g.ref, "one", "")
	if err != nil || done.Unpublished == "" {
		t.Errorf("without its base in the user's repository: %+v, %v", done, err)
	}
	if got := gitOutput(t, g.dir("plan"), "log", "--format=%s", "-2"); got != "Work of q1-r1\nfeature" {
		t.Errorf("the quest's branch: %q", got)
	}
	if got := gitOutput(t, g.ours(), "fsck", "--no-dangling"); got != "" {
		t.Errorf("fsck: %s", got)
	}
}

// An environment variable may name the file with the user's configuration.
func TestAChangeOfTheUsersConfigurationIsSeenWhereverItIs(t *testing.T) {
	t.Parallel()
	dir, home := repo(t), t.TempDir()
	named := func(file, who string) { put(t, home, file, "[user]\n\temail = a@example.com\n\tname = "+who+"\n") }
	named("global", "One")
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "w")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	g.trees.Git.Environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_SYSTEM=" + home + "/system", "GIT_CONFIG_GLOBAL=" + home + "/global"}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	author := func(file string) string {
		put(t, g.dir("one"), file, "x\n")
		return gitOutput(t, g.ours(), "log", "-1", "--format=%an", g.commit("one").Commit)
	}
	if got := author("a"); got != "One" {
		t.Errorf("by %s", got)
	}
	named("global", "Another")
	if got := author("b"); got != "Another" {
		t.Errorf("after the change: by %s", got)
	}
	put(t, home, "global", "")
	named("system", "System")
	if got := author("c"); got != "System" {
		t.Errorf("of the machine's: by %s", got)
	}
}

// git refuses the repository of another user of the machine, unless the user's
// configuration allows it. We do the same, because anybody can make a repository in a
// folder like /tmp.
func TestARepositoryOfAnotherUserIsRefusedUnlessItIsDeclaredSafe(t *testing.T) {
	t.Parallel()
	switch {
	case os.Geteuid() != 0 && runtime.GOOS == "linux" && os.Getenv("CI") == "true":
		t.Fatal("root is needed to give a folder away")
	case os.Geteuid() != 0:
		t.Skip("root is needed to give a folder away")
	}
	for _, part := range []string{"", ".git"} {
		for config, used := range map[string]bool{"": false, "directory = %": true, "directory = *\n\tdirectory =": false, "directory = */*": false} {
			above := repo(t)
			within := filepath.Join(above, "mine")
			put(t, within, "f", "x")
			if err := os.Lchown(filepath.Join(above, part), 65534, 65534); err != nil {
				t.Fatal(err)
			}
			global := filepath.Join(t.TempDir(), "config")
			put(t, filepath.Dir(global), "config", "[safe]\n\t"+strings.ReplaceAll(config, "%", above)+"\n")
			g := gitOf(t)
			g.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + global}
			_, err := g.Fingerprint(t.Context(), within)
			if used && err != nil {
				t.Errorf("%q given away, %q: %v", part, config, err)
			}
			if !used && (!errors.Is(err, workspace.ErrOdd) || !strings.Contains(err.Error(), "safe.directory '"+above+"'")) {
				t.Errorf("%q given away, %q: %v", part, config, err)
			}
		}
	}
}
