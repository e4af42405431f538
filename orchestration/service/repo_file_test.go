package service_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// ownFiles answers for every repository, and notes which base was asked for.
type ownFiles struct {
	handlerstest.Repos
	asked *[]string
	err   error
}

func (o ownFiles) RepoFile(_ context.Context, _, base string) (service.RepoFile, error) {
	*o.asked = append(*o.asked, base)
	return o.Own, o.err
}

func fileWith(text string) service.RepoFile {
	return service.RepoFile{
		File:   &orchestration.RepoFile{Commit: "c1", Check: "make check"},
		Config: record.RepoConfig{Own: true, Files: []record.WantedFile{{Path: ".questboard/config.yaml", Sum: text}}}.Sealed(),
	}
}

func TestAFileThatIsNotTrustedDoesNotCount(t *testing.T) {
	t.Parallel()
	trusted := fileWith("1")
	faulty := service.RepoFile{Config: record.RepoConfig{Own: true, Faults: []string{"line 1"}}.Sealed()}
	for _, c := range []struct {
		name  string
		own   service.RepoFile
		state string
	}{{"none", service.RepoFile{}, ""}, {"untrusted", trusted, "untrusted"}, {"trusted", trusted, "counts"}, {"changed", fileWith("2"), "changed"}, {"faulty", faulty, "faulty"}} {
		b, asked := newBeginning(), []string{}
		b.Repos = ownFiles{Repos: handlerstest.Repos{Own: c.own}, asked: &asked}
		if c.name == "trusted" || c.name == "changed" {
			if err := b.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.AddTrust("/repo", trusted.Config, time.Unix(1, 0)) }); err != nil {
				t.Fatal(err)
			}
		}
		q := b.begin(t, service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceWorktree)})
		events, err := b.Quests.Events(t.Context(), q.ID, orchestration.EventFilter{N: 1000})
		if err != nil {
			t.Fatal(err)
		}
		counts := c.state == "counts"
		if (q.File != nil) != counts || (q.Ward == "make check") != counts || events[0].Data["file"] != c.state {
			t.Errorf("%s: file %+v, check %q, history %v", c.name, q.File, q.Ward, events[0].Data)
		}
	}
}

// Agents that work in the repository itself start from what is checked out.
func TestTheFileIsReadFromTheBaseThatTheQuestStartsFrom(t *testing.T) {
	t.Parallel()
	b, asked := newBeginning(), []string{}
	b.Repos = ownFiles{asked: &asked}
	b.begin(t, service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceWorktree)})
	b.begin(t, service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceShared)})
	if len(asked) != 2 || asked[0] != "main" || asked[1] != "" {
		t.Errorf("read from %q", asked)
	}
}

func TestAFileThatGitCannotReadRefusesTheQuest(t *testing.T) {
	t.Parallel()
	b, asked := newBeginning(), []string{}
	b.Repos = ownFiles{asked: &asked, err: errors.New("a broken disk")}
	_, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceWorktree)})
	if all, _ := b.Quests.Quests(t.Context()); orchestration.CodeOf(err) != orchestration.CodeInvalid || len(all) != 0 {
		t.Errorf("%v, %d quests", err, len(all))
	}
}
