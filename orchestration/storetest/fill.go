package storetest

import (
	"fmt"
	"reflect"
	"time"
)

// filler gives every exported field another value, so that a field that is not stored,
// or stored in the wrong place, is noticed.
type filler struct {
	n    int
	even bool // which half of the booleans is true
}

// fill sets everything that v points to.
func (f *filler) fill(v any) { f.set(reflect.ValueOf(v).Elem()) }

func (f *filler) set(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d with 'quotes', ünïcödé and a \x00", f.n))
	case reflect.Bool:
		v.SetBool(f.n%2 == 0 == f.even)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.set(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.set(v.Index(0))
		f.set(v.Index(1))
	case reflect.Array:
		for i := range v.Len() {
			f.set(v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.set(key)
		f.set(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		f.fields(v)
	default:
		panic("storetest cannot fill a " + v.Type().String())
	}
}

func (f *filler) fields(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(1_800_000_000+int64(f.n), int64(f.n)).UTC()))
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			f.set(v.Field(i))
		}
	}
}
