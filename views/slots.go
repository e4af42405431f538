package views

// Slots is the page of who works now, and who worked when.
type Slots struct {
	Frame  Frame
	Now    SlotsNow
	Count  Field
	Notice string // what has just been done
	Gantt  Gantt
}

// SlotsNow is who works, and who waits for a slot.
type SlotsNow struct {
	Busy, Wanted int
	Rows         []Slot
	Holds        []SlotHold
	Next         []SlotWaits // the steps that get the next slots, in order
	Waiting      []SlotWaits // the steps that could not start even in a free slot
	More         int         // number of waiting steps that are not listed
}

// Slot is one slot, or several free slots in a row.
type Slot struct {
	Words                  string // Slot 2, or Slots 4 to 64
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

// SlotWaits is a step that waits for a slot.
type SlotWaits struct {
	Step, StepURL, Quest, QuestURL string
	Role                           string
	State                          State
	Until                          Clock
	Why                            string
}
