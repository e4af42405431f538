package storetest

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"questboard/orchestration"
)

// Diff says in which stored fields two quests differ, down to the last row;
// empty when in none.
func Diff(want, got *orchestration.Quest) string {
	return cmp.Diff(want, got,
		cmp.Transformer("steps", rows[orchestration.Step]),
		cmp.Transformer("runs", rows[orchestration.Run]),
		cmp.Transformer("questions", rows[orchestration.Question]),
		cmpopts.IgnoreUnexported(orchestration.Quest{}))
}

func rows[T any](t orchestration.Table[T]) []*T {
	var list []*T
	for _, row := range t.All() {
		list = append(list, row)
	}
	return list
}
