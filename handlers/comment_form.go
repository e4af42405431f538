package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/diffview"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// commentForm puts comments that are being written onto the page of a diff.
type commentForm struct {
	review
	view diffview.View
	page *views.Diff
}

// form is the form around the diff.
func (f *commentForm) form() views.CommentForm {
	form := views.CommentForm{Draft: "comments:" + f.q.ID + "/" + f.stepID(), Query: f.view.Query(""), File: f.view.File, Page: f.view.Page,
		Around: f.view.Around,
		Action: paths.QuestComments(f.q.ID), Show: paths.QuestDiff(f.q.ID), Closed: f.closed(), Hint: f.hint()}
	if f.step != nil {
		form.Action, form.Show = paths.StepComments(f.q.ID, f.step.ID), paths.StepDiff(f.q.ID, f.step.ID)
	}
	return form
}

// hint says what will happen to the comments when they are sent.
func (f *commentForm) hint() string {
	switch {
	case f.step != nil && f.step.Stage != orchestration.StageDone:
		return "Comments go to Spiritmender, in this step's own worktree."
	case f.q.Phase == orchestration.PhaseComplete:
		return "Comments become a new step, and the quest opens again."
	default:
		return "This work is merged, so comments become a new step."
	}
}

// closed says why comments cannot be written.
func (f *commentForm) closed() string {
	err := f.q.May(orchestration.CommentsSent{Step: f.stepID()})
	switch {
	case f.page.Empty != nil:
		return f.page.Empty.Text
	case err == nil:
		return ""
	case f.q.Abandoned:
		return "The quest was abandoned, so it takes no comments."
	case f.q.Delivered != nil:
		return "Merged. Start a follow-up quest for what is left."
	case f.step != nil && f.step.Stage == orchestration.StageSuperseded:
		return "Other steps have replaced this one: comment on their diffs."
	case f.step != nil && f.step.Stage == orchestration.StageSkipped:
		return "This step was skipped, so it takes no comments."
	}
	return present.Sentence(views.Visible(err.Error())) + "."
}

// draft is a comment in the form.
type draft struct {
	name  string // the path as Go quotes it: a form changes line ends, and knows UTF-8 alone
	path  string
	at    string // f: the whole file; n12: line 12; o12: line 12 before, which was removed
	quote string
	text  string
	fault string
	focus bool
}

// draftsMost is how many comments a form may hold.
const draftsMost = 200

var errForm = echo.NewHTTPError(http.StatusBadRequest, "The form cannot be read.")

// readDrafts reads the comments of the form, in their order.
func readDrafts(c echo.Context) ([]draft, error) {
	form, err := c.FormParams()
	if err != nil {
		return nil, errForm
	}
	files, at, quotes, texts := form["comment-file"], form["comment-at"], form["comment-quote"], form["comment-text"]
	if len(files) != len(at) || len(files) != len(quotes) || len(files) != len(texts) {
		return nil, errForm
	}
	if len(files) > draftsMost {
		return nil, echo.NewHTTPError(http.StatusRequestEntityTooLarge, fmt.Sprintf("At most %d comments can be sent at once.", draftsMost))
	}
	drafts := make([]draft, len(files))
	for i := range files {
		d := draft{name: files[i], at: at[i], quote: strings.ToValidUTF8(quotes[i], "\uFFFD"),
			text: strings.ToValidUTF8(typed(texts[i]), "\uFFFD")}
		if d.path, err = strconv.Unquote(d.name); err != nil || !goodPlace(d.at) {
			return nil, errForm
		}
		drafts[i] = d
	}
	return drafts, nil
}

func goodPlace(at string) bool {
	if at == "f" {
		return true
	}
	side, number, _ := cutPlace(at)
	return number > 0 && (side == 'n' || side == 'o') && at == fmt.Sprint(string(side), number)
}

func cutPlace(at string) (side byte, line int, err error) {
	if at == "" {
		return 0, 0, strconv.ErrSyntax
	}
	line, err = strconv.Atoi(at[1:])
	return at[0], line, err
}

// place returns the side and the line; 'f' and 0 for the whole file.
func (d draft) place() (side byte, line int) {
	side, line, _ = cutPlace(d.at)
	return side, line
}

// where describes the place.
func (d draft) where() string {
	side, line := d.place()
	switch side {
	case 'o':
		return fmt.Sprintf("Comment on removed line %d of %s", line, diffview.ShortPath(d.path))
	case 'n':
		return fmt.Sprintf("Comment on line %d of %s", line, diffview.ShortPath(d.path))
	default:
		return "Comment on " + diffview.ShortPath(d.path)
	}
}

// fill adds the drafts to their lines and, with on (KEY.PLACE), one more. Drafts whose
// lines are not on the page are shown together.
func (f *commentForm) fill(on string) {
	f.page.Form = f.form()
	if f.page.Form.Closed == "" && on != "" {
		f.open(on)
	}
	f.page.Form.Buttons = f.posted || len(f.drafts) > 0
	f.page.Form.Count = len(f.drafts)
	for i, d := range f.drafts {
		view := views.Comment{ID: fmt.Sprint("comment-", i), Where: d.where(), File: d.name, At: d.at, Quote: views.Visible(d.quote),
			Text: views.Field{Value: d.text, Error: views.Visible(d.fault)}, Focus: d.focus}
		list := f.commentsAt(d)
		*list = append(*list, view)
	}
}

// open adds an empty draft, or moves to the existing one.
func (f *commentForm) open(on string) {
	key, at, _ := strings.Cut(on, ".")
	n := slices.IndexFunc(f.page.Files, func(f views.DiffFile) bool { return f.Key == key && f.Name != "" })
	if n < 0 || !goodPlace(at) {
		return
	}
	d := draft{name: f.page.Files[n].Name, at: at}
	d.path, _ = strconv.Unquote(d.name) // we quoted it
	if i := slices.IndexFunc(f.drafts, func(other draft) bool { return other.name == d.name && other.at == at }); i >= 0 {
		f.drafts[i].focus = true
		return
	}
	d.focus = true
	if row := f.page.Files[n].Row(on); row != nil {
		d.quote = row.Text
	}
	f.drafts = append(f.drafts, d)
}

// commentsAt returns the list that a draft belongs to.
func (f *commentForm) commentsAt(d draft) *[]views.Comment {
	for i := range f.page.Files {
		file := &f.page.Files[i]
		if file.Name != d.name || file.Name == "" {
			continue
		}
		if d.at == "f" {
			return &file.Comments
		}
		if row := file.Row(file.Key + "." + d.at); row != nil {
			return &row.Comments
		}
	}
	return &f.page.Form.Elsewhere
}
