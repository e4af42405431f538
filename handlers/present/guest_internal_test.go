package present

import (
	"strings"
	"testing"

	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// The core cuts findings and the reasons for missing evidence. A secret at the cut is
// removed for a guest before that.
func TestAGuestReadsNoPartOfASecretThatIsCut(t *testing.T) {
	t.Parallel()
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	for _, before := range []int{10, 26, 30} { // words of five characters; the core cuts after 60 or 159
		text := strings.Repeat("long ", before) + secret
		review := &orchestration.Step{PlanStep: orchestration.PlanStep{ID: orchestration.StepReview},
			Findings: []orchestration.Finding{{What: text, Where: text, State: orchestration.FindingStands}}}
		q := orchestration.Restore(&orchestration.Quest{ID: "q1", Phase: orchestration.PhaseComplete, Whole: [4]*orchestration.Step{{}, {}, review}})
		o := orchestration.QuestOutcome{Unproven: []orchestration.NotProven{{Observable: "o1", Step: orchestration.StepReview, Why: text}}}
		read := func(v View) string {
			p := v.Quest(q)
			return strings.Join(append(p.unproven(o), p.q.FindingWords(p.q.Step(orchestration.StepReview).Findings[0]), p.q.Outcome().Words()), "\n")
		}
		if words := read(View{Share: &record.Share{Quest: q.ID}, Redactor: redact.New("", nil)}); strings.Contains(words, secret[:7]) {
			t.Errorf("a guest reads %q", words)
		}
		if words := read(View{}); !strings.Contains(words, secret[:7]) {
			t.Errorf("the owner reads %q", words)
		}
		if o.Unproven[0].Why != text {
			t.Error("the quest itself was changed")
		}
	}
}

// The reason for a size is an agent's text. A guest reads no secret in it, cut or not.
func TestAGuestReadsNoSecretInTheReasonForASize(t *testing.T) {
	t.Parallel()
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	for _, before := range []int{0, 28, 30} {
		q := orchestration.Restore(&orchestration.Quest{ID: "q1", Phase: orchestration.PhaseRequirements, GateRequirements: orchestration.GateOpen,
			Size: orchestration.SizeErrand, SizedBy: "q1-r1", SizeReason: strings.Repeat("long ", before) + secret})
		for i, id := range orchestration.QuestWideSteps {
			q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: id}}
		}
		read := func(v View) string {
			p := v.Quest(q)
			return p.size().Why + p.questWhy() + p.gateWords(orchestration.StepRequirements)
		}
		words := read(View{Share: &record.Share{Quest: q.ID}, Redactor: redact.New("", nil)})
		if strings.Contains(words, secret[:7]) || !strings.Contains(words, "waits for approval") {
			t.Errorf("a guest reads %q", words)
		}
		if words := read(View{}); !strings.Contains(words, secret[:7]) || !strings.Contains(words, "waits for your approval") {
			t.Errorf("the owner reads %q", words)
		}
	}
}
