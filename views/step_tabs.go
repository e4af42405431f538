package views

import (
	"strconv"

	"questboard/web/paths"
)

// StepTab names a part of a step's page.
type StepTab string

// The parts of a step's page. From TabStepDiff on they need the whole width, so they are
// pages of their own.
const (
	TabOutput   StepTab = "" // the output, and what the step is about
	TabTimeline StepTab = "timeline"
	TabSignals  StepTab = "signals"
	TabSessions StepTab = "sessions"
	TabStepCost StepTab = "cost"
	TabPrompt   StepTab = "prompt"
	TabStepDiff StepTab = "diff"
	TabRaw      StepTab = "raw"
)

// stepTab is a link to a part. Count is "" if nothing is counted.
type stepTab struct {
	tab               StepTab
	words, url, count string
	wide              bool
}

func stepTabs(s Step) []stepTab {
	tab := func(t StepTab, words string, n int) stepTab {
		v := stepTab{tab: t, words: words, url: paths.StepTab(s.Quest, s.ID, string(t)), wide: t == TabStepDiff || t == TabRaw}
		if n > 0 {
			v.count = strconv.Itoa(n)
		}
		return v
	}
	return []stepTab{tab(TabOutput, "Output", 0), tab(TabTimeline, "Timeline", 0), tab(TabSignals, "Signals", len(s.Signals)),
		tab(TabSessions, "Sessions", len(s.Runs)), tab(TabStepCost, "Cost", 0), tab(TabPrompt, "Prompt", 0),
		tab(TabStepDiff, "Diff", s.DiffFiles), tab(TabRaw, "Raw", 0)}
}

// shows reports whether a part is shown. Guests have no tabs, and see all permitted parts
// on one page.
func (s Step) shows(t StepTab) bool { return s.ReadOnly || s.Tab == t }

// StepTimeline is the history of a step.
type StepTimeline struct {
	Topic   string
	Version int64 // of the quest
	List    HistoryList
	MoreURL string // empty: the list is complete
	AllURL  string // the same with technical events
}

// StepCost is what the runs of a step cost.
type StepCost struct {
	Cost  string    // of those that have ended
	Costs []CostRow // of each run
}
