package present

import (
	"fmt"
	"strings"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// PromptRun returns the agent's run of a step whose prompt is shown: the chosen one, or
// the newest that has started, or the newest. Nil: no agent has worked on the step.
func (p *Quest) PromptRun(s *orchestration.Step, chosen string) *orchestration.Run {
	if r := p.q.Run(chosen); r != nil && r.Step == s.ID && r.Role.Agent() {
		return r
	}
	var newest *orchestration.Run
	for _, r := range p.runsOf(s) {
		switch {
		case !r.Role.Agent():
		case r.State != orchestration.RunQueued:
			return r
		case newest == nil:
			newest = r
		}
	}
	return newest
}

// promptText is how much of a prompt the page shows, in bytes.
const promptText = 256 << 10

// Told is what an agent was told (service.KeptPrompt).
type Told struct{ System, Message, BuiltIn string }

// Prompt shows what the agent of r was told, or why that is unknown. Only the owner may
// see it.
func (p *Quest) Prompt(r *orchestration.Run, told Told, none string) *views.Prompt {
	if r == nil {
		return &views.Prompt{}
	}
	v := &views.Prompt{Run: runName(r), None: none, TextURL: paths.PromptText(r.ID),
		Role: views.Link{Words: RoleName(r.Role), URL: paths.Role(string(r.Role))}}
	for _, other := range p.runsOf(p.q.Step(r.Step)) {
		if other.Role.Agent() {
			v.Runs = append(v.Runs, views.Link{Words: runName(other), URL: paths.StepPrompt(p.q.ID, other.Step, other.ID), Current: other == r})
		}
	}
	if none != "" {
		return v
	}
	var cutSystem, cutMessage bool
	v.System, cutSystem = shownText(told.System)
	v.Message, cutMessage = shownText(told.Message)
	v.Cut = cutSystem || cutMessage
	if told.BuiltIn != "" {
		v.Diff = diffview.Texts("the prompt", "text", told.BuiltIn, told.Message)
	}
	if began := p.began(r); began != r {
		v.Began = &views.Link{Words: runName(began), URL: paths.StepPrompt(p.q.ID, began.Step, began.ID)}
	}
	if from := p.q.Run(p.began(r).ForkedFrom); from != nil {
		v.Forked = &views.Link{Words: runName(from), URL: paths.StepPrompt(p.q.ID, from.Step, from.ID)}
	}
	return v
}

// began is the run that began the session of r.
func (p *Quest) began(r *orchestration.Run) *orchestration.Run {
	for from := p.q.Run(r.ResumedFrom); from != nil; from = p.q.Run(r.ResumedFrom) {
		r = from
	}
	return r
}

func shownText(text string) (shown string, cut bool) {
	if cut = len(text) > promptText; cut {
		text = strings.ToValidUTF8(text[:promptText], "")
	}
	return clean(text), cut
}

// runName names a run as pages do.
func runName(r *orchestration.Run) string { return fmt.Sprintf("%s, run %d", RoleName(r.Role), r.N+1) }
