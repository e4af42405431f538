package handlers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// historyRead is how many entries an export reads at once.
const historyRead = 1000

// HistoryCSV answers with the filtered history as a table for spreadsheets, oldest
// first.
func (p *Pages) HistoryCSV(c echo.Context) error {
	return p.exportHistory(c, "csv", "text/csv; charset=utf-8", csvRows{})
}

// HistoryJSON answers with the filtered history in the form of the API, oldest first.
func (p *Pages) HistoryJSON(c echo.Context) error {
	return p.exportHistory(c, "json", echo.MIMEApplicationJSON, jsonRows{})
}

// historyFormat writes a history entry by entry.
type historyFormat interface {
	begin(w io.Writer) error
	entry(w io.Writer, e orchestration.Event, first bool) error
	end(w io.Writer) error
}

// exportHistory writes while it reads, so that the export is never in memory as a
// whole. It ends with the entry that was the newest when it began.
func (p *Pages) exportHistory(c echo.Context, kind, media string, to historyFormat) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	f := readHistoryFilter(c.QueryParams()).events(historyRead)
	f.Newest, f.After, f.Before = false, 0, q.Seq+1
	events, err := p.Quests.Events(c.Request().Context(), q.ID, f)
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "no-store")
	head.Set(echo.HeaderContentType, media)
	head.Set(echo.HeaderContentDisposition, `attachment; filename="`+q.ID+"-history."+kind+`"`)
	c.Response().WriteHeader(http.StatusOK)
	w := bufio.NewWriter(c.Response())
	if err := to.begin(w); err != nil {
		return err
	}
	for first := true; len(events) > 0; {
		for _, e := range events {
			if err := to.entry(w, e, first); err != nil {
				return err
			}
			first = false
		}
		if len(events) < historyRead {
			break
		}
		f.After = events[len(events)-1].Seq
		if events, err = p.Quests.Events(c.Request().Context(), q.ID, f); err != nil {
			return fmt.Errorf("read the history: %w", err)
		}
	}
	if err := to.end(w); err != nil {
		return err
	}
	return w.Flush()
}

type csvRows struct{}

func (csvRows) begin(w io.Writer) error {
	return csvRow(w, "seq", "at", "actor", "type", "step", "run", "data")
}

func (csvRows) entry(w io.Writer, e orchestration.Event, _ bool) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	if len(e.Data) == 0 {
		data = nil
	}
	return csvRow(w, strconv.FormatInt(e.Seq, 10), e.At.UTC().Format("2006-01-02T15:04:05.000Z"), e.Actor, string(e.Type), e.Step, e.Run,
		string(data))
}

func (csvRows) end(io.Writer) error { return nil }

// csvRow quotes every cell. A cell that a spreadsheet would treat as a formula begins
// with an apostrophe, because agents choose these words.
func csvRow(w io.Writer, cells ...string) error {
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r\n|%", rune(cell[0])) {
			cell = "'" + cell
		}
		cells[i] = `"` + strings.ReplaceAll(strings.ReplaceAll(cell, "\x00", "␀"), `"`, `""`) + `"`
	}
	_, err := io.WriteString(w, strings.Join(cells, ",")+"\r\n")
	return err
}

type jsonRows struct{}

func (jsonRows) begin(w io.Writer) error {
	_, err := io.WriteString(w, `{"events":[`)
	return err
}

func (jsonRows) entry(w io.Writer, e orchestration.Event, first bool) error {
	data := e.Data
	if data == nil {
		data = map[string]string{}
	}
	text, err := json.Marshal(map[string]any{"seq": e.Seq, "at": e.At.UTC(), "actor": e.Actor, "type": e.Type,
		"step": orNull(e.Step), "run": orNull(e.Run), "data": data})
	if err != nil {
		return err
	}
	separator := ",\n"
	if first {
		separator = "\n"
	}
	_, err = io.WriteString(w, separator+string(text))
	return err
}

func (jsonRows) end(w io.Writer) error {
	_, err := io.WriteString(w, "\n]}\n")
	return err
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
