package present

import (
	"cmp"
	"fmt"
	"slices"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// stepsListed is how many steps the table of costs lists at most.
const stepsListed = 100

// Cost sums up the costs that the quest's runs reported.
func (p *Quest) Cost() views.Cost {
	var sum used
	roles, steps, days := newBill(), newBill(), newBill()
	for _, r := range p.q.Runs.All() {
		if !r.Role.Agent() || r.EndedAt.IsZero() || r.StartedAt.IsZero() {
			continue // checks cost nothing, and a run reports its cost when it ends
		}
		sum.add(r)
		roles.add(RoleName(r.Role)+p.agentWords(r), r)
		steps.add(r.Step, r)
		days.add(r.EndedAt.UTC().Format("2006-01-02"), r)
	}
	c := views.Cost{Spent: orchestration.DollarWords(p.q.CostUSD), CSVURL: paths.CostCSV(p.q.ID), GanttURL: paths.QuestRuns(p.q.ID),
		SettingsURL: paths.QuestSettings(p.q.ID)}
	c.Now = p.CostNow()
	if c.Empty = sum.usd == 0 && sum.all() == 0 && p.q.CostUSD == 0; c.Empty {
		return c
	}
	c.NoPrice = sum.usd == 0
	if c.NoPrice {
		c.Spent = orchestration.TokenWords(sum.all()) + " tokens"
	}
	c.Runs = views.Count(sum.runs, "agent run", "agent runs")
	c.Budgets, c.Estimate = p.budgets(), p.estimate(steps)
	for _, t := range []struct {
		name string
		n    int64
	}{{"Tokens in", sum.tokens.Input}, {"Tokens out", sum.tokens.Output}, {"Cache reads", sum.tokens.CacheRead},
		{"Cache writes", sum.tokens.CacheWrite}} {
		if t.n > 0 {
			c.Tokens = append(c.Tokens, views.Pair{Name: t.name, Value: orchestration.TokenWords(t.n)})
		}
	}
	if cached := sum.tokens.CacheRead + sum.tokens.CacheWrite; cached > 0 {
		read := sum.tokens.Input + cached
		c.CacheShare = percent(float64(sum.tokens.CacheRead) / float64(read))
	}
	c.Tables = []views.CostTable{
		{ID: "cost-roles", Title: "By role", Of: "Role", Rows: roles.rows(sum)},
		{ID: "cost-steps", Title: "By step", Of: "Step", Rows: steps.rows(sum)},
		{ID: "cost-days", Title: "By day", Of: "Day (UTC)", Rows: days.rows(sum)},
	}
	slices.SortFunc(c.Tables[2].Rows, func(a, b views.CostRow) int { return cmp.Compare(a.Words, b.Words) })
	t := &c.Tables[1]
	if n := len(t.Rows) - stepsListed; n > 0 {
		t.Rows, t.More = t.Rows[:stepsListed], views.Count(n, "cheaper step is", "cheaper steps are")+" in the CSV file."
	}
	for i := range t.Rows {
		t.Rows[i].URL = p.Site.Step(p.q.ID, t.Rows[i].Words)
		t.Rows[i].Words = p.title(t.Rows[i].Words)
	}
	return c
}

// budgets says of each measure of the budget how much is spent.
func (p *Quest) budgets() []views.CostBudget {
	var bars []views.CostBudget
	all, used := p.q.Budget(), p.q.Used()
	for _, one := range []orchestration.Amount{{USD: all.USD}, {Tokens: all.Tokens}, {Time: all.Time}} {
		if one != (orchestration.Amount{}) {
			bars = append(bars, budgetBar(one.Words(), one.Part(used)))
		}
	}
	return bars
}

func budgetBar(whole string, part float64) views.CostBudget {
	b := views.CostBudget{Class: "running", Used: 100 * part / max(part, 1), Warn: 100 * orchestration.Warned / max(part, 1),
		Words: fmt.Sprintf("%s of the budget of %s is spent. ", percent(part), whole)}
	switch {
	case part >= orchestration.Spent:
		b.Class = "bad"
		b.Words += "No new run starts until it is raised."
	case part >= orchestration.Warned:
		b.Class = "ask"
		b.Words += "At 100 % no new run starts."
	default:
		b.Words += "You are told at 80 %. At 100 % no new run starts."
	}
	return b
}

// estimate predicts the total cost from the mean cost of the finished steps.
func (p *Quest) estimate(steps *bill) string {
	done, left, usd, spentOnLeft := 0, 0, 0.0, 0.0
	for _, s := range p.q.Steps.All() {
		switch u := steps.of[s.ID]; {
		case s.Stage == orchestration.StageDone && u != nil:
			done++
			usd += u.usd
		case !s.Stage.Settled():
			left++
			spentOnLeft += costOf(u)
		}
	}
	if done < 2 || left == 0 || usd == 0 || p.q.Over() {
		return ""
	}
	mean := usd / float64(done)
	return fmt.Sprintf("About %s in total, if the %s left cost as much as those done (%s each).",
		orchestration.DollarWords(p.q.CostUSD+max(0, mean*float64(left)-spentOnLeft)), views.Count(left, "step", "steps"),
		orchestration.DollarWords(mean))
}

func costOf(u *used) float64 {
	if u == nil {
		return 0
	}
	return u.usd
}

// priceWords says what ended runs cost. Programs that tell no price leave it 0.
func priceWords(usd float64) string {
	if usd == 0 {
		return "no price told"
	}
	return orchestration.DollarWords(usd)
}

// runCosts are the costs that the runs of a step reported, or tell while they are at work,
// newest first.
func (p *Quest) runCosts(s *orchestration.Step) []views.CostRow {
	var costs []views.CostRow
	for _, r := range p.runsOf(s) {
		name, usd, tokens := runName(r), priceWords(r.CostUSD), r.Tokens
		switch {
		case !r.Role.Agent() || r.StartedAt.IsZero():
			continue
		case r.Live():
			now := p.View.Spending(p.q, r)
			name, usd, tokens = name+", at work", cmp.Or(now.Dollars(), "not told yet"), now.Tokens
		}
		costs = append(costs, views.CostRow{Words: name, URL: p.Site.StepRun(p.q.ID, s.ID, r.ID), Cost: usd,
			Input: orchestration.TokenWords(tokens.Input), Output: orchestration.TokenWords(tokens.Output),
			CacheRead: orchestration.TokenWords(tokens.CacheRead), CacheWrite: orchestration.TokenWords(tokens.CacheWrite)})
	}
	return costs
}

// used is what several runs used together.
type used struct {
	usd    float64
	runs   int
	tokens orchestration.Tokens
}

func (u *used) add(r *orchestration.Run) {
	u.usd += r.CostUSD
	u.runs++
	u.tokens.Input += r.Tokens.Input
	u.tokens.Output += r.Tokens.Output
	u.tokens.CacheRead += r.Tokens.CacheRead
	u.tokens.CacheWrite += r.Tokens.CacheWrite
}

func (u *used) all() int64 {
	return u.tokens.Input + u.tokens.Output + u.tokens.CacheRead + u.tokens.CacheWrite
}

// bill sums up costs by name.
type bill struct {
	of    map[string]*used
	names []string
}

func newBill() *bill { return &bill{of: map[string]*used{}} }

func (b *bill) add(name string, r *orchestration.Run) {
	if b.of[name] == nil {
		b.of[name] = &used{}
		b.names = append(b.names, name)
	}
	b.of[name].add(r)
}

// rows returns the entries, the most expensive first. Entries without a price are sorted
// by their tokens.
func (b *bill) rows(sum used) []views.CostRow {
	weigh := func(u *used) float64 {
		if sum.usd > 0 {
			return u.usd
		}
		return float64(u.all())
	}
	names := slices.Clone(b.names)
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(weigh(b.of[y]), weigh(b.of[x])) })
	rows := make([]views.CostRow, len(names))
	for i, name := range names {
		u := b.of[name]
		part := weigh(u) / max(weigh(&sum), 1e-9)
		rows[i] = views.CostRow{Words: name, Part: part, Share: percent(part),
			Cost: orchestration.DollarWords(u.usd), Runs: fmt.Sprint(u.runs),
			Input: orchestration.TokenWords(u.tokens.Input), Output: orchestration.TokenWords(u.tokens.Output),
			CacheRead: orchestration.TokenWords(u.tokens.CacheRead), CacheWrite: orchestration.TokenWords(u.tokens.CacheWrite)}
	}
	return rows
}

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
