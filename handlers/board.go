package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Board is the page of a quest. With ?view=list, as in old links, it leads to the plan,
// which has all steps in a table.
func (p *Pages) Board(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if c.QueryParam("view") == "list" {
		return see(c, paths.Graph(q.ID))
	}
	return p.board(c, http.StatusOK, q, nil)
}

// board renders the board with a step's panel open, or none.
func (p *Pages) board(c echo.Context, status int, q *orchestration.Quest, step *views.Step) error {
	frame, shown := p.boardFrame(nil, q, step), p.present(q)
	board := shown.Board()
	shown.Close(board.Columns, closedColumns(c))
	filter := filterOf(c).narrow(q.ID, board.Columns)
	filter.Closed = views.Visible(c.QueryParam("closed"))
	p.measure(board.Whole.Log)
	following, err := p.FollowUps(c.Request().Context(), q.ID)
	if err != nil { // a list that cannot be read is no reason to hide the board
		p.Log.Error("list the follow-ups of a quest", "quest", q.ID, "error", err)
	}
	board.FollowUps = present.Following(following)
	board.Frame, board.Step, board.Filter = frame, step, &filter
	return render(c, status, views.BoardPage(board))
}

// closedColumns returns the columns that the URL closes.
func closedColumns(c echo.Context) []string { return strings.Split(c.QueryParam("closed"), ",") }

// boardFrame is the frame of a board with a step's panel open, or none.
func (p *Pages) boardFrame(g *guest, q *orchestration.Quest, step *views.Step) views.Frame {
	title, trail := q.Title, []views.Link(nil)
	if step != nil {
		title, trail = step.Title+" · "+q.Title, []views.Link{{Words: step.Title}}
	}
	frame := p.questFrame(g, q, title, views.TabBoard, trail...)
	frame.Topic, frame.Version = boardTopic(q.ID), q.Version
	return frame
}

// measure fills in how many lines a log has now.
func (p *Pages) measure(l *views.Log) {
	if l == nil {
		return
	}
	if _, total, err := p.Output.Page(l.Run, 0, 0); err == nil {
		l.Total = total
	}
}

// boardFilter narrows a board; the URL keeps it: ?q=, ?state= and ?role=.
// static/js/board-filter.js does the same while the user types, and for cards that come
// later.
type boardFilter struct{ text, state, role string }

func filterOf(c echo.Context) boardFilter {
	return boardFilter{text: strings.TrimSpace(c.QueryParam("q")), state: c.QueryParam("state"), role: c.QueryParam("role")}
}

// keeps reports whether a card is shown: it must match every part of the filter. The
// text is searched in the title, the id and the reason.
func (f boardFilter) keeps(c views.Card) bool {
	says := strings.ToLower(c.Title + " " + c.ID + " " + c.Why)
	return (f.state == "" || f.state == c.State.Class) && (f.role == "" || f.role == c.RoleID) &&
		strings.Contains(says, strings.ToLower(f.text))
}

// narrow hides the cards that do not match, and returns the filter's form.
func (f boardFilter) narrow(quest string, columns []views.Column) views.BoardFilter {
	form := views.BoardFilter{URL: paths.Quest(quest), Text: views.Visible(f.text), State: views.Visible(f.state), Role: views.Visible(f.role)}
	for i := range columns {
		for j := range columns[i].Cards {
			card := &columns[i].Cards[j]
			card.Hidden = !f.keeps(*card)
			form.All++
			if !card.Hidden {
				form.Shown++
			}
		}
	}
	for _, role := range orchestration.Roles {
		if present.HasCards(role) {
			form.Roles = append(form.Roles, views.Choice{Value: string(role), Words: present.RoleName(role)})
		}
	}
	return form
}

// RequestText answers with the whole request as plain text.
func (p *Pages) RequestText(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", fmt.Appendln(nil, views.Visible(asked(q))))
}

// asked is the request, and what the user changed later.
func asked(q *orchestration.Quest) string {
	text := q.Request
	for _, c := range q.Wishes() {
		text += "\n\nChanged at " + c.At.UTC().Format(time.RFC3339) + ":\n\n" + c.Text
	}
	return text
}
