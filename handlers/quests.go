package handlers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// questsPage is the number of quests that are over on one page of the list.
const questsPage = 50

// States that the list is filtered by, beside those of orchestration.Status.
const (
	listAll    = ""
	listDrafts = "draft"
)

// questList is the filter in the address: ?state=, ?q=, ?page=.
type questList struct {
	state, search string
	page          int // from 0
}

func readQuestList(c echo.Context) questList {
	l := questList{state: c.QueryParam("state"), search: strings.TrimSpace(c.QueryParam("q"))}
	n, _ := strconv.Atoi(c.QueryParam("page")) // an invalid value begins at the top
	l.page = min(max(0, n), 1<<20)
	return l
}

// List shows the quests: first the active ones, then those that ended last.
func (p *Pages) List(c echo.Context) error {
	ctx := c.Request().Context()
	l := readQuestList(c)
	frame := p.frame("Quests", views.SectionQuests)
	frame.Topic = topicQuests
	page := views.Quests{Frame: frame, Search: views.Visible(l.search), State: views.Visible(l.state), Filters: p.questFilters(l),
		// Live updates may add new quests, but not to a filtered list.
		ListID: "quest-list", Filtered: l.state != "" || l.search != ""}
	if page.Filtered || l.page > 0 {
		page.ListID = "quests-found"
	}
	drafts, err := p.Drafts.Drafts(ctx)
	if err != nil {
		return err
	}
	page.Filters = append(page.Filters, draftsFilter(l, len(drafts)))
	if l.state == listDrafts {
		p.addDrafts(drafts, l.search, &page)
		page.DeletedDraft = views.Visible(c.QueryParam("deleted"))
	}
	more, err := p.listQuests(ctx, l, &page)
	if err != nil {
		return err
	}
	if more {
		page.OlderURL = paths.QuestList(l.state, l.search, l.page+1)
	}
	if l.page > 0 {
		page.NewerURL = paths.QuestList(l.state, l.search, l.page-1)
	}
	return render(c, http.StatusOK, views.QuestsPage(page))
}

// listQuests fills in the rows, and reports whether there are more.
func (p *Pages) listQuests(ctx context.Context, l questList, page *views.Quests) (more bool, err error) {
	listed := map[string]bool{}
	for _, q := range p.active(l) {
		listed[q.ID] = true
		if l.page == 0 {
			page.Rows = append(page.Rows, p.present(q).Row())
		}
	}
	f := orchestration.EndedFilter{Search: l.search, Skip: l.page * questsPage, N: questsPage + 1}
	switch status := orchestration.Status(l.state); status {
	case listAll:
	case orchestration.StatusComplete, orchestration.StatusAbandoned:
		f.Status = status
	case orchestration.StatusWaiting:
		f.Undelivered = true
	default:
		return false, nil
	}
	over, err := p.Quests.Ended(ctx, f)
	if err != nil {
		return false, err
	}
	for i, e := range over {
		if i == questsPage {
			return true, nil
		}
		if !listed[e.ID] { // it has just ended
			page.Rows = append(page.Rows, p.endedRow(e))
		}
	}
	return false, nil
}

// active returns the active quests that match, in the order of the list.
func (p *Pages) active(l questList) []*orchestration.Quest {
	var fit []*orchestration.Quest
	for _, q := range p.Quests.Active() {
		words := strings.ToLower(q.Title + "\n" + q.Repo + "\n" + q.ID)
		if strings.Contains(words, strings.ToLower(l.search)) && (l.state == listAll || p.inState(q, l.state)) {
			fit = append(fit, q)
		}
	}
	slices.SortStableFunc(fit, func(a, b *orchestration.Quest) int { return cmp.Compare(p.place(a), p.place(b)) })
	return fit
}

func (p *Pages) inState(q *orchestration.Quest, state string) bool {
	holds := p.Quests.Holds()
	if orchestration.Status(state) == orchestration.StatusWaiting {
		return len(q.Needs(holds)) > 0
	}
	return string(q.Status(holds)) == state
}

// place sorts damaged quests first, then running, waiting and paused ones.
func (p *Pages) place(q *orchestration.Quest) int {
	return slices.Index([]orchestration.Status{orchestration.StatusDamaged, orchestration.StatusRunning, orchestration.StatusWaiting,
		orchestration.StatusPaused,
		orchestration.StatusComplete, orchestration.StatusAbandoned}, q.Status(p.Quests.Holds()))
}

func (p *Pages) endedRow(e orchestration.Ended) views.QuestHead {
	h := p.view().Ended(&e).Row()
	h.Needs = present.NeedsWords(e.Needs())
	return h
}

func draftsFilter(l questList, n int) views.Tab {
	words := "Drafts"
	if n > 0 {
		words = fmt.Sprintf("Drafts (%d)", n)
	}
	return views.Tab{Words: words, URL: paths.QuestList(listDrafts, l.search, 0), Current: l.state == listDrafts}
}

// filterCounts counts the quests of each filter of those that are not over, or wait for the
// user. What is over is not counted: there may be thousands.
func (p *Pages) filterCounts() []views.TabCount {
	var counts []views.TabCount
	for _, state := range []orchestration.Status{orchestration.StatusRunning, orchestration.StatusWaiting, orchestration.StatusPaused} {
		c := views.TabCount{ID: "filter-" + string(state), N: len(p.active(questList{state: string(state)}))}
		if state == orchestration.StatusWaiting {
			over := p.needy(nil)
			for _, q := range p.Quests.Active() {
				delete(over, q.ID) // it was counted
			}
			c.N += len(over)
		}
		counts = append(counts, c)
	}
	return counts
}

func (p *Pages) questFilters(l questList) []views.Tab {
	list := []views.Tab{{Words: "All"}, {ID: string(orchestration.StatusRunning), Words: "Running"},
		{ID: string(orchestration.StatusWaiting), Words: "Needs you"},
		{ID: string(orchestration.StatusPaused), Words: "Paused"}, {ID: string(orchestration.StatusComplete), Words: "Complete"},
		{ID: string(orchestration.StatusAbandoned), Words: "Abandoned"}}
	counts := p.filterCounts()
	for i := range list {
		list[i].URL, list[i].Current = paths.QuestList(list[i].ID, l.search, 0), list[i].ID == l.state
		for _, c := range counts {
			if l.search == "" && c.ID == "filter-"+list[i].ID {
				list[i].Count = &c
			}
		}
		list[i].ID = ""
	}
	return list
}
