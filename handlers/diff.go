package handlers

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// review is a diff under review: of a line, or (line nil) of the whole quest.
type review struct {
	q      *orchestration.Quest
	line   *orchestration.Step
	drafts []draft // comments being written without JavaScript
	fault  string  // why they were not sent
	posted bool    // this answers a form
}

// QuestDiff is the page of what the whole quest changed.
func (p *Pages) QuestDiff(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.diff(c, http.StatusOK, review{q: q})
}

// StepDiff is the page of what one line of work changed.
func (p *Pages) StepDiff(c echo.Context) error {
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	return p.diff(c, http.StatusOK, review{q: q, line: s})
}

func (r review) lineID() string {
	if r.line == nil {
		return ""
	}
	return r.line.ID
}

// here is the page's own address.
func (r review) here() string {
	if r.line == nil {
		return paths.QuestDiff(r.q.ID)
	}
	return paths.StepDiff(r.q.ID, r.line.ID)
}

// branch is where the work is, for a person with git.
func (r review) branch() string {
	if r.line == nil {
		return "quest/" + r.q.ID
	}
	return "quest-steps/" + r.q.ID + "/" + r.line.ID
}

// undeclared reports whether the plan does not name the file.
func (r review) undeclared(path string) bool {
	if r.line != nil {
		return slices.Contains(r.line.Undeclared(), path)
	}
	named := false
	for _, s := range r.q.Steps.All() {
		named = named || slices.Contains(s.Files, path)
	}
	return !named
}

// diff renders the page. What was typed into it is kept, whatever became of
// the diff.
func (p *Pages) diff(c echo.Context, status int, r review) error {
	view, err := readDiffView(c)
	if err != nil {
		return err
	}
	page, err := p.diffPage(c, r, view)
	if err != nil {
		return err
	}
	patch, cut, empty, err := p.readDiff(c.Request().Context(), r)
	switch {
	case err != nil:
		return err
	case empty != nil:
		page.Empty = &empty.DiffEmpty
		if status == http.StatusOK && empty.status != 0 {
			status = empty.status
		}
	default:
		diffview.Builder{Page: &page, View: view, Branch: r.branch(), Undeclared: r.undeclared}.Build(patch, cut)
	}
	(&commentForm{review: r, view: view, page: &page}).fill(c.FormValue("on"))
	return render(c, status, views.DiffPage(page))
}

// diffPage is the page around the diff.
func (p *Pages) diffPage(c echo.Context, r review, view diffview.View) (views.Diff, error) {
	present := p.present(r.q)
	page := views.Diff{Heading: clean(r.q.Title), Quest: clean(r.q.Title), QuestURL: paths.Quest(r.q.ID), Here: r.here(),
		State: present.questState(), Read: views.Since(p.Clock(), p.Clock()), Fault: clean(r.fault), Split: view.Split,
		Raw: paths.QuestPatch(r.q.ID), Notice: present.commentsSent(c, r.line)}
	if r.line != nil {
		step := present.step(r.line, "")
		page.Step, page.Heading, page.Raw = &step, step.Title, paths.StepPatch(r.q.ID, r.line.ID)
	}
	frame, err := p.frame(c.Request().Context(), "Diff of "+page.Heading, views.SectionQuests)
	if err != nil {
		return page, err
	}
	if r.line != nil {
		frame.Topic, frame.Version = stepTopic(r.q.ID, r.line.ID), r.q.Version
	}
	page.Frame = frame
	page.Views = []views.Link{{Words: "Unified", URL: r.here() + view.Query("view=unified"), Current: !view.Split},
		{Words: "Split", URL: r.here() + view.Query("view=split"), Current: view.Split}}
	return page, nil
}

const viewCookie = "diff_view"

// readDiffView reads how the diff shall be shown. The choice of columns is
// remembered.
func readDiffView(c echo.Context) (diffview.View, error) {
	v := diffview.View{File: c.FormValue("file"), Page: 1}
	if page := c.FormValue("page"); page != "" {
		n, err := strconv.Atoi(page)
		if err != nil || n < 1 {
			return v, echo.NewHTTPError(http.StatusBadRequest, "page must be a number from 1")
		}
		v.Page = n
	}
	chosen := c.QueryParam("view")
	if chosen == "" {
		if cookie, err := c.Cookie(viewCookie); err == nil {
			chosen = cookie.Value
		}
	} else {
		c.SetCookie(&http.Cookie{Name: viewCookie, Value: chosen, Path: paths.Quests, MaxAge: 365 * 24 * 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	v.Split = chosen == "split"
	return v, nil
}
