package workspace_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/agentstest"
	"questboard/agents/workspace"
)

var hostileNames = flag.Int("names", 15, "hostile names of branches, lines and summaries")

// init lets the test binary act as git. Under that name it records how it was called,
// in the folder that it was called from, and then runs git. If there is strace, that
// records what git starts.
func init() {
	if filepath.Base(os.Args[0]) != "noting-git" {
		return
	}
	notes := filepath.Dir(os.Args[0])
	var args [][]byte // not strings, because JSON would replace broken UTF-8
	for _, arg := range os.Args[1:] {
		args = append(args, []byte(arg))
	}
	line, _ := json.Marshal(args)
	f, err := os.OpenFile(filepath.Join(notes, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	argv := append([]string{"git"}, os.Args[1:]...)
	if _, traced := os.Stat(filepath.Join(notes, "trace")); traced == nil {
		argv = append([]string{"strace", "-f", "-qq", "-e", "trace=execve", "-o", filepath.Join(notes, fmt.Sprint("execve.", os.Getpid()))}, argv...)
	}
	exe, look := exec.LookPath(argv[0])
	if err == nil && look == nil {
		err = syscall.Exec(exe, argv, os.Environ())
	}
	fmt.Fprintln(os.Stderr, err, look)
	os.Exit(125)
}

// noted is a git that records its calls.
type noted struct {
	dir    string
	git    workspace.Git
	traced bool
}

func noting(t *testing.T) *noted {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := &noted{dir: t.TempDir()}
	n.git.Exe = filepath.Join(n.dir, "noting-git")
	if err := os.Symlink(exe, n.git.Exe); err != nil {
		t.Fatal(err)
	}
	if exec.Command("strace", "-qq", "-o", os.DevNull, "true").Run() == nil {
		n.traced = true
		put(t, n.dir, "trace", "")
	}
	return n
}

// calls returns the command and arguments of each call of git since the last time,
// without the settings before them.
func (n *noted) calls(t *testing.T) [][]string {
	t.Helper()
	name := filepath.Join(n.dir, "calls")
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_ = os.Remove(name)
	var all [][]string
	for line := range strings.Lines(string(text)) {
		var args [][]byte
		if err := json.Unmarshal([]byte(line), &args); err != nil {
			t.Fatal(err)
		}
		var argv []string
		for _, arg := range args {
			argv = append(argv, string(arg))
		}
		for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
			if argv[0] == "-c" {
				argv = argv[1:]
			}
			argv = argv[1:]
		}
		all = append(all, argv)
	}
	return all
}

// shells returns the shells that git started.
func (n *noted) shells(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(n.dir, "execve.*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			for _, shell := range []string{`/sh"`, `/bash"`, `/dash"`} {
				if strings.Contains(line, `execve("`) && strings.Contains(strings.SplitN(line, ",", 2)[0], shell) {
					all = append(all, line)
				}
			}
		}
	}
	return all
}

// docs/hardening.md#web, T1.7: branches, summaries and file names that begin with "-" or
// contain shell syntax reach git as data, and no shell is started.
func TestHostileNamesReachGitAsData(t *testing.T) {
	t.Parallel()
	n := noting(t)
	g := newTreesTest(t, repo(t))
	n.git.Dir = g.trees.Git.Dir
	g.trees.Git = n.git
	mark := filepath.Join(t.TempDir(), "mark")
	put(t, g.dir("one"), "kept.txt", "kept\n")
	if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
		t.Fatal(err)
	}
	kept, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1")
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	n.calls(t)
	for _, name := range agentstest.HostileNames(*hostileNames, mark) {
		wantBase(t, n, g.ref.Repo, name)
	}
	for _, name := range agentstest.HostileNames(*hostileNames, mark) {
		wantRestored(t, n, g, kept[0].Ref, name)
	}
	n.calls(t)
	dir := g.dir("two")
	var files []string
	seen := map[string]bool{}
	for i, name := range agentstest.HostileNames(*hostileNames, mark) {
		file := strings.ReplaceAll(strings.ReplaceAll(name, "/", "|"), "\x00", "0")
		if len(file) > 200 || file == ".." || seen[file] {
			file = fmt.Sprint("-", i)
		}
		files, seen[file] = append(files, file), true
		put(t, dir, file, "x\n")
		if i%10 != 0 {
			continue
		}
		c, err := g.trees.Commit(t.Context(), g.ref, "two", workspace.Stamp{Run: "q1-r1", Role: "codeweaver", Summary: name})
		if err != nil {
			t.Fatalf("commit %q with %q: %v", files, clip(name), err)
		}
		if slices.Sort(files); !slices.Equal(c.Files, files) {
			t.Errorf("committed %q, want %q", c.Files, files)
		}
		files = nil
		for _, call := range n.calls(t) {
			for _, arg := range call {
				if len(name) > 4 && strings.Contains(arg, name) {
					t.Errorf("the summary %q is in the arguments %q", clip(name), call)
				}
			}
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a shell read a name")
	}
	if shells := n.shells(t); len(shells) > 0 {
		t.Errorf("%d shells were started: %s", len(shells), shells[0])
	}
	// Show that the trap works: git runs an alias with a shell.
	if out, err := exec.Command(n.git.Exe, "-c", "alias.x=!true;true", "x").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if n.traced && len(n.shells(t)) == 0 {
		t.Error("a shell would not be noticed")
	}
	if !n.traced {
		t.Log("without strace only the calls and the marks were looked at")
	}
}

// wantBase checks that the whole name of a base comes after "--" or "--end-of-options".
func wantBase(t *testing.T, n *noted, repo, name string) {
	t.Helper()
	base, err := n.git.Base(t.Context(), repo, name)
	branch := "refs/heads/" + strings.TrimPrefix(name, "refs/heads/")
	want := [][]string{{"show-ref", "--verify", "--quiet", "--", branch},
		{"rev-parse", "--verify", "--quiet", "--end-of-options", branch + "^{commit}"},
		{"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}}
	switch got := n.calls(t); {
	case strings.ContainsRune(name, 0), len(name) > 128<<10:
		want = nil // an argument cannot contain it
		fallthrough
	case base == "main" && err == nil:
		if len(got) > 1 {
			t.Errorf("base %q: %q", clip(name), got)
		}
	case !slices.EqualFunc(got, want, slices.Equal):
		t.Errorf("base %q was asked for with %q, want %q", clip(name), got, want)
	}
	if want == nil && err == nil {
		t.Errorf("base %q was found", clip(name))
	}
}

// wantRestored checks that git gets a branch's name as a complete reference to check
// it, and then on standard input.
func wantRestored(t *testing.T, n *noted, g *treesTest, kept, name string) {
	t.Helper()
	err := g.trees.Restore(t.Context(), g.ref.Repo, kept, name)
	if err == nil && strings.HasPrefix(name, "-") {
		t.Errorf("the branch %q was made", clip(name))
	}
	for _, call := range n.calls(t) {
		if call[0] == "check-ref-format" {
			if !slices.Equal(call[1:], []string{"refs/heads/" + name}) {
				t.Errorf("the branch %q was checked as %q", clip(name), call)
			}
			continue
		}
		for _, arg := range call {
			if len(name) > 4 && strings.Contains(arg, name) {
				t.Errorf("the branch %q is in the arguments %q", clip(name), call)
			}
		}
	}
}

func clip(s string) string { return s[:min(len(s), 80)] }
