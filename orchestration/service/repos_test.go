package service_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

func TestTheRepositorySettlesWhereAQuestWorks(t *testing.T) {
	t.Parallel()
	repo, empty := sampleRepo(t), t.TempDir()
	git(t, repo, "branch", "release")
	first := git(t, repo, "rev-parse", "HEAD")
	git(t, empty, "init", "-q", "-b", "main")
	const shared, trees = orchestration.WorkspaceShared, orchestration.WorkspaceWorktree
	settle := func(dir string, mode orchestration.WorkspaceMode, base string) (orchestration.NewQuest, error) {
		return service.NewRepositories(workspace.Git{Dir: t.TempDir()}).Settle(t.Context(), orchestration.NewQuest{Repo: dir, Workspace: mode, Branch: base})
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
