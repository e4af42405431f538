package views

import "slices"

// Cost has the costs of a quest so far.
type Cost struct {
	Frame       Frame
	SettingsURL string // of the quest
	Empty       bool   // no run has reported a cost yet
	NoPrice     bool   // tokens were reported, but no price
	Spent       string
	Now         string // what the agents at work have used so far
	Runs        string
	Budgets     []CostBudget // by measure
	Estimate    string       // the expected total; empty: it is not known yet
	Tokens      []Pair
	CacheShare  string // the part of read tokens that came from the cache
	Tables      []CostTable
	CSVURL      string
	GanttURL    string
}

// CostBudget says how much of a budget is spent. Used and Warn are positions in a bar,
// which ends at the budget or, if more is spent, at the spent amount.
type CostBudget struct {
	Words, Class string // running, ask (80 %), bad (100 %)
	Used, Warn   float64
}

// CostTable splits the costs, with a bar for each row.
type CostTable struct {
	ID, Title, Of string
	Rows          []CostRow
	More          string // a sentence about rows that are not listed
}

// costColumn is a column of figures.
type costColumn struct {
	title string
	of    func(CostRow) string
}

var costColumns = []costColumn{
	{"Cost", func(r CostRow) string { return r.Cost }},
	{"Runs", func(r CostRow) string { return r.Runs }},
	{"Tokens in", func(r CostRow) string { return r.Input }},
	{"Tokens out", func(r CostRow) string { return r.Output }},
	{"Cache reads", func(r CostRow) string { return r.CacheRead }},
	{"Cache writes", func(r CostRow) string { return r.CacheWrite }},
}

// filledColumns leaves out the columns in which every row has nothing: no price was told, say.
func filledColumns(rows []CostRow) []costColumn {
	return slices.DeleteFunc(slices.Clone(costColumns), func(c costColumn) bool {
		return !slices.ContainsFunc(rows, func(r CostRow) bool { return !slices.Contains([]string{"", "0", "$0.00"}, c.of(r)) })
	})
}

// CostRow is the cost of a role, a step, a day or a run.
type CostRow struct {
	Words, URL                           string
	Part                                 float64 // the part of the total, for the bar
	Share, Cost, Runs                    string
	Input, Output, CacheRead, CacheWrite string
}
