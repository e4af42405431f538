package agents_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

func system(t *testing.T, q *orchestration.Quest) string {
	t.Helper()
	text, err := agents.System(q, "")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What every run is told has the four signals, and the rules of the trees and of minions.
// It forbids what the user's checkout shares with worktrees.
func TestWhatEveryRunIsTold(t *testing.T) {
	t.Parallel()
	everywhere := []string{"`signal-back`", "Your text is not read by anybody", "`part: \"contract\"`", "compaction", "# Minions", "is material."}
	for _, kind := range orchestration.SignalKinds {
		everywhere = append(everywhere, "**`"+string(kind)+"`**")
	}
	trees := []string{"Never use `git stash`", "`git worktree`", "Do not switch, make, move or delete branches"}
	one := []string{"do not commit, push, stash"}
	for name, c := range map[string]struct {
		quest     *orchestration.Quest
		must, not []string
	}{
		"shared": {sampleQuest(), one, trees},
		"trees":  {inTrees(), trees, one},
	} {
		text := system(t, c.quest)
		for _, must := range append(everywhere, c.must...) {
			if !strings.Contains(text, must) {
				t.Errorf("%s: it does not say %s", name, must)
			}
		}
		for _, not := range append(c.not, "{{", "\n\n\n", "<no value>") {
			if strings.Contains(text, not) {
				t.Errorf("%s: it says %q", name, not)
			}
		}
		e2etest.Golden(t, filepath.Join("prompts", "system-"+name+".md"), text)
	}
}

// What every run is told does not depend on what a quest is about or how far it is. So it
// stays the same until the end of the quest.
func TestWhatEveryRunIsToldStaysTheSame(t *testing.T) {
	t.Parallel()
	q := inTrees()
	before := system(t, q)
	q.Title, q.Request, q.Ward, q.Phase, q.Locked = "Another", "Something else", "make", orchestration.PhaseReview, false
	q.Requirements, q.Steps = nil, orchestration.TableOf[orchestration.Step]()
	if after := system(t, orchestration.Restore(q)); after != before {
		t.Errorf("it became:\n%s", after)
	}
}

// It is the number of the repository's own file, or 20.
func TestEveryRunIsToldHowManyPortsItHas(t *testing.T) {
	t.Parallel()
	for ports, want := range map[int]string{0: "20 in a row", 1: "1 in a row", 65: "65 in a row", 200: "200 in a row"} {
		q := inTrees()
		q.File = &orchestration.RepoFile{Ports: ports}
		if !strings.Contains(system(t, q), "ports of your own: "+want+", from the environment variable `QUESTBOARD_PORT_BASE` on") {
			t.Errorf("ports %d: it does not say %s", ports, want)
		}
	}
}

var sentenceEnd = regexp.MustCompile(`[.:;]\s+|\n`)

// sentences returns the sentences of a text that say something.
func sentences(text string) []string {
	var all []string
	for _, s := range sentenceEnd.Split(text, -1) {
		if s = strings.Trim(s, " -.*"); len(strings.Fields(s)) > 3 {
			all = append(all, s)
		}
	}
	return all
}

// No sentence of the message repeats what every run is told.
func TestTheMessageRepeatsNothing(t *testing.T) {
	t.Parallel()
	for _, q := range []*orchestration.Quest{sampleQuest(), inTrees()} {
		said := system(t, q)
		for _, role := range agentRoles {
			for _, start := range orchestration.StartKinds {
				for _, resumed := range []bool{false, true} {
					for _, s := range sentences(write(t, q, runOf(q, role, start, resumed), agents.PromptFacts{Dir: "/srv/shop"})) {
						if strings.Contains(said, s) {
							t.Errorf("%s, %s, resumed %v: said twice: %q", role, start, resumed, s)
						}
					}
				}
			}
		}
	}
}

// The first message says what the role may use, the user's choice for it included.
func TestTheMessageSaysWhatTheRoleMayUse(t *testing.T) {
	t.Parallel()
	for _, role := range agentRoles {
		q := sampleQuest()
		text := write(t, q, runOf(q, role, orchestration.StartFresh, false), agents.PromptFacts{Allow: []string{"WebSearch"}, Deny: []string{"Bash(git push *)"}})
		must := []string{"MCP tools `signal-back`", "`get-quest`", "`Read`, `Glob`, `Grep`", "The person also allows `WebSearch`.", "The person forbids `Bash(git push *)`."}
		for _, own := range role.Tools() {
			must = append(must, "`"+own+"`")
		}
		if role.Writes() {
			must = append(must, "`Edit`, `Write`, `NotebookEdit` and `Bash` for every command.")
		} else {
			must = append(must, "of commands only those that read, such as `git log`, `git diff`", "cannot build, test or run the check")
		}
		for _, m := range must {
			if !strings.Contains(text, m) {
				t.Errorf("%s is not told %s", role, m)
			}
		}
		for _, tool := range []string{"set-size", "set-requirements", "plan-steps"} {
			if orchestration.ToolOwner(tool) != role && strings.Contains(text[strings.Index(text, "# Your contract"):], tool) {
				t.Errorf("%s is told of %s", role, tool)
			}
		}
	}
}
