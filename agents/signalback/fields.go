package signalback

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fields reads the members of one object and collects every fault, so that a model can
// correct all of them at once.
type fields struct {
	path   string // the object's path; "" for the arguments themselves
	from   object
	known  []string
	faults *[]string
}

// fieldsOf opens a value that must be an object with only the known keys.
func fieldsOf(v any, path string, faults *[]string, known ...string) (fields, bool) {
	o, ok := v.(object)
	if !ok {
		*faults = append(*faults, name(path)+" must be an object, not "+kind(v))
		return fields{}, false
	}
	f := fields{path: path, from: o, known: known, faults: faults}
	for _, key := range o.keys {
		if !slices.Contains(known, key) {
			f.fault("unknown field %s; allowed are %s", strconv.Quote(join(path, key)), strings.Join(known, ", "))
		}
	}
	return f, true
}

func (f fields) fault(format string, args ...any) {
	*f.faults = append(*f.faults, fmt.Sprintf(format, args...))
}

// text reads a string; a missing or null one is empty.
func (f fields) text(key string) string {
	v := f.from.values[key]
	s, ok := v.(string)
	if !ok && v != nil {
		f.fault("%s must be a string, not %s", join(f.path, key), kind(v))
	}
	return s
}

// truth reads a boolean; nil if it is missing or null.
func (f fields) truth(key string) *bool {
	v := f.from.values[key]
	if v == nil {
		return nil
	}
	b, ok := v.(bool)
	if !ok {
		f.fault("%s must be true or false, not %s", join(f.path, key), kind(v))
		return nil
	}
	return &b
}

// number reads a number; 0 if it is missing or null.
func (f fields) number(key string) float64 {
	v := f.from.values[key]
	if v == nil {
		return 0
	}
	n, ok := v.(json.Number)
	x, err := n.Float64()
	if !ok || err != nil || x < 0 {
		f.fault("%s must be a number of at least 0, not %s", join(f.path, key), kind(v))
		return 0
	}
	return x
}

// list reads an array; a missing or null one is empty.
func (f fields) list(key string) []any {
	v := f.from.values[key]
	l, ok := v.([]any)
	if !ok && v != nil {
		f.fault("%s must be a list, not %s", join(f.path, key), kind(v))
	}
	return l
}

// texts reads a list of strings.
func (f fields) texts(key string) []string {
	var out []string
	for i, v := range f.list(key) {
		s, ok := v.(string)
		if !ok {
			f.fault("%s[%d] must be a string, not %s", join(f.path, key), i, kind(v))
		}
		out = append(out, s)
	}
	return out
}

// required adds a fault if a key is missing.
func (f fields) required(key string) {
	if f.from.values[key] == nil {
		f.fault("%s is missing", join(f.path, key))
	}
}

// empty reports whether a value says nothing. false counts as empty: a model that fills
// every field of a flat schema sends it with every signal.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case object:
		return len(v.keys) == 0
	default:
		return false
	}
}

func name(path string) string {
	if path == "" {
		return "the input"
	}
	return path
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "this number"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
