package bench_test

import (
	"testing"
	"time"
)

// BenchmarkGrowth measures what a step costs in quests of 100 to 10,000 steps,
// through engine and store with runs that end at once. The sizes take turns,
// and the best of each counts: noise of the machine only ever adds.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{100, 1000, 10_000}
	best := make([]time.Duration, len(sizes))
	for b.Loop() {
		for i, size := range sizes {
			for range min(5, 10_000/size) {
				best[i] = shortest(best[i], perStep(b, size))
			}
		}
	}
	b.ReportMetric(float64(best[0].Microseconds()), "µs/step-of-100")
	b.ReportMetric(float64(best[1].Microseconds()), "µs/step-of-1000")
	b.ReportMetric(float64(best[2].Microseconds()), "µs/step-of-10000")
	b.ReportMetric(float64(best[2])/float64(best[0]), "10000/100")
	beside(b, "a step of 10,000 and a step of 100", best[2], best[0], 4)
}

func perStep(tb testing.TB, steps int) time.Duration {
	_, took := openSite(tb, 16, instant).carry(tb, independent(steps).quest())
	return took / time.Duration(steps)
}

func shortest(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
