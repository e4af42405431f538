package service_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/patience"
)

func TestTheRepositorySettlesWhereAQuestWorks(t *testing.T) {
	t.Parallel()
	repo, empty := sampleRepo(t), t.TempDir()
	git(t, repo, "branch", "release")
	first := git(t, repo, "rev-parse", "HEAD")
	git(t, empty, "init", "-q", "-b", "main")
	const shared, trees = orchestration.WorkspaceShared, orchestration.WorkspaceWorktree
	settle := func(dir string, mode orchestration.WorkspaceMode, base string) (orchestration.NewQuest, error) {
		return service.NewRepositories(workspace.Git{Dir: t.TempDir()}).WithDefaults(t.Context(), orchestration.NewQuest{Repo: dir, Workspace: mode, Branch: base})
	}
	for _, c := range []struct {
		dir  string
		mode orchestration.WorkspaceMode
		base string
		want orchestration.NewQuest
	}{
		{repo + "/", "", "", orchestration.NewQuest{Repo: repo, Workspace: trees, Branch: "main"}},
		{repo, trees, "release", orchestration.NewQuest{Repo: repo, Workspace: trees, Branch: "release"}},
		{repo, "", first[:12], orchestration.NewQuest{Repo: repo, Workspace: trees, Branch: first}},
		{repo, shared, "", orchestration.NewQuest{Repo: repo, Workspace: shared, Branch: "main"}},
		{empty, "", "", orchestration.NewQuest{Repo: empty, Workspace: shared, Branch: "main"}},
	} {
		got, err := settle(c.dir, c.mode, c.base)
		if err != nil || got.Repo != c.want.Repo || got.Workspace != c.want.Workspace || got.Branch != c.want.Branch {
			t.Errorf("%s %s %s: %+v, %v; want %+v", c.dir, c.mode, c.base, got, err, c.want)
		}
	}
	bare := filepath.Join(t.TempDir(), "bare")
	git(t, repo, "init", "-q", "--bare", bare)
	for _, c := range []struct {
		dir  string
		mode orchestration.WorkspaceMode
		base string
		says []string
	}{
		{empty, trees, "", []string{"workspace: ", "no commit yet", "make a first commit"}},
		{bare, "", "", []string{"repo: ", "bare", "Clone it"}},
		{repo, trees, "nowhere", []string{"base: ", `no branch or commit "nowhere"`}},
		{repo, shared, "release", []string{"base: ", "leave the base out"}},
		{t.TempDir(), "", "", []string{"repo: ", "not a git repository", "git init"}},
		{"/nowhere/at/all", "", "", []string{"repo: ", "does not exist"}},
	} {
		_, err := settle(c.dir, c.mode, c.base)
		refused(t, err, orchestration.CodeInvalid, c.says...)
	}
	git(t, repo, "checkout", "-q", "--detach")
	if got, err := settle(repo, "", ""); err != nil || got.Branch != first {
		t.Errorf("a detached head: %q, %v; want the commit", got.Branch, err)
	}
}

func TestALookTellsWhatAPersonMayNotExpect(t *testing.T) {
	t.Parallel()
	repo := sampleRepo(t)
	look := func(dir string) service.Repository {
		got, err := service.NewRepositories(workspace.Git{Dir: t.TempDir()}).Look(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got, want := look(repo), (service.Repository{Path: repo, Branch: "main"}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	write(t, filepath.Join(repo, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	write(t, filepath.Join(repo, ".gitmodules"), "[submodule \"x\"]\n\tpath = x\n\turl = ../x\n")
	git(t, repo, "checkout", "-q", "--detach")
	if got, want := look(repo), (service.Repository{Path: repo, Changed: 2, Submodules: true, LFS: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := look("/nowhere/at/all"); got.Fault == "" {
		t.Error("a folder that is not there will do")
	}
}

func TestAPathIsCompletedWithFoldersOfThisMachine(t *testing.T) {
	t.Parallel()
	home, folders := t.TempDir(), service.NewRepositories(workspace.Git{})
	for _, name := range []string{"billing", "billing-old", "books", ".git", "ünï <b>"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "bill.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string][]string{
		"/bil": {"billing", "billing-old"}, "/": {"billing", "billing-old", "books", "ünï <b>"}, "/.": {".git"}, "/billing/": nil, "/none/x": nil, "/bill.txt/": nil,
	} {
		var got []string
		for _, folder := range folders.Folders(home + typed) {
			got = append(got, filepath.Base(folder))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", typed, got, want)
		}
	}
	for i := range 30 {
		if err := os.Mkdir(filepath.Join(home, "books", fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(folders.Folders(home + "/books/")); n != 20 {
		t.Errorf("%d folders of 30", n)
	}
	if got := folders.Folders("bil"); got != nil {
		t.Errorf("a relative path: %v", got)
	}
}

// A board must not walk through a quest's trees at every change; what the user
// is asked to trust is what is there.
func TestBoardsLookNowAndThen_trustLooksAgain(t *testing.T) {
	t.Parallel()
	r, dir := service.NewRepositories(workspace.Git{Dir: t.TempDir()}), t.TempDir()
	if before, err := r.CachedRepoConfig(dir); err != nil || !before.Nothing() {
		t.Fatalf("an empty folder wants %+v, %v", before, err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"x":{"command":"x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if lately, err := r.CachedRepoConfig(dir); err != nil || !lately.Nothing() {
		t.Errorf("a board looked again at once: %+v, %v", lately, err)
	}
	if now, err := r.RepoConfig(dir); err != nil || now.Nothing() {
		t.Errorf("trust was decided by an old look: %+v, %v", now, err)
	}
}

// A folder on a network that is away holds who reads it. A board shows what it knew.
func TestABoardDoesNotWaitForAFolderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r, dir := service.NewRepositories(workspace.Git{Dir: t.TempDir()}), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"x":{"command":"x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := r.CachedRepoConfig(dir)
	if err != nil || want.Nothing() {
		t.Fatalf("%+v, %v", want, err)
	}
	r.Outdate()
	answers := make(chan struct{})
	r.LookWith(func(dir string) (record.RepoConfig, error) { <-answers; return service.RepoConfigOf(dir) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			if got, err := r.CachedRepoConfig(dir); err != nil || got.Hash != want.Hash {
				t.Errorf("%+v, %v", got, err)
			}
			if got, err := r.CachedRepoConfig("/never/seen"); !errors.Is(err, patience.ErrNoAnswer) {
				t.Errorf("a folder that never answered: %+v, %v", got, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(40 * time.Second):
		t.Error("it waits for the folder")
	}
	close(answers)
	<-done
}
