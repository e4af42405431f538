package agents

import (
	"slices"
	"unicode/utf8"

	"questboard/orchestration"
)

// changeFacts are what a prompt tells about changes of the requirements, and about the
// quest before this one.
type changeFacts struct {
	Later  []string // what the user changed after the request, oldest first
	Change string   // what is being changed now, for those who write requirements and plan
	Stored bool     // requirements were stored since
	Begun  []orchestration.Step
	Lost   []orchestration.LostObservable
	Former *orchestration.Former
}

func changesFor(q *orchestration.Quest, r *orchestration.Run) changeFacts {
	var f changeFacts
	changes := q.Changes
	if q.Changing() && (r.Step == orchestration.StepRequirements || r.Step == orchestration.StepPlan) {
		now := changes[len(changes)-1]
		changes = changes[:len(changes)-1]
		f.Change, f.Stored, f.Lost = now.Text, len(now.Lost) > 0, q.NoLongerAsked()
		for _, s := range q.Steps.All() {
			if s.Stage != orchestration.StageSuperseded && s.Begun() && len(f.Begun) < maxPlan {
				f.Begun = append(f.Begun, *s)
			}
		}
	}
	f.Later = newestTexts(changes)
	if seesPlan(r) || r.Step == orchestration.StepRequirements {
		f.Former = q.Former
	}
	return f
}

// newestTexts returns the texts of the changes, oldest first, as far back as one text may
// be long.
func newestTexts(changes []orchestration.Change) []string {
	var texts []string
	size := 0
	for _, c := range slices.Backward(changes) {
		if c.Grew != "" { // nobody wanted something else
			continue
		}
		if size += utf8.RuneCountInString(c.Text); size > orchestration.ChangeMost {
			break
		}
		texts = append(texts, c.Text)
	}
	slices.Reverse(texts)
	return texts
}
