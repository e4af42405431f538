package orchestration

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Instruction is what the user wrote beside Retry. It holds for the rest of the step.
type Instruction struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Run  string    `json:"run"` // the first run that is told it
}

// InstructionsMost is the most characters that one Instruction, or all that one prompt
// tells, may have. Every fresh session is told them again, so it is far below what a
// request may hold.
const InstructionsMost = 20_000

func checkInstructions(text string) error {
	n := utf8.RuneCountInString(text)
	if n <= InstructionsMost {
		return nil
	}
	return fieldFaults(map[string]string{"instructions": fmt.Sprintf(
		"at most 20,000 characters are possible, and this has %d; write what is longer into a file of the repository and name the file", n)})
}

// instruct keeps the user's instructions; run is the first one that is told them.
func (e *edit) instruct(run *Run, text string) {
	s := e.step(run.Step)
	s.Instructions = append(slices.Clip(s.Instructions), Instruction{Text: text, By: e.actor, At: e.at, Run: run.ID})
}

// InstructionsFor returns what a run's prompt tells of its step's instructions, oldest
// first: in a resumed session those that it does not know yet, else all. A session that
// was interrupted may have lost the last ones, so it is told them again. If they have
// more than InstructionsMost characters together, the oldest are left out; more is
// their number.
func (q *Quest) InstructionsFor(r *Run) (told []Instruction, more int) {
	s := q.Step(r.Step)
	if s == nil { // a quest that was made up, such as a sample
		return nil, 0
	}
	all := s.Instructions
	if known := q.Run(r.ResumedFrom); known != nil {
		lost := r.Start == StartInterrupted || r.Start == StartRetry
		all = slices.DeleteFunc(slices.Clone(all), func(i Instruction) bool {
			first := q.Run(i.Run)
			return first != nil && (first.N < known.N || first.N == known.N && !lost)
		})
	}
	size := 0
	for n, i := range slices.Backward(all) {
		if size += utf8.RuneCountInString(i.Text); size > InstructionsMost {
			return all[n+1:], n + 1
		}
	}
	return all, 0
}
