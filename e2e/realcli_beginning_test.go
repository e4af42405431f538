package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// told gives a rig's run what the server would tell it.
func (r *rig) told(start orchestration.StartKind) {
	r.t.Helper()
	run := *r.quests.run
	run.Visit, run.Start = 1, start
	if start.Resumes() {
		run.ResumedFrom = "q1-r0"
	}
	var err error
	if r.spec.System, err = agents.System(r.quests.quest(), "claude"); err != nil {
		r.t.Fatal(err)
	}
	if r.spec.Prompt, err = agents.Prompt(r.quests.quest(), &run, agents.PromptFacts{Dir: r.spec.Dir}); err != nil {
		r.t.Fatal(err)
	}
}

// The system prompt and the list of tools are the same for all roles, byte for byte, each
// in a worktree of its own, in fresh sessions as in resumed ones. So it is with the oldest
// supported release, too.
func TestRealCLIEveryRoleBeginsTheSame(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(slices.Clone(orchestration.Roles), func(r orchestration.Role) bool { return !r.Agent() })
	for version, roles := range map[string][]orchestration.Role{cliVersion: all, oldestCLI: {orchestration.PathSeeker, orchestration.Codeweaver}} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var tools, system, home, repo string
			for i, role := range roles {
				r := newRig(t, version, role, func(req agentstest.Request) agentstest.Reply {
					if _, turn := req.Since("[questboard] quest="); turn == 0 {
						return agentstest.Say(signal("complete", "s1", "summary", "done"))
					}
					return agentstest.Say(say("Done."))
				})
				if i == 0 {
					home, repo = r.home(), r.spec.Dir
				}
				for n, entry := range r.config.Environ { // one user, one repository
					if strings.HasPrefix(entry, "HOME=") {
						r.config.Environ[n] = "HOME=" + home
					}
				}
				r.config.Model = "claude-opus-4-8" // with no model, the oldest release takes another one at its very first start
				r.spec.Dir = t.TempDir() + "/tree"
				gitText(t, repo, "worktree", "add", "-q", "-b", string(role), r.spec.Dir)
				r.told(orchestration.StartFresh)
				r.play()
				r.spec.Resume, r.spec.RunID = true, "q1-r2"
				r.told(orchestration.StartNudge)
				r.play()
				if i == 0 {
					tools, system = r.model.Requests()[0].Beginning()
				}
				if n := len(r.quests.signals()); n != 2 {
					t.Fatalf("%s signalled %d times, want twice\n%s", role, n, r.output())
				}
				for _, req := range r.model.Requests() {
					otherTools, otherSystem := req.Beginning()
					if otherTools != tools || otherSystem != system {
						t.Errorf("%s begins differently:\n%s\n%s", role, cmp.Diff(tools, otherTools), cmp.Diff(system, otherSystem))
					}
				}
			}
			for _, part := range []string{"Your text is not read by anybody", "PLATYPUS"} {
				if !strings.Contains(system, part) {
					t.Errorf("the system prompt does not say %q", part)
				}
			}
		})
	}
}

// A compaction in the middle of a run leaves what every run is told in each request. The
// first message is gone with its role and its stepId; get-quest has them.
func TestRealCLIKeepsItsBeginningThroughACompaction(t *testing.T) {
	t.Parallel()
	compacted := false
	r := newRig(t, cliVersion, orchestration.Siegemaster, func(req agentstest.Request) agentstest.Reply {
		switch {
		case req.Compacts():
			compacted = true
			return agentstest.Say(agentstest.Text("<analysis>I looked around.</analysis>\n<summary>I was looking around.</summary>"))
		case !compacted:
			return agentstest.Say(run("ls")).Filling(990_000)
		case !strings.Contains(req.Text(), `"stepId":"s1"`):
			return agentstest.Say(agentstest.Use(agents.ToolPrefix+"get-quest", map[string]string{"part": "contract"}))
		}
		return done(req)
	})
	r.told(orchestration.StartFresh)
	if ended := r.play(); ended.End != orchestration.EndClean || len(r.quests.signals()) != 1 || !compacted {
		t.Fatalf("ended %+v, signals %v, compacted %v\n%s", ended, r.quests.signals(), compacted, r.output())
	}
	requests := r.model.Requests()
	tools, system := requests[0].Beginning()
	after, contract := 0, ""
	for i, req := range requests {
		if nowTools, nowSystem := req.Beginning(); nowTools != tools || nowSystem != system || !strings.Contains(nowSystem, "Your text is not read by anybody") {
			t.Errorf("request %d begins differently: %s", i, cmp.Diff(system, nowSystem))
		}
		if !strings.Contains(req.Text(), "# Your contract") {
			after++
		}
		if text, _ := req.LastResult(); strings.HasPrefix(text, `{"role":`) {
			contract = text
		}
	}
	var told struct {
		Role, StepID string
		Signals      []string
		MCPTools     []string
		Tools        []string
		Commands     string
	}
	if err := json.Unmarshal([]byte(contract), &told); err != nil || told.Role != "siegemaster" || told.StepID != "s1" ||
		!slices.Equal(told.Signals, []string{"complete", "partially-complete", "needs-user-input", "needs-role-followup"}) || !slices.Contains(told.Tools, "Edit") ||
		!slices.Equal(told.MCPTools, []string{"signal-back", "get-quest"}) || told.Commands != "every command" {
		t.Errorf("the contract is %s, %v", contract, err)
	}
	if after == 0 {
		t.Error("the first message was never gone: nothing is tested")
	}
}
