package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

func TestCheckTellsTheFacts(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	want := workspace.Facts{Path: dir, Exists: true, Directory: true, Writable: true, Git: true, Toplevel: dir, Branch: "main", Commits: true, Clean: true}
	check := func(what, path string) {
		t.Helper()
		if got, err := gitOf(t).Check(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: %+v, %v\nwant %+v", what, got, err, want)
		}
	}
	check("clean", dir+"/")
	for i, name := range oddNames {
		put(t, dir, name, "x")
		want.Clean, want.Changed = false, i+1
	}
	check("odd names", dir)
	git(t, dir, "checkout", "-q", "--detach")
	want.Branch, want.Detached = "", true
	check("detached", dir)
	put(t, dir, "sub/f", "x")
	want.Path, want.Changed = dir+"/sub", want.Changed+1
	check("a folder within", dir+"/sub")
}

func TestCheckTellsWhatAWorktreeMayLack(t *testing.T) {
	t.Parallel()
	for text, want := range map[[2]string]workspace.Facts{
		{".gitmodules", "[submodule \"s\"]\n\tpath = s\n"}: {Submodules: true},
		{".gitmodules", ""}: {},
		{".gitattributes", "*.txt text\n*.bin filter=lfs diff=lfs\n"}: {LFS: true},
		{".gitattributes", "# *.bin filter=lfs\n*.bin filter=lfsx\n"}: {},
	} {
		dir := repo(t)
		put(t, dir, text[0], text[1])
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", "second")
		want.Path, want.Toplevel, want.Branch = dir, dir, "main"
		want.Exists, want.Directory, want.Writable, want.Git, want.Commits, want.Clean = true, true, true, true, true, true
		if got, err := gitOf(t).Check(t.Context(), dir); err != nil || got != want {
			t.Errorf("%q: %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

// If a repository cannot have worktrees, Check also returns the facts about it.
func TestCheckTellsTheFactsOfAnEmptyAndABareRepository(t *testing.T) {
	t.Parallel()
	empty, bare, named := t.TempDir(), t.TempDir(), t.TempDir()
	git(t, empty, "init", "-q", "-b", "main")
	put(t, empty, "a.txt", "x")
	facts, err := gitOf(t).Check(t.Context(), empty)
	if err != nil || !facts.Git || facts.Commits || facts.Bare || facts.Detached || facts.Branch != "main" || facts.Changed != 1 {
		t.Errorf("empty: %+v, %v", facts, err)
	}
	git(t, bare, "init", "-q", "--bare")
	git(t, named, "init", "-q", "--bare", ".git")
	for _, dir := range []string{bare, named} {
		facts, err = gitOf(t).Check(t.Context(), dir)
		var fault *workspace.Fault
		if !errors.As(err, &fault) || !facts.Git || !facts.Bare || facts.Toplevel != "" {
			t.Errorf("bare: %+v, %v", facts, err)
		}
		if want := dir + " is a bare repository"; fault != nil && !strings.Contains(fault.Reason, want) {
			t.Errorf("%q does not say %q", fault.Reason, want)
		}
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "file", "")
	odd := filepath.Join(dir, "-x\n$(y) 日本")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(dir, "bare")
	git(t, dir, "init", "-q", "--bare", bare)
	readOnly := map[string]string{"linux": "/proc/sys", "darwin": "/System"}[runtime.GOOS]
	for path, code := range map[string]workspace.FaultCode{
		"":             workspace.FaultRelative,
		"repo":         workspace.FaultRelative,
		"~/repo":       workspace.FaultRelative,
		"/tmp\x00/x":   workspace.FaultRelative,
		dir + "/none":  workspace.FaultMissing,
		dir + "/file":  workspace.FaultNoDirectory,
		readOnly:       workspace.FaultNotWritable,
		odd:            workspace.FaultNoGit,
		bare:           workspace.FaultGit,
		dir + "/file/": workspace.FaultNoDirectory,
	} {
		_, err := gitOf(t).Check(t.Context(), path)
		var fault *workspace.Fault
		if !errors.As(err, &fault) || fault.Code != code || fault.Reason == "" {
			t.Errorf("%q: %v, want a fault %q", path, err, code)
		}
	}
	without := gitOf(t)
	without.Exe = "/no/git"
	_, err := without.Check(t.Context(), repo(t))
	if fault := (*workspace.Fault)(nil); !errors.As(err, &fault) || fault.Code != workspace.FaultGit {
		t.Errorf("without git: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gitOf(t).Check(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestChangesDescribeWhatIsNotCommitted(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	shared := workspace.Shared{Git: gitOf(t)}
	home, err := shared.Dir(t.Context(), &orchestration.Quest{Repo: dir}, "any")
	if err != nil || home != dir {
		t.Fatal(home, err)
	}
	changes := func() string {
		t.Helper()
		got, err := shared.Changes(t.Context(), dir)
		if err != nil || len(got) > workspace.ChangesMax || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		return got
	}
	if got := changes(); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
	put(t, dir, "a.txt", "two\n")
	for _, name := range oddNames {
		put(t, dir, name, "x")
	}
	got := changes()
	for _, want := range []string{"  a.txt\n", "-one\n+two\n", "1 file changed", `  "new\nline"` + "\n", "  -rf\n", "  日本語 𝄞\n", `"\xff\xfe"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	put(t, dir, "a.txt", strings.Repeat("日本\n", 50_000))
	if got := changes(); !strings.HasSuffix(got, "see git status and git diff]\n") || len(got) < workspace.ChangesMax-10 {
		t.Errorf("%d bytes, ending %q", len(got), got[max(0, len(got)-80):])
	}
	if got, err := shared.Changes(t.Context(), t.TempDir()); err != nil || !strings.Contains(got, "not a git repository") {
		t.Errorf("without git: %q, %v", got, err)
	}
	empty := t.TempDir()
	git(t, empty, "init", "-q")
	put(t, empty, "first", "x")
	git(t, empty, "add", "-A")
	if got, err := shared.Changes(t.Context(), empty); err != nil || !strings.Contains(got, "+x") {
		t.Errorf("before the first commit: %q, %v", got, err)
	}
}

func TestABaseIsABranchByNameOrACommit(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	first := gitOutput(t, dir, "rev-parse", "HEAD")
	git(t, dir, "branch", "feature/x")
	git(t, dir, "tag", "v1")
	put(t, dir, "b.txt", "two\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	base := func(revision string) string {
		got, err := gitOf(t).Base(t.Context(), dir, revision)
		if err != nil {
			t.Errorf("%q: %v", revision, err)
		}
		return got
	}
	for revision, want := range map[string]string{"": "main", "main": "main", "refs/heads/main": "main", "feature/x": "feature/x",
		"v1": first, "HEAD~1": first, first[:10]: first} {
		if got := base(revision); got != want {
			t.Errorf("%q: %q, want %q", revision, got, want)
		}
	}
	for _, revision := range []string{"nowhere", "-x", "--help", "main^{tree}", "a b", "\x00", "main\nmain", "HEAD~9", ":/x"} {
		if got, err := gitOf(t).Base(t.Context(), dir, revision); !errors.Is(err, workspace.ErrNoRevision) {
			t.Errorf("%q: %q, %v; want ErrNoRevision", revision, got, err)
		}
	}
	git(t, dir, "checkout", "-q", "--detach", "HEAD~1")
	if got := base(""); got != first {
		t.Errorf("a detached head: %q, want the commit", got)
	}
}

// A repository on a network disk that is away holds who looks at it. Boards ask for the place of
// every step.
func TestAPlaceDoesNotWaitForARepositoryThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	part := filepath.Join(dir, "web")
	put(t, part, "x.txt", "x\n")
	trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
	ref := workspace.Ref{Quest: "q", Repo: part}
	want, _ := trees.Place(ref, "one")
	answers := make(chan struct{})
	trees.LookWith(func(dir string) string { <-answers; return workspace.Within(dir) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			if got, exists := trees.Place(ref, "one"); got != want || exists {
				t.Errorf("%s (%t), want %s, as it was", got, exists, want)
			}
			if got, exists := trees.Place(workspace.Ref{Quest: "q2", Repo: dir}, "one"); got != "" || exists {
				t.Errorf("of a repository that never answered: %s (%t)", got, exists)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(40 * time.Second):
		t.Error("it waits for the repository")
	}
	close(answers)
	<-done
	if got, _ := trees.Place(ref, "one"); got != want {
		t.Errorf("it answers again: %s, want %s", got, want)
	}
}

func TestAPlaceIsWhereTheStepWorks(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, "web/app/x.txt", "x\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "a folder")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "web", "app"), link); err != nil {
		t.Fatal(err)
	}
	for i, at := range []string{dir, filepath.Join(dir, "web", "app"), link} {
		trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
		ref := workspace.Ref{Quest: "q" + string(rune('a'+i)), Repo: at}
		if _, exists := trees.Place(ref, "one"); exists {
			t.Error("it is there before it was made")
		}
		if _, err := trees.Begin(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"plan", "one"} {
			want, err := trees.Dir(t.Context(), ref, step)
			if err != nil {
				t.Fatal(err)
			}
			if got, exists := trees.Place(ref, step); got != want || !exists {
				t.Errorf("%s of %s: %s (%t), want %s", step, at, got, exists, want)
			}
		}
		common, err := trees.TreesGit(ref.Quest)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(common, "worktrees", ref.Quest+"+one", "questboard-ready")); err != nil {
			t.Fatal(err)
		}
		if _, exists := trees.Place(ref, "one"); exists {
			t.Error("a tree that is half made is called whole")
		}
	}
	if got, exists := newTrees("/").Place(workspace.Ref{Quest: "../etc", Repo: dir}, "one"); got != "" || exists {
		t.Errorf("a name that leaves the folder: %s", got)
	}
}
