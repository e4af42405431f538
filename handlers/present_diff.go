package handlers

import (
	"strings"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// addDiff adds what a step's panel says of its diff.
func (p *presenter) addDiff(v *views.Step, s *orchestration.Step) {
	v.URL = p.Site.Step(p.q.ID, s.ID)
	for _, f := range s.Undeclared() {
		v.Outside = append(v.Outside, diffview.ShortPath(f))
	}
	if p.guest() {
		return // a share holds no diffs
	}
	v.DiffURL, v.DiffFiles = paths.StepDiff(p.q.ID, s.ID), len(s.Changed)
	v.Comments, v.CommentsWait = p.pending(s)
}

// outsideChips say on the card which files were changed and are not in the
// plan.
func outsideChips(s *orchestration.Step) []views.Chip {
	files := s.Undeclared()
	if len(files) == 0 || s.Stage == orchestration.StageSuperseded {
		return nil
	}
	names := make([]string, 0, chipNames+1)
	for i, f := range files {
		if i == chipNames {
			names = append(names, "…")
			break
		}
		names = append(names, diffview.ShortPath(f))
	}
	return []views.Chip{{Words: views.Count(len(files), "file", "files") + " outside its plan", Title: strings.Join(names, "\n"), Warn: true}}
}

// chipNames is how many files a card names.
const chipNames = 20
