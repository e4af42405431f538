package orchestration

import "time"

// Create begins a quest. The caller commits the transition as any other.
func Create(n NewQuest) (Transition, error) { panic("being written") }

// Apply answers what an input does to a quest: pure, no clock, no randomness,
// no I/O. An error is always an *Error; nothing changed then.
func Apply(q *Quest, in Input) (Transition, error) { panic("being written") }

// Assign says which runs get the free slots, best first. The engine applies
// each grant as SlotGranted.
func Assign(p Pool) []Grant { panic("being written") }

// Restore rebuilds what is derived and not stored; a store calls it on load.
func Restore(q *Quest) *Quest { panic("being written") }

// Check returns the first invariant of state-machine.md that the quest breaks.
func Check(q *Quest) error { panic("being written") }

// Status derives where the quest stands. holds are the server's.
func (q *Quest) Status(holds []AccountHold) Status { panic("being written") }

// Why says in words why the quest stands where it stands.
func (q *Quest) Why(now time.Time, holds []AccountHold) string { panic("being written") }

// StepWhy says in words why a line stands where it stands, with the next
// automatic action and its time.
func (q *Quest) StepWhy(s *Step, now time.Time, holds []AccountHold) string {
	panic("being written")
}
