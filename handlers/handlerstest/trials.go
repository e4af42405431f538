package handlerstest

import (
	"sync"
	"time"

	"questboard/orchestration/service"
)

// Trials records what is tried. Tests set the results.
type Trials struct {
	mu    sync.Mutex
	last  map[string]service.Trial
	Ended []string // places whose command was stopped
	Limit time.Duration
	Fault error // the error of Begin
}

// Begin records the command.
func (t *Trials) Begin(at service.TrialPlace, command string, limit time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Fault == nil {
		t.Limit = limit
		t.set(at.Name, service.Trial{Run: "trial-1", Command: command, Dir: at.Dir, Began: time.Now(), Going: true})
	}
	return t.Fault
}

func (t *Trials) set(place string, trial service.Trial) {
	if t.last == nil {
		t.last = map[string]service.Trial{}
	}
	t.last[place] = trial
}

// Set sets the state of a trial.
func (t *Trials) Set(place string, trial service.Trial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(place, trial)
}

// End records the place.
func (t *Trials) End(place string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Ended = append(t.Ended, place)
}

// Last returns what Begin or Set stored.
func (t *Trials) Last(place string) (service.Trial, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	trial, known := t.last[place]
	return trial, known
}
