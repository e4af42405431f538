package handlers

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/labstack/echo/v4"

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
	RequestID string // shown where the log says more
	SignedIn  bool   // else the page has no navigation
}

// FaultPage shows a fault: as a page, or, to htmx, as a toast beside the page
// that stays.
func FaultPage(c echo.Context, f Fault) error {
	m := views.Message{Heading: f.Heading, Text: clean(f.Text), RequestID: f.RequestID,
		Frame: views.Frame{Title: f.Heading, Bare: !f.SignedIn}}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		m.Fields = append(m.Fields, views.Pair{Name: clean(name), Value: clean(f.Fields[name])})
	}
	if partial(c) {
		c.Response().Header().Set("HX-Retarget", "#toasts")
		c.Response().Header().Set("HX-Reswap", "beforeend")
		return render(c, f.Status, views.MessageToast(m))
	}
	if f.SignedIn {
		m.Links = links(c)
	}
	return render(c, f.Status, views.MessagePage(m))
}

// links lead from a fault to the next page up.
func links(c echo.Context) []views.Link {
	var list []views.Link
	if quest := c.Param("quest"); quest != "" {
		list = append(list, views.Link{Words: "To the quest", URL: paths.Quest(quest)})
	}
	return append(list, views.Link{Words: "All quests", URL: paths.Quests}, views.Link{Words: "Questions", URL: paths.Questions})
}

// Refusal is what package orchestration said about a refused request: its code
// ("invalid", "not_found", "conflict"), or "" for any other error.
func Refusal(err error) (code, message string, fields map[string]string) {
	var refusal *orchestration.Error
	if !errors.As(err, &refusal) {
		return "", "", nil
	}
	return string(refusal.Code), refusal.Message, refusal.Fields
}
