package orchestration

import "time"

// Limits say how often something may happen before the step is blocked. A limit of n
// allows it n times and blocks at the next one, except Ward: the n-th failure in a row
// blocks. The defaults replace zero values.
type Limits struct {
	Crash     int `json:"crash"`
	Stuck     int `json:"stuck"`
	Nudge     int `json:"nudge"`
	Infra     int `json:"infrastructure"`
	Partial   int `json:"partial"`
	Ward      int `json:"ward"`
	Depth     int `json:"depth"`     // how many runs may wait for each other in a chain
	Followups int `json:"followups"` // per step
	Runs      int `json:"runs"`      // per quest; 0 = the larger of 500 and 20 × steps of the first plan
}

// DefaultLimits are those of docs/state-machine.md#limits.
var DefaultLimits = Limits{Crash: 3, Stuck: 1, Nudge: 1, Infra: 3, Partial: 10, Ward: 3, Depth: 5, Followups: 12}

// Backoff is how long runs wait after an overload. It starts at First and doubles up to
// Max.
type Backoff struct{ First, Max time.Duration }

// DefaultBackoff is one minute, doubling to thirty.
var DefaultBackoff = Backoff{First: time.Minute, Max: 30 * time.Minute}

// DefaultCrashBackoff are the waits before a crashed run is tried again. The first is
// short, in case a file was just being written. The others give a person the time to fix
// something.
var DefaultCrashBackoff = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// After returns the wait before try n (from 1).
func (b Backoff) After(n int) time.Duration {
	d := b.First
	for range n - 1 {
		if d *= 2; d >= b.Max {
			return b.Max
		}
	}
	return min(d, b.Max)
}

// LimitsByName returns the limits that are set, by their names in the API.
func LimitsByName(l Limits) map[string]int {
	set := map[string]int{}
	for name, n := range map[string]int{"crash": l.Crash, "stuck": l.Stuck, "nudge": l.Nudge, "infrastructure": l.Infra, "partial": l.Partial,
		"ward": l.Ward, "depth": l.Depth, "followups": l.Followups, "runs": l.Runs} {
		if n != 0 {
			set[name] = n
		}
	}
	return set
}
