package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Kept lists the work of a quest that is in no branch any more.
func (p *Pages) Kept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(*views.Kept) {})
}

// RestoreKept makes a new branch of what was kept.
func (p *Pages) RestoreKept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	ref, branch := c.FormValue("ref"), strings.TrimSpace(c.FormValue("branch"))
	err = p.Trees.Restore(c.Request().Context(), q, ref, branch)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid {
		return p.kept(c, http.StatusUnprocessableEntity, q, func(k *views.Kept) { refuseName(k, ref, branch, refusal) })
	}
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(k *views.Kept) { k.Restored = clean(branch) })
}

func refuseName(k *views.Kept, ref, branch string, refusal *orchestration.Error) {
	why := refusal.Fields["branch"]
	if why == "" {
		why = refusal.Message
	}
	for i := range k.Rows {
		if k.Rows[i].Ref == ref {
			k.Rows[i].Branch = views.Field{Value: branch, Error: sentence(why) + "."}
		}
	}
}

func (p *Pages) kept(c echo.Context, status int, q *orchestration.Quest, change func(*views.Kept)) error {
	ctx := c.Request().Context()
	frame, err := p.frame(ctx, "Kept work · "+q.Title, views.SectionQuests)
	if err != nil {
		return err
	}
	k := views.Kept{Frame: frame, Quest: clean(q.Title), QuestURL: paths.Quest(q.ID), ID: q.ID}
	all, err := p.Trees.Kept(ctx, q)
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		k.Error, err = sentence(err.Error())+".", nil
	}
	if err != nil {
		return err
	}
	for i, work := range all {
		k.Rows = append(k.Rows, p.present(q).kept(i, work))
	}
	change(&k)
	return render(c, status, views.KeptPage(k))
}

func (p *presenter) kept(n int, work orchestration.Kept) views.KeptRow {
	line := strings.TrimPrefix(work.Line, "_")
	row := views.KeptRow{ID: fmt.Sprintf("kept-%d", n+1), Ref: work.Ref, Line: clean(line), Why: p.keptWhy(work.Label),
		Subject: clean(work.Subject), Commit: short(work.Commit), At: views.Since(work.At, p.Now),
		Branch: views.Field{Value: fmt.Sprintf("kept/%s/%s-%s", p.q.ID, line, work.Label)}}
	if clean(row.Branch.Value) != row.Branch.Value { // an agent can write refs too: no name is proposed that looks like another
		row.Branch.Value = fmt.Sprintf("kept/%s/%d", p.q.ID, n+1)
	}
	if s := p.q.Line(work.Line); s != nil {
		row.Line, row.LineURL = lineTitle(s), paths.Step(p.q.ID, s.ID)
	}
	if line != work.Line { // no step's: git knows the quest's own tree by such a name
		row.Line = "The quest's own worktree"
	}
	return row
}

// keptWhy says why something was kept. A label that is taken gets a number.
func (p *presenter) keptWhy(label string) string {
	if run, is := strings.CutSuffix(label, "-setup"); is && p.q.Run(run) != nil {
		return "The set-up command left it in a new worktree, and git does not ignore it. That was undone."
	}
	r := p.q.Run(label)
	if r != nil && r.Role == orchestration.Ward {
		return "The check left it behind. That was undone."
	}
	if r != nil {
		return roleName(r.Role) + " changed files although it only reads. That was undone."
	}
	words := map[string]string{
		"uncommitted": "It was not committed when its worktree was removed.",
		"staged":      "It was staged, and not committed, in a worktree that somebody deleted.",
		"unmerged":    "It was committed, but not merged when its step was given up.",
		"rewound":     "An agent took the step's branch back behind it.",
		"elsewhere":   "An agent committed it beside the step's branch.",
		"committed":   "It was committed on the quest's branch, past the check.",
		"autostash":   "An agent's rebase had put it away.",
		"in-the-way":  "It was in the way when the quest's files were brought up to date.",
		"branch":      "It was the quest's branch when that was deleted.",
	}
	if why := words[label]; why != "" {
		return why
	}
	if at := strings.LastIndexByte(label, '-'); at > 0 {
		if why := words[label[:at]]; why != "" {
			return why
		}
	}
	return "Kept as " + clean(label) + "."
}
