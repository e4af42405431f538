package hosts_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// leased notes what becomes of runs.
type leased struct {
	settled
	ends chan string
}

func (l leased) Center() engine.Center { return leasedCenter{ends: l.ends} }

type leasedCenter struct {
	fullCenter
	ends chan string
}

func (leasedCenter) Settings() (s record.Settings) { return s }

func (l leasedCenter) Post(_ string, in orchestration.InputKind) <-chan bool {
	if exited, is := in.(orchestration.RunExited); is && exited.End == orchestration.EndInterrupted {
		l.ends <- exited.Run
	}
	done := make(chan bool, 1)
	done <- true
	return done
}

// A slot may be granted while its host goes away, and be stored only after the lease has ended. Nobody
// else would ever end its run.
func TestARunThatComesAfterTheLeaseIsGivenUp(t *testing.T) {
	t.Parallel()
	q := &orchestration.Quest{ID: "abc", Workplace: orchestration.Workplace{Host: "forge"}}
	run := &orchestration.Run{ID: "abc-r1"}
	for name, carry := range map[string]func(d engine.Dispatcher){
		"granted": func(d engine.Dispatcher) { d.Start(engine.Job{Quest: q, Run: run}) },
		"left":    func(d engine.Dispatcher) { d.FinishOrphan(q, run, "the server was restarted") },
	} {
		for _, away := range []time.Duration{hosts.DefaultLease / 2, 2 * hosts.DefaultLease} {
			t.Run(name+" after "+away.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ends := make(chan string, 10)
					known := &hosts.Registry{Engine: leased{ends: ends}, Times: hosts.TimesOf(hosts.DefaultLease), Log: slog.New(slog.DiscardHandler)}
					began, d := time.Now(), known.Dispatcher("forge")
					time.Sleep(away)
					carry(d)
					select {
					case <-ends:
						if took := time.Since(began); took != max(away, hosts.DefaultLease) {
							t.Errorf("it was given up after %v", took)
						}
					case <-time.After(time.Hour):
						t.Error("it was not given up")
					}
					synctest.Wait()
					if d.Executes("abc-r1") || len(ends) > 0 {
						t.Error("it is still at work, or ended twice")
					}
				})
			})
		}
	}
}
