package handlers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
)

// Graph shows the plan as a picture: ?focus=STEP dims the unrelated steps, ?all=1 also
// shows the steps that were replaced.
func (p *Pages) Graph(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	frame := p.questFrame(nil, q, "Plan · "+q.Title, views.TabPlan)
	frame.Topic, frame.Version = graphTopic(q.ID, ""), q.Version
	g := p.present(q).Graph(c.QueryParam("focus"), c.QueryParam("all") != "")
	g.Frame = frame
	return render(c, http.StatusOK, views.GraphPage(g))
}

// graph renders the changes of a picture. If its shape changed, the page reloads
// itself.
func (r *renderer) graph(quest string, changed *changes) {
	_, p := r.quest(quest)
	if p == nil {
		return
	}
	g := p.GraphNodes(true)
	r.add(views.GraphShape(views.Graph{Shape: p.GraphShape()}))
	for _, n := range g {
		if changed.all || changed.steps[n.ID] {
			r.add(views.GraphNodeView(n))
			r.add(views.GraphListed(n))
		}
	}
}

// Evidence shows what proves the requirements, and what the review found.
func (p *Pages) Evidence(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	frame := p.questFrame(nil, q, "Evidence · "+q.Title, views.TabEvidence)
	frame.Topic, frame.Version = evidenceTopic(q.ID), q.Version
	page := p.present(q).Evidence()
	page.Frame = frame
	return render(c, http.StatusOK, views.EvidencePage(page))
}

func (r *renderer) evidence(quest string) {
	if _, p := r.quest(quest); p != nil {
		page := p.Evidence()
		r.add(views.EvidenceView(page))
	}
}

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

// spending renders what the agents at work have used so far, on one kind of page.
func (r *renderer) spending(kind, quest, step string) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	switch s := q.Step(step); {
	case kind == "head":
		r.add(views.QuestSpending(p.SpendingNow()))
	case kind == "cost":
		r.add(views.CostNow(p.CostNow()))
	case s != nil && kind == "step" && r.guest == nil:
		r.add(views.StepCostView(p.StepCost(s)))
	case s != nil && kind == "board":
		if words := p.StepSpending(s); words != "" {
			r.add(views.SpendingView(views.Spending{ID: step, Words: words}))
		}
	}
}

// spending returns what a live run of an agent has used so far.
func (p *Pages) spending(q *orchestration.Quest, r *orchestration.Run) orchestration.Spending {
	now, err := p.Quests.Spending(context.Background(), q, r)
	if err != nil { // a page is worth more than the price
		p.Log.Warn("look at what runs cost", "error", err)
	}
	return now
}
