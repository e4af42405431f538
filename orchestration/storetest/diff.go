package storetest

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"questboard/orchestration"
)

// Diff names the stored fields in which two quests differ, down to the last row; empty
// if there are none. It does not compare fields that are derived and not stored.
func Diff(want, got *orchestration.Quest) string {
	if same(want, got) {
		return "" // the full comparison takes a hundred times as long
	}
	return cmp.Diff(want, got,
		cmp.Transformer("steps", rows[orchestration.Step]),
		cmp.Transformer("runs", rows[orchestration.Run]),
		cmp.Transformer("questions", rows[orchestration.Question]),
		cmpopts.IgnoreUnexported(orchestration.Quest{}))
}

// same compares exported fields strictly. If they differ, Diff looks at the details.
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
