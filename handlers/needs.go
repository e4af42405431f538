package handlers

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// needs returns everything that waits for the user. Every page shows its length.
func (p *Pages) needs(active []*orchestration.Quest) []orchestration.Need {
	return orchestration.NeedsOf(active, p.Quests.Undelivered(), p.Quests.Holds())
}

// Inbox shows the page "Needs you": everything that waits for the user, oldest first;
// with ?quest= only that quest's, with ?q= only what has these words.
func (p *Pages) Inbox(c echo.Context) error {
	frame := p.frame("Needs you", views.SectionQuestions)
	frame.Topic = topicInbox
	page := p.inbox(c.QueryParam("quest"))
	page.Search = views.Visible(strings.TrimSpace(c.QueryParam("q")))
	page.Narrowed = page.Narrowed || page.Search != ""
	narrow(&page)
	page.Frame = frame
	return render(c, http.StatusOK, views.InboxPage(page))
}

// narrow keeps only what has the searched words.
func narrow(page *views.Inbox) {
	wanted := strings.Fields(strings.ToLower(page.Search))
	page.Items = slices.DeleteFunc(page.Items, func(n views.Need) bool {
		text := strings.Join([]string{n.Title, n.Quest, n.Step, n.Role, n.Text}, " ")
		for _, held := range n.Quests {
			text += " " + held.Words
		}
		return !holdsAll(strings.ToLower(text), wanted)
	})
}

// navNeeds is what the navigation of every page says: the length of the list, and the newest
// entry.
func (p *Pages) navNeeds(active []*orchestration.Quest) views.Needs {
	list := p.needs(active)
	if len(list) == 0 {
		return views.Needs{}
	}
	n := list[len(list)-1]
	item, is := p.need(n, p.needy(active))
	if !is { // it ended in between
		return views.Needs{Total: len(list)}
	}
	needs := views.Needs{Total: len(list), Newest: item.ID, Words: item.Title, URL: cmp.Or(item.URL, paths.Questions)}
	if !n.Since.IsZero() {
		needs.At = n.Since.UTC().Format("2006-01-02T15:04:05.000")
	}
	for _, part := range []string{item.Step, item.Quest} {
		if part != "" {
			needs.Words += ", " + part
		}
	}
	return needs
}

// inbox lists what concerns a quest; "": all.
func (p *Pages) inbox(quest string) views.Inbox {
	active := p.Quests.Active()
	list, quests := p.needs(active), p.needy(active)
	page := views.Inbox{Total: len(list), Narrowed: quest != ""}
	for _, n := range list {
		if quest != "" && n.Quest != quest && !slices.Contains(n.Quests, quest) {
			continue
		}
		if item, is := p.need(n, quests); is {
			page.Items = append(page.Items, item)
		}
	}
	return page
}

// needy returns the quests that the list is about, by their ids.
func (p *Pages) needy(active []*orchestration.Quest) map[string]*orchestration.Quest {
	quests := map[string]*orchestration.Quest{}
	for _, q := range slices.Concat(p.Quests.Undelivered(), active) { // a quest in both lists is active
		quests[q.ID] = q
	}
	return quests
}

// need shows an entry of the list; false: its quest is gone.
func (p *Pages) need(n orchestration.Need, quests map[string]*orchestration.Quest) (item views.Need, is bool) {
	switch q := quests[n.Quest]; {
	case n.Kind == orchestration.NeedBudget && n.Quest == "":
		return p.budgetNeed(n, quests), true
	case n.Kind == orchestration.NeedLogin:
		return p.loginNeed(n, quests), true
	case q != nil:
		return p.present(q).Need(n), true
	default:
		return item, false
	}
}

// budgetNeed shows that the server's budget is spent.
func (p *Pages) budgetNeed(n orchestration.Need, quests map[string]*orchestration.Quest) views.Need {
	item := views.Need{ID: "need-budget-server", Kind: string(n.Kind), Icon: "✕", Title: "The server's budget is spent",
		Text: present.Sentence(n.Reason), Waiting: views.Since(n.Since, p.Clock()), Label: "Raise the budget", URL: paths.Limits}
	item.Quests = heldQuests(n, quests)
	return item
}

func heldQuests(n orchestration.Need, quests map[string]*orchestration.Quest) (held []views.Link) {
	for _, quest := range n.Quests {
		held = append(held, views.Link{Words: views.Visible(quests[quest].Title), URL: paths.Quest(quest)})
	}
	return held
}

// loginNeed shows an account that holds quests. Trying again for one of them tries for
// all.
func (p *Pages) loginNeed(n orchestration.Need, quests map[string]*orchestration.Quest) views.Need {
	item := views.Need{ID: "need-login-" + views.Visible(n.Agent), Kind: string(n.Kind), Icon: "↻",
		Title: "The agent " + views.Visible(n.Agent) + " is not logged in",
		Text:  present.Sentence(n.Reason), Waiting: views.Since(n.Since, p.Clock()), Post: "Try again", PostURL: paths.ResumeQuest(n.Quests[0])}
	item.Quests = heldQuests(n, quests)
	return item
}
