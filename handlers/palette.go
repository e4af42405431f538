package handlers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// paletteHits is how many hits the palette shows.
const paletteHits = 12

// Palette finds pages, quests, questions, and steps of the current quest that contain
// every word of ?q=. For htmx it answers with only the hits.
func (p *Pages) Palette(c echo.Context) error {
	ctx := c.Request().Context()
	frame := p.frame("Go to", "")
	wanted := strings.Fields(strings.ToLower(c.QueryParam("q")))
	quests, err := p.quests(ctx, wanted, c.QueryParam("quest"))
	if err != nil {
		return fmt.Errorf("list quests: %w", err)
	}
	page := views.Palette{Frame: frame, Query: views.Visible(c.QueryParam("q")), Quest: views.Visible(c.QueryParam("quest"))}
	for _, hit := range p.places(quests, c.QueryParam("quest")) {
		if len(page.Hits) < paletteHits && holdsAll(strings.ToLower(hit.Words+" "+hit.Kind), wanted) {
			page.Hits = append(page.Hits, hit)
		}
	}
	if partial(c) {
		return render(c, http.StatusOK, views.PaletteHits(page))
	}
	return render(c, http.StatusOK, views.PalettePage(page))
}

// quests returns the active quests, some that are over and contain the longest searched
// word, and the current one.
func (p *Pages) quests(ctx context.Context, wanted []string, current string) ([]*orchestration.Quest, error) {
	const most = 50
	f := orchestration.EndedFilter{N: most}
	for _, word := range wanted {
		if len(word) > len(f.Search) && word != "quest" { // the kind of the hit
			f.Search = word
		}
	}
	over, err := p.Quests.Ended(ctx, f)
	if err != nil {
		return nil, err
	}
	quests := p.Quests.Active()
	listed := func(id string) bool {
		return slices.ContainsFunc(quests, func(q *orchestration.Quest) bool { return q.ID == id })
	}
	if q, err := p.Quests.Quest(ctx, current); err == nil && !listed(current) {
		quests = append(quests, q)
	}
	for _, e := range over {
		if !listed(e.ID) {
			quests = append(quests, e.Quest)
		}
	}
	return quests, nil
}

// places returns all possible targets, the nearest first.
func (p *Pages) places(quests []*orchestration.Quest, current string) []views.Hit {
	var questions, steps, others []views.Hit
	var head *views.QuestHead
	for _, q := range quests {
		for _, question := range present.OpenQuestions(q) {
			questions = append(questions, views.Hit{Words: "Answer: " + present.OneLine(question.Says(), 80), URL: paths.Question(question.ID),
				Kind: "Question"})
		}
		if q.ID != current {
			others = append(others, views.Hit{Words: views.Visible(q.Title), URL: paths.Quest(q.ID), Kind: "Quest"})
			continue
		}
		h := p.present(q).Head()
		head = &h
		for _, s := range q.Steps.All() {
			steps = append(steps, views.Hit{Words: present.StepTitle(s) + " (" + views.Visible(s.ID) + ")", URL: paths.Step(q.ID, s.ID),
				Kind: "Step"})
		}
	}
	for _, q := range p.Quests.Undelivered() {
		questions = append(questions, views.Hit{Words: "Merge: " + views.Visible(q.Title), URL: paths.Delivery(q.ID), Kind: "Result"})
	}
	all := append(questions, views.Places(head)...)
	return append(append(all, steps...), others...)
}

func holdsAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
