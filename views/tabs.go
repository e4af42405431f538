package views

import "questboard/web/paths"

// Tab is a link to one of several pages that belong together.
type Tab struct {
	ID, Words, URL string
	Current        bool
	Count          *TabCount // nil: nobody counts
}

// TabCount is how many things a tab leads to. Live updates replace it by its id.
type TabCount struct {
	ID string
	N  int
}

// mainPlaces are the pages that every page leads to.
var mainPlaces = []Tab{
	{Words: "Quests", URL: paths.Quests},
	{Words: "New quest", URL: paths.NewQuest},
	{Words: "Needs you", URL: paths.Questions},
	{Words: "Today", URL: paths.Today},
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
		{Words: "Notifications", URL: paths.Channels},
		{Words: "Hosts", URL: paths.Hosts},
		{Words: "Doctor", URL: paths.Doctor},
		{Words: "Audit", URL: paths.Audit},
	} {
		t.Current = t.URL == current
		tabs = append(tabs, t)
	}
	return tabs
}
