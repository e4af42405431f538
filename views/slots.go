package views

// Slots is the page of who works now, and who worked when.
type Slots struct {
	Frame  Frame
	Now    SlotsNow
	Count  Field
	Notice string // what has just been done
	Gantt  Gantt
}

// QuestRuns is the page of who worked on a quest when.
type QuestRuns struct {
	Frame Frame
	Gantt Gantt
}

// SlotsNow is who works, and who waits.
type SlotsNow struct {
	Agents, Checks Lane // an agent has a slot, a check needs none
	Holds          []SlotHold
	Next           []SlotWaits // the steps that get the next slots, in order
	NextChecks     []SlotWaits // the checks that start when others end, in order
	Kept           bool        // new steps wait although a slot is free
	Waiting        []SlotWaits // the steps that could not start now in any case
	More           int         // number of waiting steps that are not listed
}

// Lane is what runs at the same time: at most Wanted.
type Lane struct {
	Busy, Wanted int
	Rows         []Slot
}

// Slot is a run at work, or free slots in a row, or free places of checks.
type Slot struct {
	Words                  string // Slot 2, or Slots 4 to 64; Check, or 2 places
	Run                    string // empty: free
	Leaves                 bool   // the slot is above the wanted number, and ends with its run
	Role, Step, StepURL    string
	About                  string // what the role does
	Quest, QuestURL        string
	State                  State
	Since                  Clock
	Tail, Output, StopLine string // StopLine is the question before the run is stopped; empty: it cannot be stopped
}

// SlotHold keeps agents of one kind from getting slots.
type SlotHold struct {
	Agent, Reason string
	Until         Clock
}

// SlotWaits is a step that waits to start or to continue.
type SlotWaits struct {
	Step, StepURL, Quest, QuestURL string
	Role                           string
	State                          State
	Until                          Clock
	Why                            string
	NoSlot                         bool // say that it is a check, which needs no slot
}
