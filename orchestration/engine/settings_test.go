package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

func TestSettingsChangeInOnePieceAndOutliveARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		repos := []record.RepoSettings{{Path: "/z", Setup: "npm ci"}, {Path: "/a", Links: []string{"node_modules"}, Copies: []string{".env"}}}
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) {
			s.Slots, s.Checks, s.Editor, s.Repos = 7, 5, "vscode://file{path}", repos
		}); err != nil {
			t.Fatal(err)
		}
		err := r.ChangeSettings(t.Context(), func(s *record.Settings) { s.Editor, s.Slots = "", 65 })
		if orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("65 slots: %v, want a refusal", err)
		}
		for _, n := range []int{-1, 65} {
			err := r.ChangeSettings(t.Context(), func(s *record.Settings) { s.Editor, s.Checks = "", n })
			if orchestration.CodeOf(err) != orchestration.CodeInvalid {
				t.Errorf("%d checks: %v, want a refusal", n, err)
			}
		}
		r.stop()
		r.start()
		defer r.stop()
		s, err := r.Settings(t.Context())
		if err != nil || s.Slots != 7 || r.Slots() != 7 || s.Checks != 5 || r.Checks() != 5 || s.Editor != "vscode://file{path}" {
			t.Errorf("%+v, %v: want what was set, and nothing of what was refused", s, err)
		}
		if len(s.Repos) != 2 || s.Repos[0].Path != "/a" || !slices.Equal(s.Repos[0].Copies, []string{".env"}) || s.Repos[1].Setup != "npm ci" {
			t.Errorf("repositories %+v, want both, by path", s.Repos)
		}
		s.Repos[0].Path = "/changed by a reader"
		if again, _ := r.Settings(t.Context()); again.Repos[0].Path != "/a" {
			t.Error("a reader changed the settings")
		}
	})
}

// What a run is told and may use is decided when it starts; what is changed
// while it goes on is for the next.
func TestRoleSettingsReachTheNextRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) {
			c.Prompt = func(_ *orchestration.Quest, _ *orchestration.Run, facts agents.PromptFacts) (string, error) {
				return "work " + facts.RoleText, nil
			}
		})
		defer r.stop()
		q := r.quest(2, func(n *orchestration.NewQuest) { n.Slots = 1 })
		first := r.runs.only()
		err := r.ChangeSettings(t.Context(), func(s *record.Settings) {
			s.SetRole(record.RoleSettings{Role: orchestration.Siegemaster, Prompt: "for another role"})
			s.SetRole(record.RoleSettings{Role: orchestration.Codeweaver, Prompt: "Write haiku.", Model: "haiku", Effort: "max",
				Allow: []string{"WebSearch"}, Deny: []string{"Task"}, Ask: []string{"WebFetch"}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.submit(q.ID, orchestration.StopPressed{Run: first.spec.RunID}); err != nil {
			t.Fatal(err)
		}
		first.exit(orchestration.EndInterrupted)
		synctest.Wait()
		second := r.runs.only().spec
		if first.spec.Model != "" || second.Model != "haiku" || second.Effort != "max" ||
			!slices.Equal(second.Allow, []string{"WebSearch"}) || !slices.Equal(second.Deny, []string{"Task"}) ||
			len(first.spec.Ask) != 0 || !slices.Equal(second.Ask, []string{"WebFetch"}) {
			t.Errorf("the runs started with %+v and %+v", first.spec, second)
		}
		if first.spec.Prompt != "work " || second.Prompt != "work Write haiku." {
			t.Errorf("the runs were told %q and %q", first.spec.Prompt, second.Prompt)
		}
		if first.spec.System == "" || second.System != first.spec.System {
			t.Errorf("the runs begin with %q and %q, want the same", first.spec.System, second.System)
		}
		if first.spec.BuiltIn != "" || second.BuiltIn != "work " {
			t.Errorf("beside the prompts is kept %q and %q, want the built-in text where it was replaced", first.spec.BuiltIn, second.BuiltIn)
		}
	})
}

// Timeouts of the settings go before those of the flags, for runs that start
// from then on; where they are taken away again the flags count.
func TestTimeoutsOfTheSettingsCountFromTheNextRunOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		before := r.runs.only()
		err := r.ChangeSettings(t.Context(), func(s *record.Settings) {
			s.Timeouts = record.Timeouts{Stuck: 3 * minute, Backoff: 2 * minute, Ward: 5 * minute}
		})
		if err != nil {
			t.Fatal(err)
		}
		q := r.quest(1)
		if q.Backoff.First != 2*minute || q.Backoff.Max != 60*minute {
			t.Errorf("the backoff of a new quest: %+v", q.Backoff)
		}
		after := r.runs.of("step-1")
		if d := endedAfter(t, after, after.born); d != 3*minute {
			t.Errorf("a new run was ended after %s, want 3m", d)
		}
		if d := endedAfter(t, before, before.born); d != 10*minute {
			t.Errorf("the run that went on already was ended after %s, want 10m", d)
		}
	})
}

// Who plans or builds is told what the repository is like. If that cannot be found out,
// the run starts without it.
func TestTheMapReachesThePrompt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told []string
		r := newRig(t, func(c *engine.Config) {
			c.Map = func(_ context.Context, q *orchestration.Quest) (agents.RepoMap, error) {
				if len(told) == 2 {
					return agents.RepoMap{}, errors.New("git is slow")
				}
				return agents.RepoMap{Text: "the map of " + q.Repo}, nil
			}
			c.Prompt = func(_ *orchestration.Quest, run *orchestration.Run, facts agents.PromptFacts) (string, error) {
				told = append(told, string(run.Role)+": "+facts.Map.Text)
				return "work", nil
			}
		})
		defer r.stop()
		r.quest(2, func(n *orchestration.NewQuest) { n.Slots = 1 })
		for range 6 {
			if live := r.runs.only(); live.spec.Role == orchestration.Ward {
				live.exit(orchestration.EndWardPassed)
			} else {
				r.complete(live)
			}
		}
		want := []string{"codeweaver: the map of /repo", "siegemaster: ", "codeweaver: "}
		if len(told) < 3 || !slices.Equal(told[:3], want) {
			t.Errorf("told %q", told)
		}
	})
}
