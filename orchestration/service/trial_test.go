package service_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// tried is a ward whose command ends when the test says so. It makes the home of its quest, as the
// sandbox does.
type tried struct {
	data    string
	starts  chan string // the quest of a start that is asked for
	begins  chan error  // what a start returns
	ends    chan struct{}
	stopped chan struct{}
}

func newTried(t *testing.T) (*tried, *service.WardTrials) {
	t.Helper()
	w := &tried{data: t.TempDir(), starts: make(chan string), begins: make(chan error), ends: make(chan struct{}), stopped: make(chan struct{}, 9)}
	logs, err := runlog.Open(w.data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return w, service.NewTrials(w, logs, w.data)
}

func (w *tried) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	home := filepath.Join(w.data, "homes", spec.QuestID, "go")
	if err := errors.Join(os.MkdirAll(home, 0o700), os.Chmod(home, 0o500)); err != nil { // Go keeps its modules in such folders
		return nil, err
	}
	w.starts <- spec.QuestID
	return w, <-w.begins
}

func (w *tried) PID() int          { return 1 }
func (w *tried) End(time.Duration) { w.stopped <- struct{}{} }
func (w *tried) Wait() agents.Ended {
	<-w.ends
	return agents.Ended{End: orchestration.EndWardPassed}
}

func (w *tried) homes() (names []string) {
	all, _ := os.ReadDir(filepath.Join(w.data, "homes"))
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
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
	if left := w.homes(); len(left) > 0 {
		t.Errorf("a start that fails leaves %v", left)
	}
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

// A trial of a quest that is being written has a home of its own in the sandbox, which nothing
// uses after it. The home of a quest stays, also if the database does not know the quest.
func TestATrialLeavesNoHome(t *testing.T) {
	t.Parallel()
	w, trials := newTried(t)
	tidier := service.Tidier{Data: w.data, Trials: trials, Log: slog.New(slog.DiscardHandler)}
	for left, quest := range []string{"", "quest1"} {
		began := make(chan error)
		go func() {
			began <- trials.Begin(service.TrialPlace{Name: "place " + quest, Quest: quest, Dir: w.data}, "true", time.Minute)
		}()
		<-w.starts
		if service.TidyHomes(tidier); len(w.homes()) != 1 {
			t.Errorf("%q: the home of a trial that starts was removed", quest)
		}
		w.begins <- nil
		if err := <-began; err != nil {
			t.Fatal(err)
		}
		w.ends <- struct{}{}
		until(t, "the trial ended", func() bool { last, _ := trials.Last("place " + quest); return !last.Going })
		if all := w.homes(); len(all) != left {
			t.Errorf("%q: %v, want %d", quest, all, left)
		}
		if service.TidyHomes(tidier); len(w.homes()) != left {
			t.Errorf("%q: of the homes %v are left, want %d", quest, w.homes(), left)
		}
	}
}
