package views

import "questboard/web/paths"

// QuestPage is where a page is within its quest. Every page of a quest has the same
// above its own content: the way to it, the quest's head and the quest's tabs.
type QuestPage struct {
	Head    QuestHead
	Topic   string // of the head
	Version int64  // of the quest
	Tab     QuestTab
	Trail   []Link // from the quest to the page, if it has no tab of its own
}

// opensSteps reports whether the panel of a step opens beside the page. The board has a
// place of its own for it, and pages without a tab may show the same step themselves.
func (p QuestPage) opensSteps() bool {
	return p.Tab != TabNone && p.Tab != TabBoard && len(p.Trail) == 0
}

// QuestHead has a quest's title, its numbers and its controls.
type QuestHead struct {
	ID, Title, URL    string
	State             State
	Why               string
	Progress          Progress
	Busy, Slots       int
	Cost              string
	Spending          string // what the agents at work have used so far
	Pause, PauseNow   bool   // the controls that may be used now
	Resume, Abandon   bool
	Delete            bool
	Change, FollowUp  bool
	Follows           *Link // the quest that it follows
	ResumeWords       string
	Age               Clock
	Elapsed           Clock  // from its beginning to its end, or to now
	Host              string // the machine on which it works; empty: the server's own
	Repo, Ward, Agent string // Repo is empty for guests in the head of a page
	RepoName          string // the last part of Repo
	Asked, AskedURL   string // the request in short, and the URL of the whole
	Attached          []Attached
	Branch, Base      string // of worktrees; empty without worktrees
	Priority          string // in words; empty: normal
	Size              Size
	Needs             string // what of it waits for the user
	Phase             string // only in the list, as the next one
	Over              bool
	ReadOnly          bool // the visitor may not change anything
}

// ListPlace is a place in the list of quests: before the quest with that id, or at the end.
type ListPlace struct{ Before string }

// Progress counts the steps of a quest.
type Progress struct{ Done, Skipped, Total int }

// QuestTab names a page of a quest.
type QuestTab string

// The tabs of a quest. TabRuns is a page within the timeline.
const (
	TabNone     QuestTab = ""
	TabBoard    QuestTab = "board"
	TabPlan     QuestTab = "plan"
	TabChanges  QuestTab = "changes"
	TabHistory  QuestTab = "timeline"
	TabRuns     QuestTab = "runs"
	TabCost     QuestTab = "cost"
	TabEvidence QuestTab = "evidence"
	TabResult   QuestTab = "result"
	TabSettings QuestTab = "settings"
)

func questTabs(h QuestHead, current QuestTab) []Tab {
	if current == TabRuns { // a page within that tab
		current = TabHistory
	}
	tab := func(id QuestTab, words, url string) Tab {
		return Tab{ID: "quest-" + string(id), Words: words, URL: url, Current: id == current}
	}
	return []Tab{
		tab(TabBoard, "Board", h.URL),
		tab(TabPlan, "Plan", paths.Graph(h.ID)),
		tab(TabChanges, "Changes", paths.QuestDiff(h.ID)),
		tab(TabHistory, "Timeline", paths.History(h.ID)),
		tab(TabCost, "Cost", paths.Cost(h.ID)),
		tab(TabEvidence, "Evidence", paths.Evidence(h.ID)),
		tab(TabResult, "Result", paths.Delivery(h.ID)),
		tab(TabSettings, "Settings", paths.QuestSettings(h.ID)),
	}
}

// questTabViews are the pages within a tab, or nil if it has only one.
func questTabViews(h QuestHead, current QuestTab) []Tab {
	if current != TabHistory && current != TabRuns {
		return nil
	}
	return []Tab{{ID: "quest-history", Words: "History", URL: paths.History(h.ID), Current: current == TabHistory},
		{ID: "quest-runs", Words: "Agent runs", URL: paths.QuestRuns(h.ID), Current: current == TabRuns}}
}

// questID is the id of the quest that the page is about, or "".
func (f Frame) questID() string {
	if f.Quest == nil {
		return ""
	}
	return f.Quest.Head.ID
}
