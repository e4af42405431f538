package present_test

import (
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
