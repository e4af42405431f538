package orchestration

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// StepWhy says in words why a line stands where it stands, with the next
// automatic action and its time.
func (q *Quest) StepWhy(s *Step, now time.Time, holds []AccountHold) string {
	switch {
	case s.Stage == StageDone && s.Whole():
		return "done"
	case s.Stage == StageDone:
		return q.doneWords(s)
	case s.Stage == StageSkipped:
		return SkippedWords("you", s.Reason)
	case s.Stage == StageSuperseded:
		return "replaced by " + strings.Join(s.ReplacedBy, ", ")
	case q.Abandoned:
		return "the quest was abandoned"
	case s.Hold == HoldBlocked:
		return s.Block.Reason
	case s.Hold == HoldQuestion:
		return q.questionWhy(s, now)
	case s.Stage == StageWaiting && s.Whole():
		return "its turn has not come"
	case s.Stage == StageWaiting:
		return q.waitingWhy(s)
	case s.Stage == StageReady:
		return q.readyWhy(s, now, holds)
	case s.Stage == StageMerge:
		return q.mergeWhy(s)
	case s.Run == "":
		return ""
	}
	if q.GateOf(s.ID) == GateOpen {
		return "waits for your approval"
	}
	return q.runWhy(q.Run(s.Run), s, now, holds)
}

func (q *Quest) readyWhy(s *Step, now time.Time, holds []AccountHold) string {
	if why := q.cannotStart(s.opening(), time.Time{}, now); why != "" {
		return "ready, waits for a slot: " + why
	}
	if why := q.heldWhy(now, holds); why != "" {
		return "ready: " + why
	}
	return "ready, waits for a slot"
}

// heldWhy tells of the hold that keeps the quest's agents from starting.
func (q *Quest) heldWhy(now time.Time, holds []AccountHold) string {
	why := ""
	for _, h := range q.OwnHolds(holds, now) {
		why = holdWords(h, now)
	}
	return why
}

func (q *Quest) mergeWhy(s *Step) string {
	found := map[Checked]string{
		CheckedPassed:  "good and green",
		CheckedAsBase:  "good, and the check fails as it did before the first step",
		CheckedNot:     "good, not checked",
		CheckedUnknown: "good, no pass of the check is recorded",
	}[q.Checked(s)]
	if before := slices.Index(q.Merging, s.ID); before > 0 {
		return fmt.Sprintf("%s: waits to be merged, %d before it", found, before)
	}
	return found + ": being merged"
}

func (q *Quest) waitingWhy(s *Step) string {
	var open []string
	for _, d := range s.DependsOn {
		if dep := q.Line(d); dep == nil || !dep.Stage.Frees() {
			open = append(open, d)
		}
	}
	switch {
	case len(open) == 0 && q.Baseline == BaselinePending:
		return "waits until the check has looked at the base"
	case len(open) == 0:
		return "waits for the plan's approval"
	}
	return "waits for " + strings.Join(open, ", ")
}

func (q *Quest) questionWhy(s *Step, now time.Time) string {
	if question := q.OpenQuestion(s); question != nil {
		return fmt.Sprintf("%s asks (%s ago): %s", question.Role, wait(now.Sub(question.AskedAt)), firstLine(question.Text))
	}
	return "asks"
}

// runWhy tells of the line's newest run: what it does, or what it waits for.
func (q *Quest) runWhy(r *Run, s *Step, now time.Time, holds []AccountHold) string {
	var words string
	switch {
	case r.State == RunQueued && q.backsOff(r.NotBefore, now):
		words = fmt.Sprintf("%s: resumes in %s, %s", q.lastEnd(r), wait(r.NotBefore.Sub(now)), tries(s.Counts.Overloads+s.Counts.Infra))
	case r.State == RunQueued:
		why := q.cannotStart(r.Launch, r.NotBefore, now)
		if why == "" && r.Role.Agent() {
			why = q.heldWhy(now, holds)
		}
		if why == "" {
			why = "waits for a slot"
		}
		words = fmt.Sprintf("%s queued (%s): %s", r.Role, r.Start, why)
	case r.Stopping != "":
		words = fmt.Sprintf("%s is being ended", r.Role)
	case r.State == RunEnded:
		words = r.Why
	case r.Role == Ward && q.Ward == "":
		words = "no check command is configured: it passes"
	case r.Role == Ward:
		words = "the check runs: " + firstLine(q.Ward)
	case r.State == RunStarting:
		words = fmt.Sprintf("%s is being started", r.Role)
	default:
		words = fmt.Sprintf("%s at work", r.Role)
	}
	if c := s.Counts.Ward; c > 0 && r.Role != Codeweaver {
		words += fmt.Sprintf("; ward failed %d of %d times", c, q.limits().Ward)
	}
	if r.ReturnTo != "" {
		w := q.Run(r.ReturnTo)
		words += fmt.Sprintf("; then %s resumes", w.Role)
	}
	return words
}

func (q *Quest) lastEnd(r *Run) string {
	if r.ResumedFrom != "" {
		if why := q.Run(r.ResumedFrom).Why; why != "" {
			return firstLine(why)
		}
	}
	return "backoff"
}

func tries(n int) string {
	n = max(n, 1)
	suffix := "th"
	if n/10%10 != 1 { // 11th, 12th, 13th
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s time", n, suffix)
}

func firstLine(s string) string {
	line, _, cut := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(line); len(r) > 160 {
		return string(r[:159]) + "…"
	} else if cut {
		return line + " …"
	}
	return line
}
