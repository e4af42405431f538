package handlers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/views"
)

// Cost shows what a quest cost, by role, step and day.
func (p *Pages) Cost(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	frame := p.questFrame(nil, q, "Cost · "+q.Title, views.TabCost)
	frame.Topic, frame.Version = costTopic(q.ID), q.Version
	page := p.present(q).Cost()
	page.Frame = frame
	return render(c, http.StatusOK, views.CostPage(page))
}

func (r *renderer) costs(quest string) {
	if _, p := r.quest(quest); p != nil {
		page := p.Cost()
		r.add(views.CostView(page))
	}
}

// CostCSV answers with the cost of each run, as a table for other programs.
func (p *Pages) CostCSV(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = noFormula(cells[i])
		}
		_ = w.Write(cells) // into memory
	}
	row("run", "step", "title", "role", "start", "state", "outcome", "started_at", "ended_at",
		"cost_usd", "tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write")
	for _, r := range q.Runs.All() {
		if r.StartedAt.IsZero() {
			continue
		}
		n := func(tokens int64) string { return strconv.FormatInt(tokens, 10) }
		row(r.ID, views.Visible(r.Step), present.StepTitle(q.Step(r.Step)), string(r.Role), string(r.Start), string(r.State), string(r.Outcome),
			stamp(r.StartedAt), stamp(r.EndedAt), strconv.FormatFloat(r.CostUSD, 'f', -1, 64),
			n(r.Tokens.Input), n(r.Tokens.Output), n(r.Tokens.CacheRead), n(r.Tokens.CacheWrite))
	}
	w.Flush()
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", q.ID+".cost.csv"))
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", file.Bytes())
}

// noFormula prevents a spreadsheet from running a formula that an agent wrote.
func noFormula(cell string) string {
	if strings.IndexAny(cell, "=+-@\t\r") == 0 {
		return "'" + cell
	}
	return cell
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
