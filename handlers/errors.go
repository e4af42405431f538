package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

func notFound(format string, args ...any) error {
	return &orchestration.Error{Code: orchestration.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

// Fault is an error as a page shows it.
type Fault struct {
	Status    int
	Heading   string
	Text      string
	Fields    map[string]string
	RequestID string // shown if the log says more
	SignedIn  bool   // false: the page has no navigation
	Sent      []SentField
	Again     string // where a refused form can be sent again
	ReadOnly  string // the notice of every page while nothing can be stored
	Up        []Link // links to existing pages above this one, the nearest first
}

// FaultPage shows a fault as a page or, for htmx, as a toast on the current page.
func FaultPage(c echo.Context, f Fault) error {
	m := views.Message{Heading: f.Heading, Text: inFull(f.Text), RequestID: f.RequestID,
		Again: f.Again, Frame: views.Frame{Title: f.Heading, Bare: !f.SignedIn, ReadOnly: f.ReadOnly}}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		m.Fields = append(m.Fields, views.Pair{Name: views.Visible(name), Value: views.Visible(f.Fields[name])})
	}
	if partial(c) { // the form is still there
		c.Response().Header().Set("HX-Retarget", "#toasts")
		c.Response().Header().Set("HX-Reswap", "beforeend")
		return render(c, f.Status, views.MessageToast(m))
	}
	for _, field := range f.Sent {
		if f.Again != "" {
			m.Sent = append(m.Sent, views.Pair{Name: field.Name, Value: field.Value})
		}
		if isProse(field.Value) {
			m.Typed = append(m.Typed, views.Pair{Name: views.Visible(field.Name), Value: views.Visible(field.Value)})
		}
	}
	for _, l := range f.Up {
		m.Links = append(m.Links, views.Link{Words: l.Words, URL: l.URL})
	}
	return render(c, f.Status, views.MessagePage(m))
}

// inFull returns a sentence with its full stop.
func inFull(s string) string {
	if s = present.Sentence(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// isProse reports whether a person wrote a form's value. Values that a form adds by
// itself have neither spaces nor non-ASCII letters.
func isProse(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r > unicode.MaxASCII })
}

// Refusal returns the parts of a refusal by package orchestration or redact; code is "invalid",
// "not_found", "conflict" or "unavailable", or "" for any other error.
func Refusal(err error) (code, message string, fields map[string]string) {
	if errors.Is(err, redact.ErrBlind) {
		return string(orchestration.CodeUnavailable), "The folder of this quest's repository does not answer, so nobody can say what in it is " +
			"secret. Nothing of the quest is shown until it answers.", nil
	}
	var refusal *orchestration.Error
	if !errors.As(err, &refusal) {
		return "", "", nil
	}
	return string(refusal.Code), refusal.Message, refusal.Fields
}

// Link is a link on a page that reports a fault.
type Link struct{ Words, URL string }

// Up returns links for a person whose request failed: the existing pages above the
// requested address, the nearest first.
func (p *Pages) Up(c echo.Context) []Link {
	var list []Link
	if q := p.around(c); q != nil {
		if s := q.Step(stepOf(c, q)); s != nil && paths.Step(q.ID, s.ID) != c.Request().URL.Path {
			list = append(list, Link{"To " + present.StepTitle(s), paths.Step(q.ID, s.ID)})
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

// around returns the quest that an address is about, or nil.
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

// stepOf returns the step that an address is about.
func stepOf(c echo.Context, q *orchestration.Quest) string {
	if r := q.Run(c.Param("run")); r != nil {
		return r.Step
	}
	if question := q.Question(c.Param("question")); question != nil {
		return question.Step
	}
	return cmp.Or(c.Param("step"), c.Param("gate"))
}

// UpShared is Up for a guest: it leads to the share's board.
func UpShared(c echo.Context) []Link {
	return []Link{{"To the quest", paths.Shared(c.Param("token"))}}
}
