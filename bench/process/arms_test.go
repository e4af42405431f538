package process_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"questboard/orchestration"
)

// base is an arm as the product is set by default.
func base(name string, size orchestration.Size) arm {
	return arm{name: name, size: size, forks: true, lane: true, checks: 1}
}

// arms lists the ways to carry out a request, the agent alone first.
func arms() []arm {
	reviewed := base("errand, then Review it", orchestration.SizeErrand)
	reviewed.review = true
	all := []arm{{name: "one agent alone"}, base("errand", orchestration.SizeErrand), reviewed, base("quick", orchestration.SizeQuick),
		base("full", orchestration.SizeFull), base("auto", orchestration.SizeAuto)}
	for _, a := range []arm{all[1], all[3], all[4], all[5]} {
		fresh, slots := a, a
		fresh.name, fresh.forks = a.name+", without forks", false
		slots.name, slots.lane = a.name+", checks in slots", false
		all = append(all, fresh, slots)
	}
	return all
}

// mean is what an arm took on average, beside the first arm with the same requests.
type mean struct {
	taken
	wallTimes, costTimes [2]float64 // ratio, and half of its 95 % interval
	moreFaults           [2]float64 // the same of the difference
}

// measured plays n requests of a class in every arm.
func measured(t testing.TB, v values, class string, list []arm, n int) map[string]mean {
	t.Helper()
	large := largePlan(t)
	results := make([][]taken, n)
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for seed := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			req := ask(v, class, large, uint64(seed))
			for _, a := range list {
				took, err := play(v, a, req, uint64(seed))
				if err != nil {
					t.Errorf("%s, seed %d: %v", class, seed, err)
				}
				results[seed] = append(results[seed], took)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	out := map[string]mean{}
	for i, a := range list {
		var m mean
		var wall, cost, faults []float64
		for _, r := range results {
			m.wall, m.agents, m.cost, m.faults = m.wall+r[i].wall/float64(n), m.agents+r[i].agents/float64(n), m.cost+r[i].cost/float64(n), m.faults+r[i].faults/float64(n)
			wall, cost = append(wall, r[i].wall/r[0].wall), append(cost, r[i].cost/r[0].cost)
			faults = append(faults, r[i].faults-r[0].faults)
		}
		m.wallTimes, m.costTimes, m.moreFaults = interval(wall), interval(cost), interval(faults)
		out[a.name] = m
	}
	return out
}

// interval returns the mean of a sample and half of its 95 % interval.
func interval(x []float64) [2]float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return [2]float64{mean, 1.96 * math.Sqrt(squares/float64(max(len(x)-1, 1))/float64(len(x)))}
}
