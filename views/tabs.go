package views

import "questboard/web/paths"

// Tab is a link to one of several pages that belong together.
type Tab struct {
	ID, Words, URL string
	Current        bool
}

// QuestTab names a page of a quest.
type QuestTab string

// The pages of a quest.
const (
	TabBoard    QuestTab = "board"
	TabList     QuestTab = "list"
	TabGraph    QuestTab = "graph"
	TabHistory  QuestTab = "history"
	TabCost     QuestTab = "cost"
	TabDiff     QuestTab = "diff"
	TabEvidence QuestTab = "evidence"
	TabDelivery QuestTab = "delivery"
	TabSettings QuestTab = "settings"
)

// mainPlaces are the pages that every page leads to.
var mainPlaces = []Tab{
	{Words: "Quests", URL: paths.Quests},
	{Words: "New quest", URL: paths.NewQuest},
	{Words: "Needs you", URL: paths.Questions},
}

func questTabs(h QuestHead, current QuestTab) []Tab {
	tab := func(id QuestTab, words, url string) Tab {
		return Tab{ID: "quest-" + string(id), Words: words, URL: url, Current: id == current}
	}
	tabs := []Tab{
		tab(TabBoard, "Board", h.URL),
		tab(TabList, "List", paths.List(h.ID)),
		tab(TabGraph, "Graph", paths.Graph(h.ID)),
		tab(TabCost, "Cost", paths.Cost(h.ID)),
		tab(TabDiff, "Diff", paths.QuestDiff(h.ID)),
		tab(TabEvidence, "Evidence", paths.Evidence(h.ID)),
		tab(TabHistory, "History", paths.History(h.ID)),
	}
	if h.Branch != "" {
		tabs = append(tabs, tab(TabDelivery, "Result", paths.Delivery(h.ID)))
	}
	return append(tabs, tab(TabSettings, "Settings", paths.QuestSettings(h.ID)))
}

// settingsTabs are the links between the pages of the settings. current is the URL of the
// current page.
func settingsTabs(current string) []Tab {
	var tabs []Tab
	for _, t := range []Tab{
		{Words: "General", URL: paths.Settings},
		{Words: "This browser", URL: paths.Browser},
		{Words: "Roles", URL: paths.Roles},
		{Words: "Limits", URL: paths.Limits},
		{Words: "Doctor", URL: paths.Doctor},
		{Words: "Audit", URL: paths.Audit},
	} {
		t.Current = t.URL == current
		tabs = append(tabs, t)
	}
	return tabs
}

// boardTab returns the tab of the board: as columns or as a list.
func boardTab(b Board) QuestTab {
	if b.Filter != nil && b.Filter.List {
		return TabList
	}
	return TabBoard
}
