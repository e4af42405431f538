package handlers

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
)

// user is the actor of all requests here, because there is one owner.
const user = "user"

// Deps are the parts that the pages need. Every field is required.
type Deps struct {
	service.Service
	Trials  service.Trials
	Started Started
	// Redactor redacts everything that a share shows.
	Redactor *redact.Redactor
	// Reached: others than this machine can follow links to this server.
	Reached bool
	// ReadOnly says why nothing can be stored right now, or nil. Unset: everything can
	// always be stored.
	ReadOnly func() *service.ReadOnly
	// SignedIn: a login is required, so pages offer to log out.
	SignedIn bool
}

// Started has the values that the server was started with. They apply if the settings
// say nothing.
type Started struct {
	Slots    int
	Checks   int
	Timeouts record.Timeouts
	Model    string // of every agent; empty: the agent's own choice
	// Arguments are further ones for every agent; they come last and win.
	Arguments []string
	// Given lists the flags that were set, with where: "flag", or the name of an
	// environment variable.
	Given map[string]string
}

// Pages are the handlers of all pages.
type Pages struct {
	Deps
	made      *madeRows
	following *sync.Mutex // held while a follow-up begins
}

// New returns the pages.
func New(d Deps) *Pages { return &Pages{Deps: d, made: &madeRows{}, following: &sync.Mutex{}} }

// render writes a page. It renders the whole page before the first byte, so that a
// fault in a view gives a 500 and not half a page.
func render(c echo.Context, status int, view templ.Component) error {
	var page bytes.Buffer
	if err := view.Render(looking(c), &page); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	c.Response().Header().Set("Vary", "HX-Request-Type")
	return c.HTMLBlob(status, page.Bytes())
}

// partial reports whether htmx wants only the panel.
func partial(c echo.Context) bool { return c.Request().Header.Get("HX-Request-Type") == "partial" }

// see redirects the browser to the page that shows the result of its form.
func see(c echo.Context, url string) error { return c.Redirect(http.StatusSeeOther, url) }

// frame returns the frame of a page.
func (p *Pages) frame(title string, section views.Section) views.Frame {
	active := p.Quests.Active()
	return views.Frame{Title: views.Visible(title), Section: section, Needs: p.navNeeds(active),
		Busy: busyOf(active), Slots: p.Quests.Slots(), SignedIn: p.SignedIn, ReadOnly: p.ReadOnlyNotice()}
}

// questFrame returns the frame of a page of a quest, for a guest or, if g is nil, for the
// owner. trail leads from the quest to a page that has no tab of its own.
func (p *Pages) questFrame(g *guest, q *orchestration.Quest, title string, tab views.QuestTab, trail ...views.Link) views.Frame {
	var frame views.Frame
	if g == nil {
		frame = p.frame(title, views.SectionQuests)
	} else {
		frame = p.guestFrame(g, title)
	}
	frame.Quest = p.presentTo(g, q).Page(tab, trail...)
	return frame
}

func busyOf(quests []*orchestration.Quest) int {
	n := 0
	for _, q := range quests {
		n += present.Busy(q)
	}
	return n
}

// quest loads the quest that the URL names.
func (p *Pages) quest(c echo.Context) (*orchestration.Quest, error) {
	return p.Quests.Quest(c.Request().Context(), c.Param("quest"))
}

// view returns the owner's current view.
func (p *Pages) view() present.View {
	return present.View{Now: p.Clock(), Holds: p.Quests.Holds(), SharedBudgets: p.Quests.SharedBudgets(), Slots: p.Quests.Slots(),
		Checks: p.Quests.Checks(), Turns: p.Quests.Turns(), Active: p.Quests.Active, LastLine: p.Quests.LastLine,
		Compactions: p.Quests.Compactions, Spending: p.spending,
		Usual: p.usual, Place: p.Trees.Place, Editor: p.editorLink, Untrusted: p.untrusted}
}

// present returns a quest as the owner sees it now.
func (p *Pages) present(q *orchestration.Quest) *present.Quest { return p.view().Quest(q) }

// presentTo is present for a guest, or for the owner if g is nil.
func (p *Pages) presentTo(g *guest, q *orchestration.Quest) *present.Quest {
	view := p.view()
	if g != nil {
		view.Active, view.Usual, view.SharedBudgets = nil, nil, nil
		view.Share, view.Site, view.Redactor = &g.Share, g.site(), p.redactorFor(g)
	}
	return view.Quest(q)
}

// typed normalises the line ends of a text area, because browsers send CRLF.
func typed(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// editorLink returns the link that opens a folder in the user's editor; "" if none is
// set.
func (p *Pages) editorLink(dir string) string {
	settings, err := p.Settings.Settings(context.Background())
	if err != nil { // the page works without the link
		return ""
	}
	return settings.EditorLink(dir)
}
