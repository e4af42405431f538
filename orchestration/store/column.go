package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// column is one column of one row: its name, and where the value lives in the domain's
// struct. Each table has one list for both writing and reading, so the two cannot drift
// apart.
type column struct {
	name  string
	value any // a pointer that database/sql can both bind and scan into
}

// targets appends the places to scan a row into.
func targets(to []any, columns []column) []any {
	for _, c := range columns {
		to = append(to, c.value)
	}
	return to
}

// values appends the values to write. They are plain values, because database/sql takes
// ten times as long to follow pointers by reflection.
func values(to []any, columns []column) []any {
	for _, c := range columns {
		to = append(to, plain(c.value))
	}
	return to
}

func plain(v any) any {
	switch p := v.(type) {
	case *string:
		return *p
	case *int:
		return int64(*p)
	case *int64:
		return *p
	case *bool:
		return *p
	case *float64:
		return *p
	default:
		return v // a driver.Valuer
	}
}

// instant stores a time as UTC nanoseconds; the zero time as 0.
type instant time.Time

// Value implements driver.Valuer.
func (t *instant) Value() (driver.Value, error) {
	if at := time.Time(*t); !at.IsZero() {
		return at.UnixNano(), nil
	}
	return int64(0), nil
}

// Scan implements sql.Scanner.
func (t *instant) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	*t = instant{}
	if n != 0 {
		*t = instant(time.Unix(0, n).UTC())
	}
	return nil
}

// document stores a value as JSON text, and JSON null as NULL. Strings in it must be
// UTF-8, because JSON would turn anything else into U+FFFD. The packages that accept
// input (agents, ward, API) make sure of that.
type document[T any] struct{ of *T }

// inJSON makes the column value for a field.
func inJSON[T any](of *T) document[T] { return document[T]{of} }

// Value implements driver.Valuer.
func (d document[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(*d.of)
	if err != nil || string(b) == "null" {
		return nil, err
	}
	return string(b), nil
}

// Scan implements sql.Scanner.
func (d document[T]) Scan(src any) error { return fromJSON(src, d.of) }

func fromJSON(src, to any) error {
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), to)
	default:
		return fmt.Errorf("JSON is stored as %T", src)
	}
}

// wired stores a value in a form of its own. W has the names that the database uses, so
// renaming a field of T changes no stored data.
type wired[T, W any] struct {
	of   *T
	to   func(T) W
	from func(W) T
}

// Value implements driver.Valuer.
func (w wired[T, W]) Value() (driver.Value, error) {
	v := w.to(*w.of)
	return inJSON(&v).Value()
}

// Scan implements sql.Scanner.
func (w wired[T, W]) Scan(src any) error {
	var v W
	if err := fromJSON(src, &v); err != nil {
		return err
	}
	*w.of = w.from(v)
	return nil
}

// raw stores text that may hold any bytes, including NUL.
type raw string

// Value implements driver.Valuer.
func (r *raw) Value() (driver.Value, error) { return []byte(*r), nil }

// Scan implements sql.Scanner.
func (r *raw) Scan(src any) error {
	switch b := src.(type) {
	case nil:
		*r = ""
	case []byte:
		*r = raw(b)
	case string:
		*r = raw(b)
	default:
		return fmt.Errorf("bytes are stored as %T", src)
	}
	return nil
}
