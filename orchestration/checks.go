package orchestration

import "time"

// The limits of a check for which the settings name none.
const (
	checkLimit      = 30 * time.Minute
	leastCheckLimit = 5 * time.Minute
	baseFactor      = 3 // a check may take so many times as long as on the base
	mostDoublings   = 3
)

// CheckLimit returns how long a run of Ward may take if the settings say nothing: three
// times as long as the check took on the base, at least 5 minutes; 30 minutes if it did not
// pass there, or if that took no time because an earlier pass counted. A retry of a check
// that could not run to its end has twice the time, up to eight times.
func (q *Quest) CheckLimit(r *Run) time.Duration {
	limit := checkLimit
	if base := q.Run(q.BaselineRun); base != nil && q.Baseline == BaselineGreen && !r.BeforeMerge() {
		if took := base.EndedAt.Sub(base.StartedAt); took >= time.Second {
			limit = max(leastCheckLimit, baseFactor*took)
		}
	}
	return limit << min(mostDoublings, q.brokeBefore(r))
}

// brokeBefore counts the runs of Ward on the same step, directly before this one, that
// could not run to their end.
func (q *Quest) brokeBefore(r *Run) int {
	n := 0
	for i := r.N - 1; i >= 0; i-- {
		before := q.Runs.At(i)
		if before.Step != r.Step {
			continue
		}
		if before.Role != Ward || before.Outcome != OutcomeCrashed {
			break
		}
		n++
	}
	return n
}
