package orchestration_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// bills plays what the CLI says of costs. Each run spends something of its own. Some
// releases report the sum over the conversation, others the run's own part.
type bills struct {
	alone bool            // the release reports the run's own part
	mute  bool            // it does not say how many tokens the figures count
	spent map[string]bill // by run
	sum   map[string]bill // by session, what the CLI has counted so far
}

type bill struct {
	usd  float64
	read int64
}

func drawBills(rt *rapid.T) bills {
	kind := rapid.IntRange(0, 2).Draw(rt, "what the CLI says of costs")
	return bills{alone: kind == 1, mute: kind == 2, spent: map[string]bill{}, sum: map[string]bill{}}
}

func drawForks(rt *rapid.T) orchestration.Forks {
	f := orchestration.Forks{}
	if rapid.IntRange(0, 5).Draw(rt, "limits of forks") == 0 {
		f.Within, f.Small, f.Large = time.Hour, 5_000, 40_000
	}
	if rapid.IntRange(0, 7).Draw(rt, "a role begins afresh") == 0 {
		f.Fresh = []orchestration.Role{rapid.SampledFrom(orchestration.ForkingRoles).Draw(rt, "fresh")}
	}
	if rapid.IntRange(0, 7).Draw(rt, "a model of its own") == 0 {
		f.Models = map[orchestration.Role]string{rapid.SampledFrom(orchestration.ForkingRoles).Draw(rt, "whose"): "haiku"}
	}
	return f
}

// host is where the next run works: mostly on the same one.
func (w *walk) host() string {
	if w.one("another host", 20) {
		return "h2"
	}
	return "h1"
}

// bill adds to an exit what its run spent.
func (w *walk) bill(r *orchestration.Run, exit *orchestration.Exit) {
	if !r.Role.Agent() {
		return
	}
	own := bill{usd: 0.25 * float64(1+r.N%3), read: int64(300 + 100*(r.N%4))}
	if !r.Opened && !w.one("not heard of", 3) || w.one("free of charge", 12) {
		own = bill{}
	}
	w.bills.spent[r.ID] = own
	sum := w.bills.sum[r.SessionID]
	sum.usd, sum.read = sum.usd+own.usd, sum.read+own.read
	w.bills.sum[r.SessionID] = sum
	exit.Tokens.Input = own.read
	exit.Context = rapid.SampledFrom([]int64{0, 4_000, 15_000, 15_000, 50_000, 50_000, 90_000}).Draw(w.rt, "context")
	if own == (bill{}) {
		return
	}
	exit.SessionCost, exit.Seen, exit.Counted = sum.usd, own.read, sum.read
	if w.bills.alone {
		exit.SessionCost, exit.Counted = own.usd, own.read
	}
	if w.bills.mute {
		exit.Seen, exit.Counted = 0, 0
	}
}

// forks checks who goes on from which conversation, and that each run is charged what it
// spent (docs/state-machine.md#forks).
func (w *walk) forks(before *orchestration.Quest, f orchestration.InputKind) error {
	switch f := f.(type) {
	case orchestration.SlotGranted:
		id := f.Run
		if f.Step != "" {
			id = w.q.Step(f.Step).Run
		}
		r := w.q.Run(id)
		if want := programFor(before, r.Launch); r.Agent != want && !slices.Contains(before.Programs[r.Role].Fallback, r.Agent) {
			return fmt.Errorf("%s is carried out by %q, want %q", r.ID, r.Agent, want)
		}
		parent, ends := goesOnFrom(before, w.q, r, f.HostID, w.now)
		if r.InPlaceOf != "" {
			parent, ends = "", false
		}
		if ends {
			return fmt.Errorf("%s is granted a slot before the run that it could go on from has ended", r.ID)
		}
		if r.ForkedFrom != parent {
			return fmt.Errorf("%s (%s, %s) goes on from %q, want %q", r.ID, r.Role, r.Start, r.ForkedFrom, parent)
		}
		if parent != "" {
			w.bills.sum[r.SessionID] = w.bills.sum[w.q.Run(parent).SessionID]
			w.cov.add("fork: " + string(r.Role))
		}
	case orchestration.RunExited:
		r, own := w.q.Run(f.Run), w.bills.spent[f.Run]
		if math.Abs(r.CostUSD-own.usd) > 1e-9 {
			return fmt.Errorf("%s spent %v and is charged %v", r.ID, own.usd, r.CostUSD)
		}
		if r.ForkedFrom != "" && own.usd > 0 {
			w.cov.add("fork: charged")
		}
		if r.ForkedFrom != "" && !r.Opened && (f.End == orchestration.EndCrashed || f.End == orchestration.EndUnknownSession) {
			w.cov.add("fork: failed")
		}
	}
	return nil
}

// goesOnFrom returns the run from whose conversation r goes on, or that such a run is
// about to end.
func goesOnFrom(before, q *orchestration.Quest, r *orchestration.Run, host string, now time.Time) (parent string, ends bool) {
	from := couldGoOnFrom(q, r)
	if from == nil || from.Agent != r.Agent || r.Agent == "opencode" || r.ResumedFrom != "" || slices.Contains(q.Forks.Fresh, r.Role) {
		return "", false
	}
	from = before.Run(from.ID)
	if from.Signal == nil || from.Waiting || !from.Opened {
		return "", false
	}
	if from.State != orchestration.RunEnded {
		return "", true
	}
	within, small, large := 5*time.Minute, int64(20_000), int64(60_000)
	if q.Forks.Large != 0 {
		within, small, large = q.Forks.Within, int64(q.Forks.Small), int64(q.Forks.Large)
	}
	old := now.Sub(from.EndedAt) > within
	var last *orchestration.Run
	for _, other := range q.Runs.All() {
		if other.Step == r.Step && other.N < r.N {
			last = other
		}
	}
	failed := last != nil && last.Role == r.Role && last.ForkedFrom != "" && !last.Opened && last.Outcome == orchestration.OutcomeCrashed
	if from.HostID != host || from.Context == 0 || from.Context > large || from.Context > small && old || from.CostUSD == 0 || failed ||
		q.Forks.Models[from.Role] != q.Forks.Models[r.Role] {
		return "", false
	}
	return from.ID, false
}

func couldGoOnFrom(q *orchestration.Quest, r *orchestration.Run) *orchestration.Run {
	newest := func(ok func(*orchestration.Run) bool) (found *orchestration.Run) {
		for _, other := range q.Runs.All() {
			if other.ID != r.ID && ok(other) {
				found = other
			}
		}
		return found
	}
	sameSession := func(of *orchestration.Run) *orchestration.Run {
		if of == nil {
			return nil
		}
		return newest(func(other *orchestration.Run) bool { return other.ID == of.ID || other.SessionID == of.SessionID })
	}
	looked := func() *orchestration.Run {
		last := newest(func(other *orchestration.Run) bool { return other.Step == orchestration.StepRequirements })
		if last == nil || last.Role != orchestration.ChaosWhisperer {
			return nil
		}
		return last
	}
	fresh := r.Start == orchestration.StartFresh
	switch {
	case r.Role == orchestration.PathSeeker && fresh && r.Step == orchestration.StepPlan:
		return looked()
	case r.Role == orchestration.Codeweaver && fresh && r.Step == orchestration.StepErrand && q.Size == orchestration.SizeErrand:
		return looked()
	case r.Role == orchestration.Codeweaver && fresh && q.Step(r.Step).N >= 0:
		return sameSession(q.Run(q.Step(r.Step).AddedBy))
	case r.Role == orchestration.Spiritmender && r.Brief.Kind == orchestration.BriefCheck && r.ResumedFrom == "":
		check := q.Run(r.Brief.OutputOf)
		if check == nil {
			return nil
		}
		return sameSession(newest(func(other *orchestration.Run) bool {
			return other.Step == r.Step && other.N < check.N && other.Role.Writes()
		}))
	default:
		return nil
	}
}

// parentEnds reports whether a ready step waits for the end of the run that its first run
// could go on from.
func parentEnds(q *orchestration.Quest, s *orchestration.Step) bool {
	first := &orchestration.Run{Launch: orchestration.Launch{Role: orchestration.Codeweaver, Step: s.ID, Start: orchestration.StartFresh}}
	first.Agent = programFor(q, first.Launch)
	_, ends := goesOnFrom(q, q, first, "", time.Time{})
	return ends && s.MadeOf == ""
}
