package bench_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// latency is what was measured of signals, beside the parts of the floor.
type latency struct {
	answered durations // signal received → committed and answered
	next     durations // … → the program of the next run runs
	// The floor, its parts taking turns with the signals so that noise hits
	// all of them.
	transaction, process durations
}

// floor is one fsynced transaction and one start of the same program.
func (l latency) floor(p float64) time.Duration { return l.transaction.at(p) + l.process.at(p) }

// signals lets one agent after the other signal that it is done for now. Its
// program has left already, so that what is measured is ours: two commits (the
// signal; the end of the run with the grant of the next) and one start.
func signals(tb testing.TB, n int, start spawn) latency {
	s := openSite(tb, 1, start)
	l := openLedger(tb)
	s.party.born = make(chan *member, 1)
	q := independent(1).quest()
	q.Limits.Runs, q.Limits.Followups, q.Limits.Partial = 1<<30, 1<<30, 1<<30
	if _, err := s.Create(tb.Context(), q); err != nil {
		tb.Fatal(err)
	}
	var m latency
	for now := <-s.party.born; ; {
		if len(m.next) == n {
			s.party.born = nil
			now.signal(orchestration.Signal{Kind: orchestration.Complete, StepID: now.spec.Step, Summary: "s"})
			now.leave()
			<-s.over.done
			return m
		}
		began := time.Now()
		now.signal(orchestration.Signal{Kind: orchestration.PartiallyComplete, StepID: now.spec.Step, Progress: "p", ContinuationPoint: "c"})
		m.answered = append(m.answered, time.Since(began))
		now.leave()
		now = <-s.party.born
		m.next = append(m.next, now.at.Sub(began))

		m.transaction = append(m.transaction, timed(func() { l.commit(1) }))
		began = time.Now()
		wait, err := start()
		if err != nil {
			tb.Fatal(err)
		}
		m.process = append(m.process, time.Since(began))
		wait()
	}
}

// BenchmarkSignal: "bare" shows the engine, "supervised" what a user has.
func BenchmarkSignal(b *testing.B) {
	for name, start := range map[string]spawn{"bare": bare, "supervised": supervised(starter(b))} {
		b.Run(name, func(b *testing.B) {
			var m latency
			for b.Loop() {
				m = signals(b, 500, start)
			}
			m.answered.report(b, "answered")
			m.next.report(b, "next")
			m.transaction.report(b, "transaction")
			m.process.report(b, "process")
			b.ReportMetric(float64(m.answered.at(.5))/float64(m.transaction.at(.5)), "answered/transaction")
			b.ReportMetric(float64(m.next.at(.5))/float64(m.floor(.5)), "next/floor")
			b.ReportMetric(float64(m.next.at(.5))/float64(m.floor(.5)+m.transaction.at(.5)), "next/parts")
			beside(b, "signal answered, to one transaction,", m.answered.at(.5), m.transaction.at(.5), 4)
			beside(b, "next process, to a transaction and a start,", m.next.at(.5), m.floor(.5), 5)
		})
	}
}

func TestEverySignalBringsTheNextRun(t *testing.T) {
	t.Parallel()
	if m := signals(t, 5, bare); len(m.answered) != 5 || len(m.next) != 5 {
		t.Errorf("%d answers and %d runs to 5 signals", len(m.answered), len(m.next))
	}
}
