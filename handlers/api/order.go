package api

import (
	"cmp"
	"slices"

	"questboard/orchestration"
)

// newestFirst sorts quests by the time they were created, then by id, so that
// an answer never depends on the order in which the engine keeps them.
func newestFirst(quests []*orchestration.Quest) []*orchestration.Quest {
	return slices.SortedFunc(slices.Values(quests), func(a, b *orchestration.Quest) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
