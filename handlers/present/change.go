package present

import (
	"slices"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Changes are what the user changed after the requirements were locked, the newest first.
func (p *Quest) Changes() []views.ChangeText {
	var list []views.ChangeText
	for _, c := range slices.Backward(p.q.Wishes()) {
		by := clean(c.By)
		if c.By == "user" {
			by = "You"
		}
		list = append(list, views.ChangeText{Text: clean(c.Text), By: by, At: c.At})
	}
	return list
}

// Following are links to the quests that follow this one.
func Following(list []*orchestration.Quest) []views.Link {
	var links []views.Link
	for _, q := range list {
		links = append(links, views.Link{Words: OneLine(q.Title, 80), URL: paths.Quest(q.ID)})
	}
	return links
}
