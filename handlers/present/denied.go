package present

import (
	"slices"
	"strconv"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// deniedWords say what a run was denied: each call, and each further tool. Guests read only
// the names of tools.
func (p *Quest) deniedWords(r *orchestration.Run) (words []string) {
	named := map[string]bool{}
	if !p.guest() {
		for _, c := range r.DeniedCalls {
			named[c.Tool] = true
			words = append(words, p.oneLine(clean(c.Tool)+" "+clean(c.Text), 60)+" was denied")
		}
	}
	for _, tool := range r.Denied {
		if !named[tool] {
			words = append(words, clean(tool)+" was denied")
		}
	}
	return words
}

// denied are the calls that the newest run of a step with such calls was denied, and that a
// person may allow from now on.
func (p *Quest) denied(s *orchestration.Step) (list []views.Denied) {
	if p.guest() {
		return nil
	}
	allowed := p.q.Allowed(s.ID)
	for _, r := range p.runsOf(s) {
		if !slices.Contains(p.q.RunControls(r), orchestration.ControlAllow) {
			continue
		}
		for i, c := range r.DeniedCalls {
			if r.MayBeAllowed(c) && !slices.Contains(allowed, c.Rule) {
				list = append(list, views.Denied{Call: strconv.Itoa(i + 1), Words: p.oneLine(clean(c.Tool)+" "+clean(c.Text), 60),
					Text: clean(c.Text), Rule: views.Field{Value: c.Rule}, PostURL: paths.AllowRun(r.ID)})
			}
		}
		return list
	}
	return nil
}
