package store_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/e2e/e2etest"
	"questboard/orchestration/store"
)

// A program reads JSON and leaves out fields that it does not know; when it writes the row again,
// they are gone. So a newer database must have a newer schema even if only such a field is new.
func TestAFieldWithinAColumnNeedsANewSchema(t *testing.T) {
	t.Parallel()
	const golden = "testdata/shape.golden"
	stored := store.Rewritten()
	var shape []string
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		shape = append(shape, shapeOf(name, stored[name])...)
	}
	schema := fmt.Sprintf("schema %d", newest())
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSpace(string(text)), "\n")
	d := cmp.Diff(before[1:], shape)
	switch {
	case before[0] == schema && d != "":
		t.Errorf("a program of the same schema would lose what is new (+). Add a migration, which may have a comment only, "+
			"and then run this test with -update:\n%s", d)
	case before[0] != schema:
		e2etest.GoldenFile(t, golden, strings.Join(append([]string{schema}, shape...), "\n")+"\n")
	}
}

func TestAMigrationMayHaveACommentOnly(t *testing.T) {
	t.Parallel()
	s, err := store.OpenWith(t.Context(), t.TempDir(), with(t, "-- runs.brief: why\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Pragma(false, "user_version"); err != nil || got != fmt.Sprint(newest()+1) {
		t.Errorf("the schema's number is %s (%v), want %d", got, err, newest()+1)
	}
}

// shapeOf lists the fields of a type as JSON has them, each with its path.
func shapeOf(path string, t reflect.Type, within ...reflect.Type) (list []string) {
	own := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())
	switch {
	case own || slices.Contains(within, t):
		return []string{path + " " + t.String()}
	case t.Kind() == reflect.Pointer:
		return shapeOf(path, t.Elem(), within...)
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		return shapeOf(path+"[]", t.Elem(), within...)
	case t.Kind() == reflect.Map:
		return shapeOf(path+"{}", t.Elem(), within...)
	case t.Kind() != reflect.Struct:
		return []string{path + " " + t.Kind().String()}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			list = append(list, shapeOf(path, f.Type, append(within, t)...)...)
		case name == "":
			list = append(list, shapeOf(path+"."+f.Name, f.Type, append(within, t)...)...)
		default:
			list = append(list, shapeOf(path+"."+name, f.Type, append(within, t)...)...)
		}
	}
	return list
}
