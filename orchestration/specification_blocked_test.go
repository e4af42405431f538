package orchestration_test

import (
	"maps"
	"slices"
	"testing"

	"questboard/orchestration"
)

// button is a row of the table of what the user may press on a blocked step: the input
// that the button makes, and when the document says that Apply accepts it.
type button struct {
	fact func(q *orchestration.Quest, s *orchestration.Step) orchestration.InputKind
	when func(q *orchestration.Quest, s *orchestration.Step) bool
}

var (
	always  = func(*orchestration.Quest, *orchestration.Step) bool { return true }
	isStep  = func(_ *orchestration.Quest, s *orchestration.Step) bool { return !s.Whole() }
	inSteps = func(q *orchestration.Quest, s *orchestration.Step) bool {
		return !s.Whole() && q.Phase == orchestration.PhaseSteps
	}
)

var buttons = map[string]button{
	"Retry": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.RetryPressed{Step: s.ID}
	}, always},
	"Retry in a fresh session": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.RetryPressed{Step: s.ID, Fresh: true}
	}, always}, // without a session to resume it is an ordinary retry
	"Send feedback": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.GateDecided{Gate: s.ID, Feedback: "in blue"}
	}, func(q *orchestration.Quest, s *orchestration.Step) bool {
		return s.ID == orchestration.StepRequirements || s.ID == orchestration.StepPlan && q.Phase == orchestration.PhasePlan
	}},
	"Send a message": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.MessageSent{Run: s.Run, Text: "in blue"}
	}, func(q *orchestration.Quest, s *orchestration.Step) bool {
		r := q.Run(s.Run)
		return r.Role.Agent() && r.Opened && !r.Waiting && s.Block.Kind != orchestration.BlockPartial
	}},
	"Comment on its diff": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.CommentsSent{Step: s.ID, Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "in blue"}}}
	}, func(q *orchestration.Quest, s *orchestration.Step) bool {
		return q.Workspace == orchestration.WorkspaceWorktree && s.Started && (!s.Whole() || s.ID == orchestration.StepReview)
	}},
	"Edit": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		title := "another title"
		return orchestration.StepEdited{Step: s.ID, Title: &title}
	}, isStep},
	"Split again": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.ResplitPressed{Step: s.ID, Reason: "too large"}
	}, inSteps},
	"Skip": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.SkipPressed{Step: s.ID, Reason: "not now"}
	}, inSteps},
	"Take over": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.TakeOverPressed{Step: s.ID}
	}, func(q *orchestration.Quest, s *orchestration.Step) bool {
		return inSteps(q, s) && besideOthers(q, s.ID) == nil
	}},
	"Mark done": {func(_ *orchestration.Quest, s *orchestration.Step) orchestration.InputKind {
		return orchestration.MarkDonePressed{Step: s.ID}
	}, func(q *orchestration.Quest, s *orchestration.Step) bool {
		return inSteps(q, s) && !slices.ContainsFunc(q.OpenRuns(), func(r *orchestration.Run) bool { return r.Step == s.ID && r.Live() })
	}},
	"Abandon the quest": {func(*orchestration.Quest, *orchestration.Step) orchestration.InputKind {
		return orchestration.AbandonPressed{}
	}, always},
}

// TestSpecification_blocked checks that Apply accepts on a blocked step exactly what the
// table in the document says.
func TestSpecification_blocked(t *testing.T) {
	t.Parallel()
	var named []string
	for _, row := range rowsOf(t, "button") {
		named = append(named, row[0])
	}
	differ(t, "button", named, slices.Collect(maps.Keys(buttons)))
	tried := map[orchestration.BlockKind]bool{}
	try := func(name string, q *orchestration.Quest, s *orchestration.Step) {
		tried[s.Block.Kind] = true
		for pressed, b := range buttons {
			_, err := orchestration.Apply(q, orchestration.Input{Actor: "user", Kind: b.fact(q, s)})
			if want := b.when(q, s); (err == nil) != want {
				t.Errorf("%s (%s): %s is taken: %v, %v; the page says %v", name, s.Block.Kind, pressed, err == nil, err, want)
			}
		}
	}
	for name, state := range states(t) {
		if s := state.p.q.Step(state.step); s.Hold == orchestration.HoldBlocked && !state.p.q.Over() {
			try(name, state.p.q, s)
		}
	}
	for name, block := range map[string]func(p *player){
		"set-up": func(p *player) {
			p.do(orchestration.RunExited{Run: p.at("a", orchestration.Codeweaver).ID, End: orchestration.EndSetupFailed})
		},
		"git":      func(p *player) { p.good("a"); p.merges("a", orchestration.MergeBroke) },
		"no check": func(p *player) { p.complete("a", orchestration.Codeweaver); p.ward("a", orchestration.EndWardBroke) },
		"red": func(p *player) {
			p.complete("a", orchestration.Codeweaver)
			for range 2 {
				p.ward("a", orchestration.EndWardFailed)
				p.complete("a", orchestration.Spiritmender)
			}
			p.ward("a", orchestration.EndWardFailed)
		},
		"full": func(p *player) {
			for range 11 {
				p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndContext)
			}
		},
		"crashed": func(p *player) {
			for range 4 {
				p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
			}
		},
	} {
		p := inWorktrees(t, step("a"), step("b", "a"))
		block(p)
		try(name, p.q, p.q.Step("a"))
	}
	if len(tried) < 8 {
		t.Errorf("only blocks of the kinds %v were tried", slices.Collect(maps.Keys(tried)))
	}
}
