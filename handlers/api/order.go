package api

import (
	"cmp"
	"slices"
)

// newestFirst sorts quests by the time they were created, then by id, so that
// an answer never depends on the order in which the engine keeps them.
func newestFirst(heads []questHead) {
	slices.SortFunc(heads, func(a, b questHead) int {
		return cmp.Or(b.CreatedAt.Compare(*a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
