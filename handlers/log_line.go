package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/diffview"
	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/views"
)

// OutputLine shows one line with all its details. For <log-view> it returns the content
// of an opened row.
func (p *Pages) OutputLine(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	page, err := p.outputLine(c, nil, q, r)
	if err != nil {
		return err
	}
	if partial(c) {
		if c.QueryParam("raw") != "" {
			page.Detail = views.LineDetail{Parts: []views.LinePart{{Pieces: []views.Piece{{Text: page.Raw}}}}}
		}
		return render(c, http.StatusOK, views.LineDetailView(page.Detail))
	}
	page.Frame = p.lineFrame(nil, q, r, page.Number)
	return render(c, http.StatusOK, views.OutputLinePage(page))
}

// lineFrame is the frame of the page of one line.
func (p *Pages) lineFrame(g *guest, q *orchestration.Quest, r *orchestration.Run, n int) views.Frame {
	title := fmt.Sprintf("Line %d", n)
	trail := p.runTrail(g, q, r, title)
	trail[0].URL += fmt.Sprintf("#L%d", n)
	return p.questFrame(g, q, title+" · "+present.RoleName(r.Role), views.TabNone, trail...)
}

// outputLine returns one complete line, without its frame.
func (p *Pages) outputLine(c echo.Context, g *guest, q *orchestration.Quest, r *orchestration.Run) (views.OutputLine, error) {
	n, err := strconv.Atoi(c.Param("line"))
	if err != nil || n < 1 {
		return views.OutputLine{}, notFound("Lines are numbered from 1.")
	}
	raw, total, err := p.Output.Page(r.ID, n-1, 1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return views.OutputLine{}, fmt.Errorf("read output of %s: %w", r.ID, err)
	}
	list, _, err := p.turns(source{guest: g, run: r.ID}, n-1, 1)
	if err != nil {
		return views.OutputLine{}, err
	}
	if len(list) == 0 || len(raw) == 0 {
		return views.OutputLine{}, notFound("The output has %d lines; there is no line %d.", total, n)
	}
	to, t := g.place(), &list[0]
	page := views.OutputLine{Run: r.ID, Number: n, Total: total, Head: views.Visible(t.Head), Raw: views.Visible(transcript.Indent(raw[0])),
		Detail: views.LineDetail{Parts: detail{p.redactorFor(g)}.of(t, raw[0])}}
	if page.Head == "" {
		page.Head = "Output"
	}
	if n > 1 {
		page.PreviousURL = to.OutputLines(r.ID) + strconv.Itoa(n-1)
	}
	if n < total {
		page.NextURL = to.OutputLines(r.ID) + strconv.Itoa(n+1)
	}
	return page, nil
}

// redactorFor returns a guest's redactor, or nil for the owner. It also knows the current
// secrets of the settings, and those in the files of the quest's repository.
func (p *Pages) redactorFor(g *guest) *redact.Redactor {
	if g == nil {
		return nil
	}
	ctx := context.Background()
	settings, _ := p.Settings.Settings(ctx) // from memory: it does not wait
	return p.Redactor.Also(settings.AgentSecrets()).In(ctx, g.repo)
}

// detailText is how much of one text an opened row shows; the file has all.
const detailText = 256 << 10

// detail makes the content of an opened row. Its redactor is nil for the owner.
type detail struct {
	redactor *redact.Redactor
}

// of returns all details of a turn; line is its raw line.
func (d detail) of(t *turn, line []byte) []views.LinePart {
	call, is := transcript.ReadCall(line)
	switch {
	case t.Text == redact.Hidden:
		return []views.LinePart{d.plain("", redact.Hidden)}
	case t.Kind == transcript.KindText || t.Kind == transcript.KindThink:
		return []views.LinePart{{Prose: d.text(t.Text)}}
	case t.Call == "" || !is:
		return []views.LinePart{d.terminal("", t.Text)}
	}
	var parts []views.LinePart
	for _, part := range call.Parts {
		parts = append(parts, d.asked(part))
	}
	if t.result == nil {
		return parts
	}
	name := "Result"
	if t.result.Kind == transcript.KindError {
		name = "It failed"
	}
	if call.Prose {
		return append(parts, views.LinePart{Name: name, Prose: d.text(t.result.Text)})
	}
	return append(parts, d.terminal(name, t.result.Text))
}

// asked returns a part of a tool call's input.
func (d detail) asked(part transcript.Part) views.LinePart {
	switch part := part.(type) {
	case transcript.Edit:
		return diffview.Edit(d.text(part.Path), d.text(part.Before), d.text(part.After))
	case transcript.Command:
		return d.plain(part.Title, "$ "+part.Line)
	case transcript.Prompt:
		return views.LinePart{Name: d.text(part.Title), Prose: d.text(part.Text)}
	case transcript.Todos:
		var list []views.Pair
		for _, todo := range part {
			list = append(list, views.Pair{Name: todo.State, Value: d.text(todo.Text)})
		}
		return views.LinePart{Todos: list}
	case transcript.Field:
		value := part.Value
		if d.redactor != nil { // the value is shown apart from its name
			value = d.redactor.Value(part.Name, value)
		}
		return d.plain(part.Name, value)
	default:
		return views.LinePart{}
	}
}

// text returns a text that is safe to show, also to guests.
func (d detail) text(s string) string {
	if d.redactor != nil {
		s = d.redactor.Text(s)
	}
	s, _ = upTo(views.Visible(s), detailText)
	return s
}

func (d detail) plain(name, text string) views.LinePart {
	return views.LinePart{Name: d.text(name), Pieces: []views.Piece{{Text: d.text(text)}}}
}

// terminal returns a program's output with its colours, and with formatted JSON.
func (d detail) terminal(name, text string) views.LinePart {
	part := views.LinePart{Name: name}
	if d.redactor != nil {
		text = d.redactor.Text(transcript.Plain(text))
	}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		text = transcript.Indent([]byte(trimmed))
	}
	text, cut := upTo(text, detailText)
	if cut {
		part.Note = fmt.Sprintf("Only the first %d characters are shown here.", detailText)
	}
	part.Pieces = coloured(text)
	return part
}
