package bench_test

import (
	"fmt"
	"testing"
)

// BenchmarkSteps carries quests through the real engine and the real store,
// each beside the durable limit: the same programs in a pool of workers, with
// one fsynced SQLite transaction a transition. "bare" shows what the engine
// costs; "supervised" is what a user has.
func BenchmarkSteps(b *testing.B) {
	for _, kind := range []struct {
		name  string
		start spawn
		fewer int // a supervised run takes ten times as long
	}{{"bare", bare, 1}, {"supervised", supervised(starter(b)), 4}} {
		for _, plan := range []struct {
			name string
			shape
		}{
			{"independent", independent(1000 / kind.fewer)},
			{"chain", chain(200 / kind.fewer)},
			{"layers10", layers(10, 100/kind.fewer)},
		} {
			for _, slots := range []int{3, 16} {
				b.Run(fmt.Sprintf("%s/%s/%dsteps/%dslots", kind.name, plan.name, plan.steps, slots), func(b *testing.B) {
					for b.Loop() {
						measureSteps(b, plan.shape, slots, kind.start)
					}
				})
			}
		}
	}
}

func measureSteps(b *testing.B, s shape, slots int, start spawn) {
	durable := durableLimit(b, s, slots, start)
	limit := durable.Seconds()
	q, elapsed := openSite(b, slots, start).carry(b, s.quest())
	took := elapsed.Seconds()
	b.ReportMetric(float64(s.steps)/took, "steps/s")
	b.ReportMetric(float64(q.Runs.Len())/took, "runs/s")
	b.ReportMetric(float64(q.Version)/took, "transitions/s")
	b.ReportMetric(float64(s.steps*runsPerStep)/limit, "limit-runs/s")
	b.ReportMetric(float64(q.Runs.Len())/took/(float64(s.steps*runsPerStep)/limit), "of-limit")
	beside(b, fmt.Sprintf("%d steps of four programs each", s.steps), elapsed, durable, 4)
}

// What is measured beside each other does the same work.
func TestAStepIsFourRuns(t *testing.T) {
	t.Parallel()
	plan := layers(2, 3)
	durableLimit(t, plan, 3, bare)
	q, _ := openSite(t, 3, bare).carry(t, plan.quest())
	if q.Runs.Len() < plan.steps*runsPerStep {
		t.Errorf("%d steps in %d runs: a step is %d runs at least", plan.steps, q.Runs.Len(), runsPerStep)
	}
}
