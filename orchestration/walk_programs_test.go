package orchestration_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// drawPrograms gives some roles a program of their own, in a third of the quests.
func drawPrograms(rt *rapid.T) orchestration.Programs {
	if rapid.IntRange(0, 2).Draw(rt, "programs by role") > 0 {
		return nil
	}
	programs := orchestration.Programs{}
	for _, role := range orchestration.Roles {
		if role.Agent() {
			programs[role] = orchestration.Program{Agent: rapid.SampledFrom([]string{"", "claude", "simulated", "opencode"}).Draw(rt, "program"),
				Fallback:      rapid.SampledFrom([][]string{nil, {"codex"}, {"codex", "opencode"}, {"claude", "simulated"}}).Draw(rt, "fallback"),
				FallbackAfter: rapid.SampledFrom([]int{0, 1, 120}).Draw(rt, "fallback after")}
			if slices.Contains(programs[role].Fallback, programs[role].Agent) {
				programs[role] = orchestration.Program{Agent: programs[role].Agent}
			}
		}
	}
	return programs
}

// programFor is the program that must carry out a launch: that of the session, or that of
// the role.
func programFor(q *orchestration.Quest, l orchestration.Launch) string {
	switch own := q.Programs[l.Role].Agent; {
	case !l.Role.Agent():
		return ""
	case l.ResumedFrom != "":
		return q.Run(l.ResumedFrom).Agent
	case l.With != "":
		return l.With
	case own != "":
		return own
	default:
		return newQuest().Agent
	}
}

// opens is the launch of the first run of a ready step.
func (m *model) opens(step string) orchestration.Launch {
	if m.born[step] {
		return orchestration.Launch{Role: orchestration.Spiritmender}
	}
	return orchestration.Launch{Role: orchestration.Codeweaver}
}

// startedBy is the program that starts a launch: that for it or, while its account is held for
// longer than the role waits, the first of the role's others whose account is not; "": none.
// At a time of zero no hold has passed.
func startedBy(q *orchestration.Quest, l orchestration.Launch, holds []orchestration.AccountHold, now time.Time) string {
	var held []string
	long, own, role := false, programFor(q, l), q.Programs[l.Role]
	after := role.FallbackAfter
	if after == 0 {
		after = 15
	}
	for _, h := range holds {
		if !h.Until.IsZero() && !now.Before(h.Until) {
			continue
		}
		held = append(held, h.Agent)
		if h.Agent == own && (h.Until.IsZero() || h.Until.After(h.Since.Add(time.Duration(after)*time.Minute))) {
			long = true
		}
	}
	if !slices.Contains(held, own) {
		return own
	}
	for _, other := range role.Fallback {
		if long && l.ResumedFrom == "" && other != own && !slices.Contains(held, other) {
			return other
		}
	}
	return ""
}

// othersBackoff reports whether a run backs off because another program than the one that goes
// on for it has failed.
func othersBackoff(q *orchestration.Quest, r *orchestration.Run, agent string) bool {
	failed := ""
	for _, before := range q.Runs.All() {
		if before.N < r.N && before.Step == r.Step && before.Role.Agent() {
			failed = before.Agent
		}
	}
	return agent != programFor(q, r.Launch) && agent != failed
}

// inPlaceOf is the program in whose place a run begins its session, or goes on with one.
func inPlaceOf(before *orchestration.Quest, r *orchestration.Run) string {
	own := before.Programs[r.Role].Agent
	if own == "" {
		own = newQuest().Agent
	}
	switch {
	case r.ResumedFrom != "":
		return before.Run(r.ResumedFrom).InPlaceOf
	case r.Role == orchestration.Ward || r.Agent == own:
		return ""
	default:
		return own
	}
}

// mayGoOn reports whether a session waits for its program's account, and a person may have
// another program begin a new one.
func (w *walk) mayGoOn(r *orchestration.Run) bool {
	if r.ResumedFrom == "" || w.q.Paused || w.q.Wait != nil {
		return false
	}
	began := orchestration.Launch{Role: r.Role, With: programFor(w.q, r.Launch)} // as if it had no session yet
	with := startedBy(w.q, began, w.holds, time.Time{})
	return with != "" && with != began.With
}

// goesOn counts who went on for whom, and checks that a person's choice began a session with
// what was known.
func (w *walk) goesOn(before *orchestration.Quest, f orchestration.InputKind) error {
	switch f := f.(type) {
	case orchestration.SlotGranted:
		id := f.Run
		if f.Step != "" {
			id = w.q.Step(f.Step).Run
		}
		r := w.q.Run(id)
		if want := inPlaceOf(before, r); r.InPlaceOf != want {
			return fmt.Errorf("%s of %s works in the place of %q, want %q", r.Agent, r.ID, r.InPlaceOf, want)
		}
		if r.InPlaceOf != "" && r.ResumedFrom == "" && r.With == "" {
			w.cov.add("fallback: begins")
		}
		if r.InPlaceOf != "" && r.ResumedFrom != "" {
			w.cov.add("fallback: resumes its own")
		}
	case orchestration.FallbackPressed:
		was, r := before.Run(before.Step(f.Step).Run), w.q.Run(w.q.Step(f.Step).Run)
		if r.ID != was.ID || r.ResumedFrom != "" || r.SessionID != "" || r.Start != orchestration.StartHandoff || r.ReturnTo != was.ReturnTo {
			return fmt.Errorf("%s was to go on with another program, and begins as %+v", r.ID, r.Launch)
		}
		if r.With == programFor(before, was.Launch) || !slices.Contains(before.Programs[r.Role].Fallback, r.With) {
			return fmt.Errorf("%s goes on with %q", r.ID, r.With)
		}
	}
	return nil
}
