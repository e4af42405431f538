package views

// Palette has the results of a search.
type Palette struct {
	Frame        Frame
	Query, Quest string
	Hits         []Hit
}

// Hit is what was found: a page, a quest, a step, a question, or a result to merge.
type Hit struct {
	Words, URL string
	Kind       string // Page, Quest, Step, Question, Result
}

// Places are the pages that always exist. quest is the quest of the current page, or nil.
func Places(quest *QuestHead) []Hit {
	var hits []Hit
	if quest != nil {
		tabs := append(questTabs(*quest, TabNone), questTabViews(*quest, TabHistory)...)
		for _, t := range tabs {
			hits = append(hits, Hit{Words: t.Words + " of " + quest.Title, URL: t.URL, Kind: "Page"})
		}
	}
	for _, t := range mainPlaces {
		hits = append(hits, Hit{Words: t.Words, URL: t.URL, Kind: "Page"})
	}
	for _, t := range settingsTabs("") {
		hits = append(hits, Hit{Words: "Settings: " + t.Words, URL: t.URL, Kind: "Page"})
	}
	return hits
}
