package handlers

import (
	"cmp"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/web/paths"
)

// Link leads on from a page that says what went wrong.
type Link struct{ Words, URL string }

// Up is where somebody can go on whose request failed: what the address names
// above it, as far as that is there, the nearest first.
func (p *Pages) Up(c echo.Context) []Link {
	var list []Link
	if q := p.around(c); q != nil {
		if s := q.Line(lineOf(c, q)); s != nil && paths.Step(q.ID, s.ID) != c.Request().URL.Path {
			list = append(list, Link{"To " + lineTitle(s), paths.Step(q.ID, s.ID)})
		}
		list = append(list, Link{"To the quest", paths.Quest(q.ID)})
	}
	path := c.Request().URL.Path
	switch {
	case strings.HasPrefix(path, paths.Drafts):
		list = append(list, Link{"Drafts", paths.QuestList(listDrafts, "", 0)})
	case strings.HasPrefix(path, paths.Roles):
		list = append(list, Link{"Roles", paths.Roles})
	}
	return append(list, Link{"All quests", paths.Quests}, Link{"Needs you", paths.Questions})
}

// around is the quest that an address is about; nil where there is none.
func (p *Pages) around(c echo.Context) *orchestration.Quest {
	id := cmp.Or(c.Param("quest"), orchestration.QuestOf(c.Param("run")), orchestration.QuestOf(c.Param("question")))
	if id == "" {
		return nil
	}
	q, err := p.Quests.Quest(c.Request().Context(), id)
	if err != nil {
		return nil
	}
	return q
}

// lineOf is the line of the quest that an address is about.
func lineOf(c echo.Context, q *orchestration.Quest) string {
	if r := q.Run(c.Param("run")); r != nil {
		return r.Line
	}
	if question := q.Question(c.Param("question")); question != nil {
		return question.Line
	}
	return cmp.Or(c.Param("step"), c.Param("gate"))
}

// UpShared is Up for a guest: the board of the share.
func UpShared(c echo.Context) []Link {
	return []Link{{"To the quest", paths.Shared(c.Param("token"))}}
}
