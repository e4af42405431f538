package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func endedQuests(t *testing.T, s engine.Store) {
	active := small("active")
	done, abandoned := small("done"), small("abandoned")
	done.Phase, done.Title, done.EndedAt = orchestration.PhaseComplete, "Say Hello", time.Unix(10, 0).UTC()
	abandoned.Abandoned, abandoned.Repo, abandoned.EndedAt, abandoned.CostUSD = true, "/hello/there", time.Unix(20, 0).UTC(), 2.5
	for _, q := range []*orchestration.Quest{active, done, abandoned} {
		commit(t, s, born(q))
	}
	for _, c := range []struct {
		f    orchestration.EndedFilter
		want []string
	}{
		{orchestration.EndedFilter{N: 10}, []string{"abandoned", "done"}},
		{orchestration.EndedFilter{N: 1}, []string{"abandoned"}},
		{orchestration.EndedFilter{N: 10, Skip: 1}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Skip: 5}, nil},
		{orchestration.EndedFilter{}, nil},
		{orchestration.EndedFilter{N: 10, Status: orchestration.StatusComplete}, []string{"done"}},
		{orchestration.EndedFilter{N: 10, Search: "hELLO"}, []string{"abandoned", "done"}},
		{orchestration.EndedFilter{N: 10, Search: "%"}, nil},
		{orchestration.EndedFilter{N: 10, Since: time.Unix(20, 0)}, []string{"abandoned"}},
	} {
		list, err := s.Ended(t.Context(), c.f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
			if e.Runs.Len()+e.Steps.Len() > 0 || e.Line("requirements") != nil || !e.Over() {
				t.Errorf("%s has rows", e.ID)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.f, d)
		}
	}
	tally, err := s.Tally(t.Context())
	runs := 0
	for _, n := range tally.Outcomes {
		runs += n
	}
	if err != nil || tally.Complete != 1 || tally.Abandoned != 1 || tally.CostUSD != done.CostUSD+2.5 || runs != done.Runs.Len()+abandoned.Runs.Len() {
		t.Errorf("%+v (%v)", tally, err)
	}
}
