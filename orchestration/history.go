package orchestration

import "slices"

// EventFilter chooses entries of one quest's history; zero fields choose all.
type EventFilter struct {
	After, Before int64       // sequence numbers, both exclusive
	Types         []EventType // only these; empty: all
	Without       []EventType // not these
	Step, Actor   string
	Newest        bool // newest first; else oldest first
	N             int  // the maximum number
}

// Of returns the entries that the filter chooses from all, which are in order. A
// store's query must give the same result.
func (f EventFilter) Of(all []Event) []Event {
	var chosen []Event
	for _, e := range all {
		if f.chooses(e) {
			chosen = append(chosen, e)
		}
	}
	if f.Newest {
		slices.Reverse(chosen)
	}
	if f.N <= 0 {
		return nil
	}
	return chosen[:min(len(chosen), f.N)]
}

func (f EventFilter) chooses(e Event) bool {
	switch {
	case e.Seq <= f.After, f.Before > 0 && e.Seq >= f.Before:
		return false
	case slices.Contains(f.Without, e.Type):
		return false
	case f.Step != "" && e.Step != f.Step, f.Actor != "" && e.Actor != f.Actor:
		return false
	default:
		return len(f.Types) == 0 || slices.Contains(f.Types, e.Type)
	}
}
