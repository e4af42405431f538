package agents

import (
	"slices"
	"strings"

	"questboard/orchestration"
)

const (
	// maxRequest is how many characters of the request are told to those who work on one
	// step, which has its own words.
	maxRequest = 400
	// maxOthers is how many of the other requirements they are told, in a line for each.
	maxOthers = 30
	// briefly is the most characters of half such a line.
	briefly = 120
)

// ofStep leaves of the requirements those observables that are the step's, and of the
// others a line for each. Roles that plan keep the whole request.
func (v *promptView) ofStep(q *orchestration.Quest, r *orchestration.Run, observables []string) {
	v.Requirements = nil
	for _, req := range q.Requirements {
		var own []orchestration.Observable
		for _, o := range req.Observables {
			if slices.Contains(observables, o.ID) {
				own = append(own, o)
			}
		}
		switch {
		case len(own) > 0:
			req.Observables = own
			v.Requirements = append(v.Requirements, req)
		case len(v.Others) < maxOthers:
			v.Others = append(v.Others, req)
		default:
			v.MoreOthers++
		}
	}
	if runes := []rune(v.Request); len(v.Requirements) > 0 && !seesPlan(r) && len(runes) > maxRequest {
		v.Request, v.RequestCut = strings.TrimRight(string(runes[:maxRequest]), " \n")+" […]", true
	}
}

// untitled drops a title that only repeats how the request begins.
func (v *promptView) untitled() {
	title := strings.TrimRight(strings.Join(strings.Fields(v.Title), " "), "….")
	if strings.HasPrefix(strings.Join(strings.Fields(v.Request), " "), title) {
		v.Title = ""
	}
}

// brief is a short line of a text.
func brief(text string) string {
	return lineOf(text, briefly)
}
