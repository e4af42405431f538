package present

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/orchestration"
	"questboard/views"
)

// TechnicalEvents say how the server schedules its work. A page shows them only if a
// person asks for them.
var TechnicalEvents = []orchestration.EventType{orchestration.EventRunQueued, orchestration.EventRunGranted, orchestration.EventStepReady,
	orchestration.EventStepStage, orchestration.EventPlanStored, orchestration.EventRequirementsLocked, orchestration.EventMergeQueued,
	orchestration.EventMergeUpdated}

// isWork reports whether an event is part of a run's work. Questions and what people do
// about a run stand by themselves.
func isWork(t orchestration.EventType) bool {
	switch t {
	case orchestration.EventRunQueued, orchestration.EventRunGranted, orchestration.EventRunStarted, orchestration.EventRunEnded,
		orchestration.EventSignalAccepted, orchestration.EventSignalRefused, orchestration.EventRequirementsStored, orchestration.EventPlanStored,
		orchestration.EventFilesChanged, orchestration.EventWardPassed, orchestration.EventWardFailed, orchestration.EventBaselinePassed,
		orchestration.EventBaselineFailed, orchestration.EventBeforeMergePassed, orchestration.EventBeforeMergeFailed:
		return true
	default:
		return false
	}
}

// isSign reports whether the entry of a run says all that the event says.
func isSign(t orchestration.EventType) bool {
	return t == orchestration.EventRunStarted || t == orchestration.EventRunEnded
}

// WorkOf returns the events of each known run's work, newest first.
func (p *Quest) WorkOf(events []orchestration.Event) map[string][]orchestration.Event {
	runs := map[string][]orchestration.Event{}
	for _, e := range events {
		if isWork(e.Type) && p.q.Run(e.Run) != nil {
			runs[e.Run] = append(runs[e.Run], e)
		}
	}
	return runs
}

// runEntry makes the row of a run's newest event the entry of the run. Its events are
// told in the order in which they happened.
func (p *Quest) runEntry(r *orchestration.Run, row views.HistoryRow, work []orchestration.Event, part HistoryPart) views.HistoryRow {
	head := p.RunHead(r, work)
	row.Head, row.ID, row.Actor, row.Fields, row.Class = &head, "entry-"+r.ID, "", nil, ""
	for _, e := range slices.Backward(work) {
		if part.Technical || !isSign(e.Type) {
			inner := p.historyRow(e)
			inner.Step, inner.Run = "", ""
			row.Events = append(row.Events, inner)
		}
	}
	has := func(t orchestration.EventType) bool {
		return slices.ContainsFunc(work, func(e orchestration.Event) bool { return e.Type == t })
	}
	first := orchestration.EventRunQueued
	if !part.Technical {
		first = orchestration.EventRunStarted
	}
	row.Earlier = part.Older && !has(first) && (part.Technical || !r.StartedAt.IsZero())
	row.Later = part.Newer && r.State == orchestration.RunEnded && !has(orchestration.EventRunEnded)
	return row
}

// RunHead says in a line what came of a run. work are events of the run, newest first: as
// many as are known.
func (p *Quest) RunHead(r *orchestration.Run, work []orchestration.Event) views.HistoryRun {
	h := views.HistoryRun{ID: r.ID, About: RoleDoes(r.Role), Live: r.State != orchestration.RunEnded}
	if h.Live {
		h.State, h.Clock = p.runState(r)
		h.Words = RoleName(r.Role) + p.agentWords(r) + ": " + midSentence(h.State.Words)
		return h
	}
	h.State = endState(p.q, r)
	words := []string{RoleName(r.Role) + p.agentWords(r) + ": " + midSentence(h.State.Words)}
	switch {
	case r.Role == orchestration.Ward:
		if h.State, words[0] = p.runVerdict(r, h.State, work); r.Outcome != orchestration.OutcomeSignalled {
			h.Says = p.oneLine(r.Why, 160)
		}
	case r.Signal != nil && r.Outcome == orchestration.OutcomeSignalled:
		h.Says = p.oneLine(cmp.Or(r.Signal.Summary, r.Signal.Progress, r.Signal.Reason), 160) // a question is an entry
	default:
		h.Says = p.oneLine(r.Why, 160)
	}
	if n := filesChanged(work); n > 0 {
		words = append(words, views.Count(n, "file changed", "files changed"))
	}
	if !r.StartedAt.IsZero() && r.EndedAt.Sub(r.StartedAt) >= 50*time.Millisecond {
		words = append(words, lasted(r.EndedAt.Sub(r.StartedAt)))
	}
	if tokens := r.Tokens.All(); r.CostUSD > 0 || tokens > 0 && p.showsCost() {
		words = append(words, p.cost(r.CostUSD, tokens))
	}
	h.Words = strings.Join(words, ", ")
	return h
}

// runVerdict is what a check found. If its event is not known, the state says that it ended.
func (p *Quest) runVerdict(r *orchestration.Run, ended views.State, work []orchestration.Event) (views.State, string) {
	for _, e := range work {
		switch e.Type {
		case orchestration.EventWardPassed, orchestration.EventWardFailed, orchestration.EventBaselinePassed, orchestration.EventBaselineFailed,
			orchestration.EventBeforeMergePassed, orchestration.EventBeforeMergeFailed:
			s := views.State{}
			s.Class, s.Icon = eventSign(e.Type)
			return s, p.eventWords(e)
		default:
		}
	}
	what := "Check"
	if r.BeforeMerge() {
		what = "Command before the merge"
	}
	return ended, what + ": " + midSentence(ended.Words)
}

// filesChanged counts the files that a run changed. It is 0 if that is not known: an
// earlier version recorded only their names.
func filesChanged(work []orchestration.Event) int {
	for _, e := range work {
		if e.Type == orchestration.EventFilesChanged {
			n, _ := strconv.Atoi(e.Data["count"])
			return max(n, 0) // an imported history can say anything
		}
	}
	return 0
}

// midSentence begins the words of a state with a small letter.
func midSentence(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToLower(words[:1]) + words[1:]
}

// lasted writes how long a run took. Of a short one, tenths of a second count.
func lasted(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return views.Span(d)
}

// reportOf says in a few words what an agent reports with a signal.
func reportOf(kind orchestration.SignalKind, target orchestration.Role) string {
	switch kind {
	case orchestration.Complete:
		return "reported done"
	case orchestration.PartiallyComplete:
		return "goes on in a new session"
	case orchestration.NeedsUserInput:
		return "asked a question"
	case orchestration.NeedsRoleFollowup:
		return "called " + RoleName(target)
	default:
		return cmp.Or(clean(string(kind)), "reported")
	}
}

// outcomeOf says in a few words how a run ended that reported nothing.
func outcomeOf(o orchestration.Outcome) string {
	switch o {
	case orchestration.OutcomeSignalled:
		return "Ended"
	case orchestration.OutcomeCrashed:
		return "Crashed"
	case orchestration.OutcomeStuck:
		return "Ended without progress"
	case orchestration.OutcomeStopped:
		return "Stopped"
	case orchestration.OutcomeInterrupted:
		return "Interrupted"
	case orchestration.OutcomeCapped:
		return "Reached its share of the budget"
	case orchestration.OutcomeFailed:
		return "Could not start"
	default:
		return clean(string(o))
	}
}
