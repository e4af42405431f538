package views

import "time"

// Frame is what surrounds every page.
type Frame struct {
	Title       string // of the browser's tab
	Section     Section
	Needs       int    // how many things wait for the user
	Quest       string // id of the one that the page is about, if any
	Busy, Slots int    // slots that are taken, and those there are
	// Topic is what the page subscribes to, with the Version that it was
	// rendered from; empty: the page does not change by itself.
	Topic   string
	Version int64
	// ReadOnly is what every page says while nothing can be stored; empty: all is
	// well.
	ReadOnly string
	// SignedIn shows the way out; false on the login page and without
	// authentication.
	SignedIn bool
	// Bare leaves out the navigation: nobody is logged in.
	Bare bool
	// Guest is set on the pages of a share.
	Guest *Guest
}

// Guest is what surrounds the pages of a share.
type Guest struct {
	Home, Socket string
	Until        time.Time // when the link ends
	Answer       bool      // questions may be answered
}

// Section is the entry of the navigation that a page belongs to.
type Section string

const (
	// SectionQuests is the list of quests, and every quest.
	SectionQuests Section = "quests"
	// SectionQuestions is the page "Needs you".
	SectionQuestions Section = "questions"
	// SectionSlots is who is at work.
	SectionSlots Section = "slots"
	// SectionSettings is what the server keeps for all quests.
	SectionSettings Section = "settings"
)
