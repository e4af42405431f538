package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// needs is all that waits for the user. Its length is the number on every page.
func (p *Pages) needs(active []*orchestration.Quest) []orchestration.Need {
	return orchestration.NeedsOf(active, p.Quests.Undelivered(), p.Quests.Holds())
}

// Inbox is the page "Needs you": all that waits for the user, oldest first; with
// ?quest= what concerns one quest, with ?q= what holds these words.
func (p *Pages) Inbox(c echo.Context) error {
	ctx := c.Request().Context()
	frame, err := p.frame(ctx, "Needs you", views.SectionQuestions)
	if err != nil {
		return err
	}
	frame.Topic = topicInbox
	page := p.inbox(c.QueryParam("quest"))
	page.Search = clean(strings.TrimSpace(c.QueryParam("q")))
	page.Narrowed = page.Narrowed || page.Search != ""
	narrow(&page)
	page.Frame = frame
	return render(c, http.StatusOK, views.InboxPage(page))
}

// narrow leaves what holds the words that are searched for.
func narrow(page *views.Inbox) {
	wanted := strings.Fields(strings.ToLower(page.Search))
	page.Items = slices.DeleteFunc(page.Items, func(n views.Need) bool {
		text := strings.Join([]string{n.Title, n.Quest, n.Line, n.Role, n.Text}, " ")
		for _, held := range n.Quests {
			text += " " + held.Words
		}
		return !holdsAll(strings.ToLower(text), wanted)
	})
}

// inbox lists what concerns a quest; "": all.
func (p *Pages) inbox(quest string) views.Inbox {
	active := p.Quests.Active()
	list, quests := p.needs(active), map[string]*orchestration.Quest{}
	for _, q := range slices.Concat(p.Quests.Undelivered(), active) { // one that is in both goes on
		quests[q.ID] = q
	}
	page := views.Inbox{Total: len(list), Narrowed: quest != ""}
	for _, n := range list {
		switch q := quests[n.Quest]; {
		case quest != "" && n.Quest != quest && !slices.Contains(n.Quests, quest):
		case n.Kind == orchestration.NeedLogin:
			page.Items = append(page.Items, p.loginNeed(n, quests))
		case q != nil:
			page.Items = append(page.Items, p.present(q).need(n))
		}
	}
	return page
}

// loginNeed is an account that holds quests: trying again for one of them tries
// for all.
func (p *Pages) loginNeed(n orchestration.Need, quests map[string]*orchestration.Quest) views.Need {
	item := views.Need{ID: "need-login-" + clean(n.Agent), Kind: string(n.Kind), Icon: "↻", Title: "The agent " + clean(n.Agent) + " is not logged in",
		Text: sentence(n.Reason), Waiting: views.Since(n.Since, p.Clock()), Post: "Try again", PostURL: paths.ResumeQuest(n.Quests[0])}
	for _, quest := range n.Quests {
		item.Quests = append(item.Quests, views.Link{Words: clean(quests[quest].Title), URL: paths.Quest(quest)})
	}
	return item
}

// need is an entry of the list, with what can be done about it.
func (p *presenter) need(n orchestration.Need) views.Need {
	item := views.Need{ID: "need-" + strings.Join([]string{n.Quest, string(n.Kind), cmp.Or(n.Question, n.Line)}, "-"), Kind: string(n.Kind), Icon: "?",
		Quest: clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID), Text: sentence(n.Reason), Waiting: views.Since(n.Since, p.Now)}
	settings := paths.QuestSettings(p.q.ID)
	switch n.Kind {
	case orchestration.NeedAnswer:
		p.askedNeed(&item, p.q.Question(n.Question))
	case orchestration.NeedApproval:
		item.Title, item.Label, item.URL = strings.TrimSuffix(gateWords(n.Line), "."), "Read and approve", paths.Gate(p.q.ID, n.Line)
	case orchestration.NeedDecision:
		s := p.q.Line(n.Line)
		state, _ := p.state(s)
		item.Icon, item.Title, item.Line = state.Icon, state.Words, lineTitle(s)
		item.Label, item.URL = "Decide", p.Site.Step(p.q.ID, s.ID)
	case orchestration.NeedBudget:
		item.Title, item.Label, item.URL = "The budget is spent", "Raise the budget", settings
	case orchestration.NeedRuns:
		item.Title, item.Label, item.URL = "The limit of runs is reached", "Raise the limit", settings
	case orchestration.NeedStart:
		item.Icon, item.Title, item.Post, item.PostURL = "✕", "The agent cannot start", "Try again", paths.ResumeQuest(p.q.ID)
	case orchestration.NeedDelivery:
		branch, base := p.q.Branches()
		item.Icon, item.Title, item.Label, item.URL = "⎇", "The work is ready to deliver", "Deliver", paths.Delivery(p.q.ID)
		item.Text = fmt.Sprintf("It is on the branch %s and not in %s yet.", branch, clean(base))
	case orchestration.NeedRepair:
		item.Icon, item.Title, item.Label, item.URL = "✕", "The quest is damaged", "See the quest", p.Site.Quest(p.q.ID)
	case orchestration.NeedLogin: // is of the server
	}
	if item.Text == item.Title {
		item.Text = ""
	}
	return item
}

func (p *presenter) askedNeed(item *views.Need, question *orchestration.Question) {
	view := p.question(question)
	item.Title, item.Line, item.Role = view.Role+" asks", view.Line, view.Role
	item.Text, item.Prose, item.Label, item.URL = view.Text, true, "Answer", view.URL
}
