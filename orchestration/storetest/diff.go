package storetest

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"questboard/orchestration"
)

// Diff says in which stored fields two quests differ, down to the last row;
// empty when in none. What is derived and not stored is not compared.
func Diff(want, got *orchestration.Quest) string {
	if same(want, got) {
		return "" // what follows takes a hundred times as long
	}
	return cmp.Diff(want, got,
		cmp.Transformer("steps", rows[orchestration.Step]),
		cmp.Transformer("runs", rows[orchestration.Run]),
		cmp.Transformer("questions", rows[orchestration.Question]),
		cmpopts.IgnoreUnexported(orchestration.Quest{}))
}

// same compares exported fields strictly; where it says no, Diff looks again.
func same(want, got *orchestration.Quest) bool {
	w, g := reflect.ValueOf(*want), reflect.ValueOf(*got)
	for i := range w.NumField() {
		if !w.Type().Field(i).IsExported() {
			continue
		}
		if !reflect.DeepEqual(w.Field(i).Interface(), g.Field(i).Interface()) {
			return false
		}
	}
	return true
}

func rows[T any](t orchestration.Table[T]) []*T {
	var list []*T
	for _, row := range t.All() {
		list = append(list, row)
	}
	return list
}
