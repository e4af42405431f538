package handlers

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
)

// List is the list of quests: what goes on first, then the newest.
func (p *Pages) List(c echo.Context) error {
	ctx := c.Request().Context()
	frame, err := p.frame(ctx, "Quests", views.SectionQuests)
	if err != nil {
		return err
	}
	frame.Topic = topicQuests
	quests, err := p.Quests.Quests(ctx)
	if err != nil {
		return err
	}
	quests = slices.Clone(quests)
	slices.SortStableFunc(quests, func(a, b *orchestration.Quest) int { return cmp.Compare(over(a), over(b)) })
	page := views.Quests{Frame: frame}
	for _, q := range quests {
		page.Rows = append(page.Rows, p.present(q).head())
	}
	return render(c, http.StatusOK, views.QuestsPage(page))
}

func over(q *orchestration.Quest) int {
	if q.Over() {
		return 1
	}
	return 0
}
