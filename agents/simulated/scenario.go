package simulated

import (
	"fmt"
	"os"
	"strings"
	"time"

	"questboard/orchestration"
)

// maxScenario is the largest scenario file, in bytes.
const maxScenario = 4 << 20

// Scenario says what each run does.
type Scenario struct{ Entries []Entry }

// Entry is what one role does, for one step and visit or for any.
type Entry struct {
	Line  int // in the file, from 1
	Role  orchestration.Role
	Step  string // empty: any
	Visit int    // 0: any
	Do    []Action
}

// Action is one thing to do. Kind says which of the other fields are used.
type Action struct {
	Line  int
	Kind  Kind
	Text  string // say, talk, run, spawn, garbage, api-error
	Tool  string // tool: the name
	Input map[string]any
	Path  string        // write
	Body  string        // write
	Sleep time.Duration // also talk: from one message to the next
	Lines int           // talk
	Code  int           // exit
}

// Kind is the key of an action.
type Kind string

// The kinds of actions; doc.go explains each.
const (
	Say      Kind = "say"
	Talk     Kind = "talk"
	Tool     Kind = "tool"
	Write    Kind = "write"
	Run      Kind = "run"
	Sleep    Kind = "sleep"
	Exit     Kind = "exit"
	Hang     Kind = "hang"
	Garbage  Kind = "garbage"
	Spawn    Kind = "spawn"
	Compact  Kind = "compact"
	APIError Kind = "api-error"
)

var kinds = []Kind{Say, Talk, Tool, Write, Run, Sleep, Exit, Hang, Garbage, Spawn, Compact, APIError}

// Fault is one thing that is wrong with a scenario file.
type Fault struct {
	Line int
	Text string
}

// Faults are all faults of a scenario file, in the order of the file.
type Faults []Fault

// Error implements error. Each fault is a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fmt.Sprintf("line %d: %s", fault.Line, fault.Text)
	}
	return strings.Join(lines, "\n")
}

// Load reads and checks a scenario file. If its content is wrong, the error is of type
// Faults.
func Load(path string) (*Scenario, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	if info.Size() > maxScenario {
		return nil, fmt.Errorf("read scenario %s: larger than %d MiB", path, maxScenario>>20)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	s, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("scenario %s:\n%w", path, err)
	}
	return s, nil
}

// Find returns the first entry that matches a run, or nil.
func (s *Scenario) Find(role orchestration.Role, step string, visit int) *Entry {
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Role == role && (e.Step == "" || e.Step == step) && (e.Visit == 0 || e.Visit == visit) {
			return e
		}
	}
	return nil
}
