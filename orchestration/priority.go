package orchestration

import "slices"

// Priority says which new steps get a slot first: among quests, and among the steps of
// one quest (docs/state-machine.md#scheduling). What has started is not concerned.
type Priority string

// PriorityNormal is the zero value, so everything that has no priority is normal.
const (
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = ""
	PriorityLow    Priority = "low"
)

// Priorities lists every priority, the highest first.
var Priorities = []Priority{PriorityHigh, PriorityNormal, PriorityLow}

// Word is the priority's name in the API and on pages.
func (p Priority) Word() string {
	if p == PriorityNormal {
		return "normal"
	}
	return string(p)
}

// PriorityNamed returns the priority with this name, and whether there is one.
func PriorityNamed(word string) (Priority, bool) {
	for _, p := range Priorities {
		if p.Word() == word {
			return p, true
		}
	}
	return "", false
}

// PriorityWords names the priorities for refusals.
const PriorityWords = "high, normal or low"

// rank is the priority's place in Priorities.
func (p Priority) rank() int {
	switch p {
	case PriorityHigh:
		return 0
	case PriorityLow:
		return 2
	default:
		return 1
	}
}

// Queues reports whether the step counts as a new step: it waits for its first slot, or for
// one after its skip was undone. Only then its priority counts.
func (s *Step) Queues() bool { return s.Stage == StageWaiting || s.Stage == StageReady }

// check adds a fault if there is no such priority.
func (p Priority) check(faults map[string]string) {
	if !slices.Contains(Priorities, p) {
		faults["priority"] = PriorityWords
	}
}

// news is the priority's name if it is new, for the history; otherwise "".
func (p Priority) news(next *Priority) string {
	if next == nil || *next == p {
		return ""
	}
	return next.Word()
}

// Turns counts the turns of new steps that each priority had since it last let a lower
// one go first. It stops at turnsInARow. The server stores it, so a restart keeps it.
type Turns struct{ High, Normal int }

// turnsInARow is how many new steps of a priority start before the turn of a lower one.
const turnsInARow = 3

// next returns the rank of the priority that gets the next new step, or -1, and the turns
// after that. waits says which priorities have a step that can start.
func (t Turns) next(waits [3]bool) (int, Turns) {
	had := [2]*int{&t.High, &t.Normal}
	below := func(rank int) int {
		for rank++; rank < len(waits); rank++ {
			if waits[rank] {
				return rank
			}
		}
		return -1
	}
	rank := below(-1)
	for rank >= 0 && rank < len(had) {
		lower := below(rank)
		if *had[rank] < turnsInARow || lower < 0 {
			*had[rank] = min(*had[rank]+1, turnsInARow)
			break
		}
		*had[rank], rank = 0, lower
	}
	return rank, t
}

// Behind names the quests whose new steps wait because those of quests with a higher
// priority go first.
func (p Pool) Behind() map[string]bool {
	lowest := 0
	for _, q := range p.Quests {
		lowest = max(lowest, q.Priority.rank())
	}
	waits, behind := p.waits(lowest), map[string]bool{}
	for _, q := range p.Quests {
		if q.isBehind(p, waits) {
			behind[q.ID] = true
		}
	}
	return behind
}

// waits says which of the priorities above a rank have a new step that can start.
func (p Pool) waits(rank int) (waits [3]bool) {
	for _, q := range p.Quests {
		if r := q.Priority.rank(); r < rank && !waits[r] {
			waits[r] = q.startsSteps(p) && q.nextStep(p.Now, p.starting(q, p.Quests)) != nil
		}
	}
	return waits
}

// isBehind reports whether the next turn is of a higher priority than the quest's.
func (q *Quest) isBehind(p Pool, waits [3]bool) bool {
	own := q.Priority.rank()
	waits[own] = true
	turn, _ := p.Turns.next(waits)
	return turn < own && q.startsSteps(p)
}
