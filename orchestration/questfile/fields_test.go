package questfile_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/questfile"
)

// The file contains every field of a quest except those that belong to the host. If a
// field is added to a type and forgotten in the file, this test fails.
func TestEveryFieldSurvivesTheFile(t *testing.T) {
	t.Parallel()
	var f filler
	q := &orchestration.Quest{}
	f.fill(reflect.ValueOf(q).Elem())
	for i := range q.Whole {
		q.Whole[i].N = -1
	}
	step, run, ask := &orchestration.Step{}, &orchestration.Run{}, &orchestration.Question{}
	f.fill(reflect.ValueOf(step).Elem())
	f.fill(reflect.ValueOf(run).Elem())
	f.fill(reflect.ValueOf(ask).Elem())
	step.N, run.N = 0, 0
	run.PID, run.HostID, run.BootID, run.TokenHash = 0, "", "", ""
	q.Steps, q.Runs, q.Questions = orchestration.TableOf(step), orchestration.TableOf(run), orchestration.TableOf(ask)

	got, err := questfile.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain(q), plain(got)); diff != "" {
		t.Error(diff)
	}
}

func plain(q *orchestration.Quest) []any {
	head := *q
	head.Steps, head.Runs, head.Questions = orchestration.Table[orchestration.Step]{}, orchestration.Table[orchestration.Run]{}, orchestration.Table[orchestration.Question]{}
	v := reflect.ValueOf(head)
	var all []any
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() && v.Field(i).Type().Kind() != reflect.Struct || v.Field(i).Type() == reflect.TypeFor[time.Time]() {
			all = append(all, v.Field(i).Interface())
		}
	}
	return append(all, q.Limits, q.Backoff, q.Steps.At(0), q.Runs.At(0), q.Questions.At(0))
}

// filler sets every exported field to a different value that is not zero.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, f.n, 123456789, time.UTC)))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Field(i).CanSet() {
				f.fill(v.Field(i))
			}
		}
	}
}
