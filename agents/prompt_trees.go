package agents

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"questboard/orchestration"
)

// inTrees adds what a prompt says only in worktree mode.
func (v *promptView) inTrees(q *orchestration.Quest, r *orchestration.Run, facts PromptFacts) {
	v.Quest = "quest/" + q.ID
	v.Base = cmp.Or(short(facts.Stand.Base), v.Quest)
	if r.Step == orchestration.StepReview { // its branch starts with everything that is merged
		v.Base = "refs/questboard/base/" + q.ID
	}
	if v.Step != nil {
		v.Step.Replaced = replacedBy(q, r.Step)
		v.Step.Missing = missingIn(q, facts.Stand)
	}
	if base := q.BaseTook(); base >= time.Second {
		v.BaseTook = took(base)
	}
	v.SkippedThere = facts.SkippedThere
	v.BaseGreen = q.Baseline == orchestration.BaselineGreen
	v.BasePending = q.Baseline == orchestration.BaselinePending
	plans := r.Role == orchestration.PathSeeker || r.Role == orchestration.ChaosWhisperer
	if known := q.Baseline == orchestration.BaselineRed || q.Baseline == orchestration.BaselineAccepted; known && (v.Writes || plans) {
		v.Baseline, v.BaselineOutput = q.Baseline, facts.BaselineOutput
		v.KnownFaults = knownFaults(q.KnownFaults)
	}
}

// took is a duration as people say it, with no more precision than it needs.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return "less than a second"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	default:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute)/time.Minute))
	}
}

// maxKnown is how many old faults a prompt lists. The output has the rest.
const maxKnown = 100

func knownFaults(faults []string) string {
	if n := len(faults) - maxKnown; n > 0 {
		return strings.Join(faults[:maxKnown], "\n") + fmt.Sprintf("\n[and %d more]", n)
	}
	return strings.Join(faults, "\n")
}

// replaced is a step that was replaced before it was done, and where its work is.
type replaced struct{ ID, Branch, Kept string }

// maxReplaced limits how many replaced steps a prompt lists.
const maxReplaced = 5

// replacedBy returns the steps that this step replaces in part, newest first. It leaves
// out those on which no agent has worked. Every step of a quest that was an errand
// replaces a part of that.
func replacedBy(q *orchestration.Quest, step string) []replaced {
	var chain []replaced
	add := func(s *orchestration.Step) {
		if s != nil && s.Started && len(chain) < maxReplaced {
			chain = append(chain, replaced{ID: s.ID, Branch: q.StepBranch(s.ID), Kept: "refs/questboard/kept/" + q.ID + "/" + s.ID + "/"})
		}
	}
	for s := stepOf(q, step); s != nil && s.Replaces != "" && len(chain) < maxReplaced; {
		s = stepOf(q, s.Replaces)
		add(s)
	}
	if errand := grewFrom(q); errand != nil && errand.ID != step {
		add(errand)
	}
	return chain
}

// missing is a finished step whose work this tree does not have.
type missing struct{ ID, Title, Commit string }

// maxMissing limits how many of them a prompt lists.
const maxMissing = 20

func missingIn(q *orchestration.Quest, at Stand) []missing {
	var list []missing
	for _, s := range q.Steps.All() {
		if commit := at.Missing[s.ID]; commit != "" && len(list) < maxMissing {
			list = append(list, missing{s.ID, s.Title, short(commit)})
		}
	}
	return list
}

// short names a commit as briefly as git still finds it.
func short(commit string) string { return commit[:min(len(commit), 12)] }
