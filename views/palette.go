package views

// Palette is what was found for the words of a search.
type Palette struct {
	Frame        Frame
	Query, Quest string
	Hits         []Hit
}

// Hit leads to a page, a quest or a step.
type Hit struct {
	Words, URL string
	Kind       string // Page, Quest, Step, Question
}

// Places are the pages that do not depend on data; quest is the one that is
// looked at, or nil.
func Places(quest *QuestHead) []Hit {
	var hits []Hit
	if quest != nil {
		for _, t := range questTabs(*quest, "") {
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
