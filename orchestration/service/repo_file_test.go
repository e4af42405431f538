package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"questboard/agents/workspace"
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

// A base that is not there has no file, and is no base either. A folder without git and a
// repository without a commit have no file.
func TestTheFileOfABaseThatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	repo, empty := sampleRepo(t), t.TempDir()
	git(t, empty, "init", "-q", "-b", "main")
	blob := git(t, repo, "rev-parse", "HEAD:a.txt")
	repos := service.NewRepositories(workspace.Git{Dir: t.TempDir()})
	for _, base := range []string{"nowhere", strings.Repeat("0123456789", 4), blob, "a\x00b", "-x", "a b"} {
		_, err := repos.RepoFile(t.Context(), repo, base)
		refused(t, err, orchestration.CodeInvalid, "base: there is no branch or commit", repo)
	}
	for dir, base := range map[string]string{repo: "main", empty: "", t.TempDir(): ""} {
		if found, err := repos.RepoFile(t.Context(), dir, base); err != nil || !found.Config.Nothing() {
			t.Errorf("%s at %q: %+v, %v", dir, base, found, err)
		}
	}
}

// What a person was shown of the file applies, or the quest does not start and nothing is
// saved. Nobody else is asked: a nil Shown takes what is there.
func TestAQuestStartsOnlyWithTheFileThatWasShown(t *testing.T) {
	t.Parallel()
	one, two, none := fileWith("1"), fileWith("2"), service.RepoFile{Config: record.RepoConfig{Own: true}.Sealed()}
	counts := func(f service.RepoFile) string { return service.ShownFile(f.Config.Hash, service.RepoFileCounts) }
	ignored := func(f service.RepoFile) string { return service.ShownFile(f.Config.Hash, service.RepoFileUntrusted) }
	for name, c := range map[string]struct {
		shown   string
		now     service.RepoFile
		trusted bool
		why     string // of the refusal; empty: it starts
	}{
		"none, as shown":               {"", none, false, ""},
		"it counts, as shown":          {counts(one), one, true, ""},
		"it does not count, as shown":  {ignored(one), one, false, ""},
		"changed, so it does not":      {counts(one), two, false, "another content than you were shown"},
		"changed, and both count":      {counts(two), one, true, "another content than you were shown"},
		"changed, and neither counted": {ignored(one), two, false, "another content than you were shown"},
		"it is gone":                   {counts(one), none, true, "is not there any more"},
		"it is new":                    {"", one, false, "which you were not shown yet"},
		"trusted since":                {ignored(one), one, true, "counts now, because you have trusted it"},
		"withdrawn since":              {counts(one), one, false, "does not count any more"},
	} {
		b, asked := newBeginning(), []string{}
		b.Repos = ownFiles{Repos: handlerstest.Repos{Own: c.now}, asked: &asked}
		if c.trusted {
			if err := b.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.AddTrust("/repo", one.Config, time.Unix(1, 0)) }); err != nil {
				t.Fatal(err)
			}
		}
		order := service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceWorktree), Shown: &c.shown, Needs: &record.RepoSettings{Setup: "npm ci"}}
		_, err := b.Begin(t.Context(), order)
		quests, _ := b.Quests.Quests(t.Context())
		settings, _ := b.settings.Settings(t.Context())
		var refusal *orchestration.Error
		switch {
		case c.why == "":
			if err != nil || len(quests) != 1 {
				t.Errorf("%s: %v, %d quests", name, err, len(quests))
			}
		case !errors.As(err, &refusal) || refusal.Code != orchestration.CodeConflict || !strings.Contains(refusal.Fields[service.FieldFile], c.why):
			t.Errorf("%s: %v", name, err)
		case len(quests)+len(settings.Repos) != 0:
			t.Errorf("%s: %d quests, and saved: %v", name, len(quests), settings.Repos)
		}
		order.Shown = nil
		if c.why != "" {
			b.begin(t, order)
		}
	}
}
