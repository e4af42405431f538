package views

// Cost is what a quest cost so far.
type Cost struct {
	Frame      Frame
	Head       QuestHead
	Empty      bool // no run has reported anything yet
	NoPrice    bool // tokens were reported, and no price
	Spent      string
	Runs       string
	Budget     *CostBudget // nil: there is none
	Estimate   string      // what it may cost in the end; empty: too little is known
	Tokens     []Pair
	CacheShare string // of what agents read
	Tables     []CostTable
	CSVURL     string
	GanttURL   string
}

// CostBudget is how much of a budget is spent. Of and Used are parts of the bar,
// which ends at the budget or, where more is spent, at that.
type CostBudget struct {
	Words, Class string // running, ask (80 %), bad (100 %)
	Used, Warn   float64
}

// CostTable tells what the cost went to, with a bar for each row.
type CostTable struct {
	ID, Title, Of string
	Rows          []CostRow
	More          string // what is not listed
}

// CostRow is one role, step or day.
type CostRow struct {
	Words, URL                           string
	Part                                 float64 // of the whole, for the bar
	Share, Cost, Runs                    string
	Input, Output, CacheRead, CacheWrite string
}
