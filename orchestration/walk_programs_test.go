package orchestration_test

import (
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
			programs[role] = orchestration.Program{Agent: rapid.SampledFrom([]string{"", "claude", "simulated", "opencode"}).Draw(rt, "program")}
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
	case own != "":
		return own
	default:
		return newQuest().Agent
	}
}

// opensWith is the program of the first run of a ready step.
func (m *model) opensWith(q *orchestration.Quest, step string) string {
	if m.born[step] {
		return programFor(q, orchestration.Launch{Role: orchestration.Spiritmender})
	}
	return programFor(q, orchestration.Launch{Role: orchestration.Codeweaver})
}

// holdsAgent reports whether the account of an agent is held, and nobody has it tried again.
func holdsAgent(holds []orchestration.AccountHold, agent string, now time.Time) bool {
	return slices.ContainsFunc(holds, func(h orchestration.AccountHold) bool {
		return h.Agent == agent && (h.Until.IsZero() || h.Until.After(now)) && !h.Probe
	})
}
