package views

// Slots is who is at work now, and who was when.
type Slots struct {
	Frame  Frame
	Now    SlotsNow
	Count  Field
	Notice string // what was just done
	Gantt  Gantt
}

// SlotsNow is who is at work, and who waits for a slot.
type SlotsNow struct {
	Busy, Wanted int
	Rows         []Slot
	Holds        []SlotHold
	Next         []SlotWaits // who gets the next slots, in order
	Waiting      []SlotWaits // who could not even start in a free one
	More         int         // who waits, and is not listed
}

// Slot is one slot, or several free ones side by side.
type Slot struct {
	Words                  string // Slot 2, or Slots 4 to 64
	Run                    string // empty: free
	Leaves                 bool   // it is one more than wanted, and ends with its run
	Role, Step, StepURL    string
	About                  string // what the role does
	Quest, QuestURL        string
	State                  State
	Since                  Clock
	Tail, Output, StopLine string // StopLine is asked before the run is stopped; empty: it cannot be
}

// SlotHold keeps the agents of one kind from getting slots.
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
