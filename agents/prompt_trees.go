package agents

import (
	"fmt"
	"strings"

	"questboard/orchestration"
)

// inTrees is what a prompt tells where every line has a working tree of its own.
func (v *promptView) inTrees(q *orchestration.Quest, r *orchestration.Run, facts PromptFacts) {
	v.Quest = "quest/" + q.ID
	v.Base = v.Quest
	if r.Line == orchestration.LineReview { // its branch begins with all that is merged
		v.Base = "refs/questboard/base/" + q.ID
	}
	v.Comments = r.Brief.Reason == orchestration.ReasonComments
	// Ward calls for a failing check, whose output is told, or for a conflict.
	v.Conflict = r.Role == orchestration.Spiritmender && r.Brief.From == orchestration.Ward && r.Brief.OutputOf == ""
	if v.Step != nil {
		v.Step.Replaced = replacedBy(q, r.Line)
	}
	if known := q.Baseline == orchestration.BaselineRed || q.Baseline == orchestration.BaselineAccepted; known && v.Writes {
		v.Baseline, v.BaselineOutput = q.Baseline, facts.BaselineOutput
		v.KnownFaults = knownFaults(q.KnownFaults)
	}
}

// maxKnown is how many old faults a prompt lists; the output has the rest.
const maxKnown = 100

func knownFaults(faults []string) string {
	if n := len(faults) - maxKnown; n > 0 {
		return strings.Join(faults[:maxKnown], "\n") + fmt.Sprintf("\n[and %d more]", n)
	}
	return strings.Join(faults, "\n")
}

// replaced is a step that did not come to its end, and where its work is.
type replaced struct{ ID, Branch, Kept string }

// maxReplaced bounds a chain of replacements.
const maxReplaced = 5

// replacedBy are the steps that a step stands for a part of, newest first, as
// far as anybody worked on them.
func replacedBy(q *orchestration.Quest, line string) []replaced {
	var chain []replaced
	for s := stepOf(q, line); s != nil && s.Replaces != "" && len(chain) < maxReplaced; {
		if s = stepOf(q, s.Replaces); s != nil && s.Started {
			chain = append(chain, replaced{ID: s.ID, Branch: "quest-steps/" + q.ID + "/" + s.ID,
				Kept: "refs/questboard/kept/" + q.ID + "/" + s.ID + "/"})
		}
	}
	return chain
}
