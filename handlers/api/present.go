package api

import "time"

// instant returns a time as the API writes it: in RFC 3339 and UTC. The zero time is null.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// orNull returns nil for the zero value, which becomes null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// list returns an empty list for nil, so that the JSON is never null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
