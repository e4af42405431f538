package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

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
	if id := r.lineID(); id == orchestration.LineRequirements || id == orchestration.LinePlan {
		return nil, false, onlyReads(r), nil
	}
	patch, cut, err = p.Diffs.Diff(ctx, r.q, r.lineID())
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
		empty.Text, empty.Remedy = sentence(refusal.Message)+".", "Nothing of the quest is lost by that. When it is mended, load this page again."
		empty.Links = []views.Link{{Words: "Load again", URL: r.here()}, {Words: "To the quest", URL: paths.Quest(r.q.ID)}}
		return nil, false, empty, nil
	default:
		return nil, false, nil, err
	}
}

func sharedTree(q *orchestration.Quest) *diffEmpty {
	return &diffEmpty{DiffEmpty: views.DiffEmpty{
		Text:    "The agents of this quest work in the repository itself, beside whatever else is changed there, so there is no diff of their own to show.",
		Remedy:  "Look at what is not committed there:",
		Command: "git -C " + shellWord(clean(q.Repo)) + " diff HEAD",
		Links:   []views.Link{{Words: "To the quest", URL: paths.Quest(q.ID)}}}}
}

func onlyReads(r review) *diffEmpty {
	return &diffEmpty{DiffEmpty: views.DiffEmpty{
		Text:  lineTitle(r.line) + " is written from reading the repository: nothing is changed in it here.",
		Links: []views.Link{{Words: "Read the document", URL: paths.Step(r.q.ID, r.line.ID)}}}}
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

// nothingYet says when the diff will fill.
func (p *Pages) nothingYet(r review) *diffEmpty {
	var empty diffEmpty
	if r.line == nil {
		empty.Text = "Nothing has reached the quest's branch yet."
		if r.q.Over() {
			empty.Text = "The quest's branch is where it began: nothing was changed."
			return &empty
		}
		empty.Remedy = "A step's work arrives there once it is merged. Until then each step has a diff of its own."
		for _, s := range r.q.Steps.All() {
			if len(s.Changed) > 0 && !s.Stage.Settled() {
				empty.Links = append(empty.Links, views.Link{Words: lineTitle(s), URL: paths.StepDiff(r.q.ID, s.ID)})
			}
		}
		return &empty
	}
	switch s := r.line; {
	case s.Stage == orchestration.StageSuperseded:
		empty.Text = "This step was replaced by others before it changed anything."
		for _, id := range s.ReplacedBy {
			empty.Links = append(empty.Links, p.present(r.q).link(id))
		}
	case s.Stage == orchestration.StageSkipped:
		empty.Text = "This step was skipped: nothing of it is in the quest."
	case s.Stage == orchestration.StageDone:
		empty.Text = "This step is done, and it changed nothing."
	case r.q.Over():
		empty.Text = "The quest ended before this step changed anything."
	case !s.Started:
		empty.Text = "This step has not begun, so nothing is changed yet."
		empty.Remedy = "Its changes appear here when its first run ends: that is when they are committed."
	default:
		empty.Text = "Nothing is committed yet."
		empty.Remedy = "What a run changed is committed when that run ends; then it appears here."
	}
	empty.Links = append(empty.Links, views.Link{Words: "Load again", URL: r.here()})
	return &empty
}
