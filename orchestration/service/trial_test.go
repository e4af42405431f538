package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// tried is a ward whose command ends when the test says so.
type tried struct {
	starts  chan string // the quest of a start that is asked for
	begins  chan error  // what a start returns
	ends    chan struct{}
	stopped chan struct{}
}

func newTried(t *testing.T) (*tried, *service.WardTrials) {
	t.Helper()
	data, w := t.TempDir(), &tried{starts: make(chan string), begins: make(chan error), ends: make(chan struct{}), stopped: make(chan struct{}, 9)}
	logs, err := runlog.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return w, service.NewTrials(w, logs, data)
}

func (w *tried) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	w.starts <- spec.QuestID
	return w, <-w.begins
}

func (w *tried) PID() int          { return 1 }
func (w *tried) End(time.Duration) { w.stopped <- struct{}{} }
func (w *tried) Wait() agents.Ended {
	<-w.ends
	return agents.Ended{End: orchestration.EndWardPassed}
}

// until waits until something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick, late := time.NewTicker(2*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("never: " + what)
		}
	}
}

// The start of a command looks into its folder, and that may be on a network disk that is away.
// The page of the trials shows what it knows meanwhile, and nothing else begins.
func TestACommandThatDoesNotStartHoldsNobodyElse(t *testing.T) {
	t.Parallel()
	w, trials := newTried(t)
	at := service.TrialPlace{Name: "new", Dir: t.TempDir()}
	began := make(chan error)
	begin := func(at service.TrialPlace) { began <- trials.Begin(at, "true", time.Minute) }
	go begin(at)
	<-w.starts
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		if _, known := trials.Last(at.Name); known {
			t.Error("it is known before it began")
		}
		trials.End(at.Name)
		trials.Stop(t.Context())
		if err := trials.Begin(service.TrialPlace{Name: "other", Dir: at.Dir}, "true", time.Minute); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("a second one: %v", err)
		}
	}()
	select {
	case <-asked:
	case <-time.After(20 * time.Second):
		t.Error("who asks is held")
	}
	w.begins <- errors.New("no such command")
	if err := <-began; err == nil || !strings.Contains(err.Error(), "no such command") {
		t.Errorf("a start that fails: %v", err)
	}
	<-asked
	go begin(at)
	<-w.starts
	w.begins <- nil
	if err := <-began; err != nil {
		t.Fatal(err)
	}
	if last, known := trials.Last(at.Name); !known || !last.Going {
		t.Errorf("it began: %+v", last)
	}
	if trials.End(at.Name); len(w.stopped) != 1 {
		t.Error("it is not ended")
	}
	close(w.ends)
	until(t, "it ended", func() bool { last, _ := trials.Last(at.Name); return last.Passed && !last.Going })
}
