package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/diffview"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// review is a diff under review: of a step, or of the whole quest if step is nil.
type review struct {
	q      *orchestration.Quest
	step   *orchestration.Step
	drafts []draft // comments being written without JavaScript
	fault  string  // why they were not sent
	posted bool    // this answers a form
}

// QuestDiff shows what the whole quest changed.
func (p *Pages) QuestDiff(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.diff(c, http.StatusOK, review{q: q})
}

// StepDiff shows what one step changed.
func (p *Pages) StepDiff(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	return p.diff(c, http.StatusOK, review{q: q, step: s})
}

func (r review) stepID() string {
	if r.step == nil {
		return ""
	}
	return r.step.ID
}

// here returns the page's own address.
func (r review) here() string {
	if r.step == nil {
		return paths.QuestDiff(r.q.ID)
	}
	return paths.StepDiff(r.q.ID, r.step.ID)
}

// branch names the branch with the work, for a person with git.
func (r review) branch() string {
	if r.step == nil {
		return "quest/" + r.q.ID
	}
	return r.q.StepBranch(r.step.ID)
}

// undeclared reports whether the plan does not name the file.
func (r review) undeclared(path string) bool {
	if r.step != nil {
		return slices.Contains(r.step.Undeclared(), path)
	}
	named := false
	for _, s := range r.q.Steps.All() {
		named = named || slices.Contains(s.Files, path) || slices.Contains(s.Changed, path) && !slices.Contains(s.Undeclared(), path)
	}
	return !named
}

// diff renders the page. It keeps what was typed, even if the diff has changed.
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
		build := diffview.Builder{Page: &page, View: view, Branch: r.branch(), Undeclared: r.undeclared}
		build.More = func(around int, names []string) ([]byte, error) {
			patch, _, err := p.Trees.DiffOf(c.Request().Context(), r.q, r.stepID(), around, names)
			return patch, err
		}
		if r.step == nil {
			build.Steps = p.present(r.q).StepsThatChanged
			ctx, cancel := context.WithTimeout(c.Request().Context(), writersTime)
			defer cancel()
			if build.Writers, err = p.writers(ctx, r.q); err != nil {
				return err
			}
		}
		build.Build(patch, cut)
	}
	(&commentForm{review: r, view: view, page: &page}).fill(c.FormValue("on"))
	return render(c, status, views.DiffPage(page))
}

// writersTime is how long a page looks for the steps that wrote lines. Then it is shown
// without them.
const writersTime = 2 * time.Second

// writers returns a function that says which step wrote each line of a file; "": none, or
// it is not known.
func (p *Pages) writers(ctx context.Context, q *orchestration.Quest) (func(path string) []string, error) {
	merges, err := p.merges(ctx, q)
	if err != nil {
		return nil, err
	}
	steps, show := map[string]string{}, p.present(q)
	for _, e := range merges {
		if s := q.Step(e.Step); s != nil {
			steps[e.Data["commit"]] = show.ShortTitle(s)
		}
	}
	return func(path string) []string {
		lines, err := p.Trees.Writers(ctx, q, path)
		if err != nil {
			return nil
		}
		for i, commit := range lines {
			lines[i] = steps[commit]
		}
		return lines
	}, nil
}

// diffPage returns the page around the diff.
func (p *Pages) diffPage(c echo.Context, r review, view diffview.View) (views.Diff, error) {
	quest := p.present(r.q)
	page := views.Diff{Heading: views.Visible(r.q.Title), Here: r.here(),
		Read: views.Since(p.Clock(), p.Clock()), Fault: views.Visible(r.fault), Split: view.Split,
		Raw: paths.QuestPatch(r.q.ID)}
	if n, err := strconv.Atoi(c.QueryParam("sent")); err == nil && n > 0 {
		page.Notice = quest.CommentsSent(n, c.QueryParam("followup"), r.step)
	}
	if r.step != nil {
		step := quest.Step(r.step, "")
		page.Step, page.Heading, page.Raw = &step, step.Title, paths.StepPatch(r.q.ID, r.step.ID)
	}
	tab, trail := views.TabChanges, []views.Link(nil)
	if r.step != nil {
		tab, trail = views.TabNone, []views.Link{quest.Link(r.step.ID), {Words: "Diff"}}
	}
	frame := p.questFrame(nil, r.q, "Diff of "+page.Heading, tab, trail...)
	if r.step != nil {
		frame.Topic, frame.Version = present.StepTopic(r.q.ID, r.step.ID), r.q.Version
	}
	page.Frame = frame
	page.Views = []views.Link{{Words: "Unified", URL: r.here() + view.Query("view=unified"), Current: !view.Split},
		{Words: "Split", URL: r.here() + view.Query("view=split"), Current: view.Split}}
	return page, nil
}

const viewCookie = "diff_view"

// readDiffView reads how to show the diff. The choice of columns is stored.
func readDiffView(c echo.Context) (diffview.View, error) {
	v := diffview.View{File: c.FormValue("file"), Page: 1}
	if page := c.FormValue("page"); page != "" {
		n, err := strconv.Atoi(page)
		if err != nil || n < 1 {
			return v, echo.NewHTTPError(http.StatusBadRequest, "page must be a number from 1")
		}
		v.Page = n
	}
	if around := c.FormValue("around"); around != "" {
		n, err := strconv.Atoi(around)
		if err != nil || n < 1 || n > diffview.AroundMost {
			return v, echo.NewHTTPError(http.StatusBadRequest, fmt.Sprintf("around must be a number from 1 to %d", diffview.AroundMost))
		}
		v.Around = n
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

// diffEmpty is why there is no diff to show. status is 0 where that is no
// fault.
type diffEmpty struct {
	views.DiffEmpty
	status int
}

// readDiff reads the diff, or says why there is none.
func (p *Pages) readDiff(ctx context.Context, r review) (patch []byte, cut bool, empty *diffEmpty, err error) {
	if r.q.Workspace != orchestration.WorkspaceWorktree {
		return nil, false, sharedTree(r.q), nil
	}
	if id := r.stepID(); id == orchestration.StepRequirements || id == orchestration.StepPlan {
		return nil, false, onlyReads(r), nil
	}
	patch, cut, err = p.Trees.Diff(ctx, r.q, r.stepID())
	var refusal *orchestration.Error
	switch {
	case err == nil && len(patch) > 0:
		return patch, cut, nil, nil
	case err == nil, orchestration.CodeOf(err) == orchestration.CodeNotFound:
		return nil, false, p.nothingYet(r), nil
	case errors.As(err, &refusal):
		empty := &diffEmpty{status: http.StatusConflict}
		if refusal.Code == orchestration.CodeUnavailable {
			empty.status = http.StatusServiceUnavailable
		}
		empty.Text, empty.Remedy = present.Sentence(refusal.Message)+".", "Nothing of the quest is lost. Once this is fixed, reload the page."
		empty.Links = []views.Link{{Words: "Reload", URL: r.here()}}
		return nil, false, empty, nil
	default:
		return nil, false, nil, err
	}
}

func sharedTree(q *orchestration.Quest) *diffEmpty {
	return &diffEmpty{DiffEmpty: views.DiffEmpty{
		Text:    "This quest's agents work in the repository itself, next to any other changes there, so they have no diff of their own.",
		Remedy:  "To see the uncommitted changes there:",
		Command: "git -C " + shellWord(views.Visible(q.Repo)) + " diff HEAD"}}
}

func onlyReads(r review) *diffEmpty {
	return &diffEmpty{DiffEmpty: views.DiffEmpty{
		Text:  present.StepTitle(r.step) + " is written from reading the repository. It changes nothing there.",
		Links: []views.Link{{Words: "Read the document", URL: paths.Step(r.q.ID, r.step.ID)}}}}
}

// shellWord quotes a word for people to paste.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,@%:=", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// nothingYet says when there will be a diff.
func (p *Pages) nothingYet(r review) *diffEmpty {
	var empty diffEmpty
	if r.step == nil {
		empty.Text = "Nothing has reached the quest's branch yet."
		if r.q.Over() {
			empty.Text = "Nothing was changed on the quest's branch."
			return &empty
		}
		empty.Remedy = "A step's work arrives there once it is merged. Until then each step has a diff of its own."
		for _, s := range r.q.Steps.All() {
			if len(s.Changed) > 0 && !s.Stage.Settled() {
				empty.Links = append(empty.Links, views.Link{Words: present.StepTitle(s), URL: paths.StepDiff(r.q.ID, s.ID)})
			}
		}
		return &empty
	}
	switch s := r.step; {
	case s.Stage == orchestration.StageSuperseded:
		if empty.Text = "This step was replaced by others before it changed anything."; len(s.ReplacedBy) == 0 {
			empty.Text = "This step was left out by a new plan before anybody had begun it."
		}
		for _, id := range s.ReplacedBy {
			empty.Links = append(empty.Links, p.present(r.q).Link(id))
		}
	case s.Stage == orchestration.StageSkipped:
		empty.Text = "This step was skipped: none of its work is in the quest."
	case s.Stage == orchestration.StageDone:
		empty.Text = "This step is done, and it changed nothing."
	case r.q.Over():
		empty.Text = "The quest ended before this step changed anything."
	case !s.Started:
		empty.Text = "This step has not started, so nothing is changed yet."
		empty.Remedy = "Its changes are committed when its first run ends, and then appear here."
	default:
		empty.Text = "Nothing is committed yet."
		empty.Remedy = "A run's changes are committed when it ends, and then appear here."
	}
	empty.Links = append(empty.Links, views.Link{Words: "Reload", URL: r.here()})
	return &empty
}
