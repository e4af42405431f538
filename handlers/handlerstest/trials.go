package handlerstest

import (
	"sync"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/service"
)

// Trials records what is tried. Tests set the results.
type Trials struct {
	mu    sync.Mutex
	last  map[string]service.Trial
	Ended []string // quests whose command was stopped
	Limit time.Duration
	Fault error // the error of Begin
}

// Begin records the command.
func (t *Trials) Begin(q *orchestration.Quest, command string, limit time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Fault == nil {
		t.Limit = limit
		t.set(q.ID, service.Trial{Run: "trial-1", Command: command, Dir: q.Repo, Began: time.Now(), Going: true})
	}
	return t.Fault
}

func (t *Trials) set(quest string, trial service.Trial) {
	if t.last == nil {
		t.last = map[string]service.Trial{}
	}
	t.last[quest] = trial
}

// Set sets the state of a trial.
func (t *Trials) Set(quest string, trial service.Trial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(quest, trial)
}

// End records the quest.
func (t *Trials) End(quest string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Ended = append(t.Ended, quest)
}

// Last returns what Begin or Set stored.
func (t *Trials) Last(quest string) (service.Trial, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	trial, known := t.last[quest]
	return trial, known
}
