package agents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// decidedQuest is the sample quest after a person decided something of every kind.
func decidedQuest() *orchestration.Quest {
	q := sampleQuest()
	q.Requirements[0].Observables = append(q.Requirements[0].Observables, orchestration.Observable{ID: "link-logged", Text: "the log has it"})
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	minute := func(n int) time.Time { return at.Add(time.Duration(n) * time.Minute) }
	q.Questions = orchestration.TableOf(&orchestration.Question{ID: "q1-q1", Step: "plan", Role: orchestration.PathSeeker,
		Text: "A page (A) or a bare 410 (B)?", Answer: "A.", AnsweredAt: minute(1)})
	runs := []*orchestration.Run{}
	for _, r := range q.Runs.All() {
		runs = append(runs, r)
	}
	add := func(n int, role orchestration.Role, step string, b orchestration.Brief) {
		id := fmt.Sprint("q1-r", len(runs)+1)
		runs = append(runs, &orchestration.Run{ID: id, N: len(runs), QueuedAt: minute(n), Launch: orchestration.Launch{Role: role, Step: step, Brief: b}})
	}
	add(0, orchestration.ChaosWhisperer, "requirements", orchestration.Brief{Feedback: "Say what happens to old links."})
	add(2, orchestration.Codeweaver, "link-model", orchestration.Brief{Message: "No new dependency, please."})
	add(3, orchestration.Spiritmender, "link-model", orchestration.Brief{Kind: orchestration.BriefComments, Comments: "\"store/links.go\", line 7: x := 1\nName it better."})
	add(4, orchestration.PathSeeker, "link-model", orchestration.Brief{Kind: orchestration.BriefResplit, Reason: "Two ideas in one."})
	q.Runs = orchestration.TableOf(runs...)
	steps := []*orchestration.Step{}
	for _, s := range q.Steps.All() {
		steps = append(steps, s)
	}
	steps[0].ByHand, steps[0].EndedAt = "user", minute(6)
	steps[0].Instructions = []orchestration.Instruction{{Text: "Use the clock of the store.", At: minute(5)}}
	steps = append(steps, &orchestration.Step{N: 3, Stage: orchestration.StageSkipped, EndedAt: minute(7), Reason: "Nobody mails links.\n# Now: mail them",
		PlanStep: orchestration.PlanStep{ID: "mail", Title: "Mail links", Observables: []string{"link-mailed"}}})
	q.Steps = orchestration.TableOf(steps...)
	return orchestration.Restore(q)
}

// Every fresh session of every role is told what people decided; a resumed one is not.
func TestPromptSaysWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	all := []string{"A page (A)", "A.", "Say what happens", "No new dependency", "Name it better.", "Two ideas", "Use the clock", "was done by hand",
		"Nobody mails links.", "`link-mailed`", "No step has `link-logged`"}
	for _, role := range agentRoles {
		for _, start := range orchestration.StartKinds {
			q := decidedQuest()
			r := runOf(q, role, start, start.Resumes())
			r.ReturnTo = ""
			text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
			_, text, told := strings.Cut(text, "# Decided by the person\n")
			if told == start.Resumes() {
				t.Errorf("%s, %s: it says what was decided: %v", role, start, told)
			}
			for _, want := range all {
				if told && !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in\n%s", role, start, want, text)
				}
			}
		}
	}
	q := decidedQuest()
	text := write(t, q, runOf(q, orchestration.Lawbringer, orchestration.StartFresh, false), agents.PromptFacts{Dir: "/srv/shop"})
	e2etest.Golden(t, filepath.Join("prompts", "decisions.md"), sectionOf(text, "# Decided by the person"))
	if strings.Contains(text, "\n# Now: mail them\n") && !strings.Contains(text, "```text\nNobody mails links.\n# Now: mail them\n```") {
		t.Error("what a person wrote is not in a fence")
	}
}

// sectionOf returns a section of a prompt with its headline.
func sectionOf(text, head string) string {
	_, section, _ := strings.Cut(text, head+"\n")
	fence := ""
	at := 0
	for line := range strings.Lines(section) {
		switch marks, opens := strings.CutSuffix(line, "text\n"); {
		case fence == "" && opens && strings.HasPrefix(line, "```"):
			fence = marks + "\n"
		case line == fence:
			fence = ""
		case fence == "" && strings.HasPrefix(line, "# "):
			return head + "\n" + section[:at]
		}
		at += len(line)
	}
	return head + "\n" + section
}

// The section has at most 6,000 characters. The oldest decisions are left out, and it says
// how many; a newest one that is too long is cut.
func TestPromptLeavesOutTheOldestDecisions(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]string{
		"many":      strings.Split(strings.Repeat("a short one|", 400), "|"),
		"long":      {strings.Repeat("a", 3000), strings.Repeat("b", 3000), strings.Repeat("c", 2500)},
		"too long":  {"first", strings.Repeat("ä", 60_000)},
		"backticks": {"first", strings.Repeat("`", 30_000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := sampleQuest()
			for i, text := range answers {
				q.Questions = q.Questions.Append(&orchestration.Question{ID: fmt.Sprint("q1-q", i+1), Step: "plan", Role: orchestration.PathSeeker,
					Text: fmt.Sprint("Which? ", i, strings.Repeat("?", 40*i)), Answer: text + fmt.Sprint(" end", i), AnsweredAt: time.Unix(int64(i), 0)})
			}
			r := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
			section := sectionOf(write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}), "# Decided by the person")
			if n := utf8.RuneCountInString(section); n > 6000 || n < 1000 && name != "backticks" {
				t.Errorf("%d characters", n)
			}
			told := strings.Count(section, "asked, for `plan`")
			if want := fmt.Sprintf(" %d older decision", len(answers)-told); !strings.Contains(section, want) {
				t.Errorf("%d of %d are told, and it does not say %q:\n%.900s", told, len(answers), want, section)
			}
			last := fmt.Sprint("Which? ", len(answers)-1)
			if whole := strings.Contains(section, fmt.Sprint(" end", len(answers)-1)); !strings.Contains(section, last) || !whole && !strings.Contains(section, "[cut here]") {
				t.Errorf("the newest is not told:\n%.900s", section)
			}
		})
	}
}
