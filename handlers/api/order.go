package api

import (
	"cmp"
	"slices"
)

// newestFirst sorts quests by the time of their creation, then by id, so that an answer
// does not depend on the order in which the engine keeps them.
func newestFirst(heads []questHead) {
	slices.SortFunc(heads, func(a, b questHead) int {
		return cmp.Or(b.CreatedAt.Compare(*a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
