package present_test

import (
	"strings"
	"testing"
	"time"

	"questboard/handlers/present"
	"questboard/orchestration"
)

// Of fewer than ten quests nobody can say what nine of ten cost, and no cost is no price.
func TestUsualWords_sayOnlyWhatTheQuestsTold(t *testing.T) {
	t.Parallel()
	price := func(n int) orchestration.Price { return orchestration.Price{Quests: n, USD: 1.5, P90USD: 4} }
	for want, u := range map[string]orchestration.Usual{
		"No history yet": {Quests: 2, Cost: price(2)},
		"Usually 5m 0s and $1.50 here (median of 3 quests), none more than $4.00":                                {Quests: 3, Cost: price(3)},
		"Usually 5m 0s and $1.50 here (median of 9 quests), none more than $4.00":                                {Quests: 9, Cost: price(9)},
		"Usually 5m 0s and $1.50 here (median of 10 quests), 9 of 10 at most $4.00":                              {Quests: 10, Cost: price(10)},
		"Usually 5m 0s here (median of 10 quests), and $1.50 (of the 4 with a known cost), none more than $4.00": {Quests: 10, Cost: price(4)},
		"Usually 5m 0s here (median of 10 quests), the cost is not known":                                        {Quests: 10},
	} {
		u.Took = 5 * time.Minute
		if got := present.UsualWords(u); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}

// What a quest will cost is estimated by the steps of its plan, once there is one.
func TestTheBoardEstimatesAPlanByItsSteps(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	price := func(quests int) orchestration.Price { return orchestration.Price{Quests: quests, USD: 1.5, P90USD: 4} }
	said := func(steps, priced int) string {
		n := orchestration.NewQuest{ID: "abc", At: now, Request: "Greet", Repo: "/repo", Agent: "claude", Workspace: orchestration.WorkspaceShared}
		for _, id := range []string{"a", "b", "c"}[:steps] {
			if n.Plan == nil {
				n.Plan = &orchestration.OwnPlan{}
			}
			n.Plan.Steps = append(n.Plan.Steps, orchestration.PlanStep{ID: id, Title: id, Description: "do it"})
		}
		began, err := orchestration.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		v := present.View{Now: now, Usual: func(orchestration.Size) orchestration.Usual {
			return orchestration.Usual{Quests: 10, Took: time.Minute, Cost: price(10), Step: price(priced)}
		}}
		_, estimate, _ := strings.Cut(v.Quest(began.Quest).Head().Size.Usual, "; ")
		return estimate
	}
	for _, c := range []struct {
		steps, priced int
		want          string
	}{
		{3, 9, "3 steps usually cost $4.50 here, none more than $12.00"},
		{3, 10, "3 steps usually cost $4.50 here, 9 of 10 at most $12.00"},
		{1, 10, "1 step usually cost $1.50 here, 9 of 10 at most $4.00"},
		{3, 2, ""}, // too few quests
		{0, 10, ""},
	} {
		if got := said(c.steps, c.priced); got != c.want {
			t.Errorf("%d steps, the price of %d quests: %q, want %q", c.steps, c.priced, got, c.want)
		}
	}
}
