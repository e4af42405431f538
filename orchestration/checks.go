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
// times as long as the check took on the base, at least 5 minutes; 30 minutes if that is not
// known. A retry of a check that could not run to its end has twice the time, up to eight
// times.
func (q *Quest) CheckLimit(r *Run) time.Duration {
	limit := checkLimit
	if took := q.BaseTook(); took > 0 && q.Baseline == BaselineGreen && !r.BeforeMerge() {
		limit = max(leastCheckLimit, baseFactor*took)
	}
	return limit << min(mostDoublings, q.brokeBefore(r))
}

// BaseTook returns how long the check took on the base, with the set-up of its tree; 0: not
// known, for example because an earlier pass counted and nothing ran.
func (q *Quest) BaseTook() time.Duration {
	base := q.Run(q.BaselineRun)
	if base == nil || base.PID == 0 || base.StartedAt.IsZero() {
		return 0
	}
	return max(0, base.EndedAt.Sub(base.StartedAt))
}

// brokeBefore counts the runs of the same command on the same step, directly before this
// one, that could not run to their end. Those that the server ended do not count.
func (q *Quest) brokeBefore(r *Run) int {
	n := 0
	for i := r.N - 1; i >= 0; i-- {
		before := q.Runs.At(i)
		if before.Step != r.Step || before.Outcome == OutcomeInterrupted {
			continue
		}
		if before.Role != Ward || before.Outcome != OutcomeCrashed || before.BeforeMerge() != r.BeforeMerge() {
			break
		}
		n++
	}
	return n
}
