package views

import "time"

// Frame is what every page has around its content.
type Frame struct {
	Title       string // of the browser's tab
	Section     Section
	Needs       Needs
	Quest       *QuestPage // where a page of a quest is; nil: the page is of no quest
	Busy, Slots int        // slots in use, and all slots
	// Topic is the topic that the page subscribes to, and Version the version that it was
	// rendered from. Topic is empty for a page without live updates.
	Topic   string
	Version int64
	// ReadOnly says why nothing can be stored. It is empty if all is well.
	ReadOnly string
	// SignedIn shows the logout. It is false on the login page and without
	// authentication.
	SignedIn bool
	// Bare leaves out the navigation, because nobody is logged in.
	Bare bool
	// Guest is set on the pages of a share.
	Guest *Guest
}

// Needs is how many things wait for the user, and the newest of them. All but Total are
// empty if nothing waits.
type Needs struct {
	Total  int
	Newest string // its id
	At     string // since when it waits, in a form that can be compared; may be unknown
	Words  string // what waits
	URL    string // where it is answered
}

// Guest has what the pages of a share show around their content.
type Guest struct {
	Home, Socket string
	Until        time.Time // when the link ends
	Answer       bool      // the guest may answer questions
}

// Section is the entry of the navigation that a page belongs to.
type Section string

const (
	// SectionQuests is the list of quests, with the pages of all quests.
	SectionQuests Section = "quests"
	// SectionQuestions is the page "Needs you".
	SectionQuestions Section = "questions"
	// SectionToday is the page "Today".
	SectionToday Section = "today"
	// SectionSlots is the page of the slots.
	SectionSlots Section = "slots"
	// SectionSettings has the settings that apply to all quests.
	SectionSettings Section = "settings"
)
