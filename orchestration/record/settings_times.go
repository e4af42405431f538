package record

import (
	"fmt"
	"time"
)

// Timeouts are the server's time limits. Zero means the value of the server's flag.
type Timeouts struct {
	Start   time.Duration `json:"start,omitempty"`   // to the first line of an agent, and its connection to our MCP server
	Stuck   time.Duration `json:"stuck,omitempty"`   // silence before a run counts as stuck
	Run     time.Duration `json:"run,omitempty"`     // an agent's whole run
	Grace   time.Duration `json:"grace,omitempty"`   // to end by itself after its signal
	Backoff time.Duration `json:"backoff,omitempty"` // after the first overload
	Ward    time.Duration `json:"ward,omitempty"`    // a check, or the set-up of a tree
}

// TimeoutRange is the allowed range of a timeout.
type TimeoutRange struct {
	Name        string // of the field in forms and in the API
	Value       *time.Duration
	Least, Most time.Duration
}

// Ranges lists the fields with their allowed ranges.
func (t *Timeouts) Ranges() []TimeoutRange {
	return []TimeoutRange{
		{"start", &t.Start, 5 * time.Second, time.Hour},
		{"stuck", &t.Stuck, 10 * time.Second, 24 * time.Hour},
		{"run", &t.Run, time.Minute, 7 * 24 * time.Hour},
		{"grace", &t.Grace, time.Second, 10 * time.Minute},
		{"backoff", &t.Backoff, time.Second, 6 * time.Hour},
		{"ward", &t.Ward, time.Second, 24 * time.Hour},
	}
}

// Fault returns what is wrong with the value, or "". Zero is always allowed.
func (r TimeoutRange) Fault() string {
	if *r.Value == 0 || *r.Value >= r.Least && *r.Value <= r.Most {
		return ""
	}
	return fmt.Sprintf("%s to %s, such as 90s, 10m or 4h", ShortDuration(r.Least), ShortDuration(r.Most))
}

// Or replaces zero values with those of standard.
func (t Timeouts) Or(standard Timeouts) Timeouts {
	from := standard.Ranges()
	for i, r := range t.Ranges() {
		if *r.Value == 0 {
			*r.Value = *from[i].Value
		}
	}
	return t
}

// ShortDuration writes a duration without the parts that are zero: 4h, 1h30m.
func ShortDuration(d time.Duration) string {
	s := d.String()
	if d == 0 || d%time.Second != 0 {
		return s
	}
	if d%time.Minute == 0 {
		s = s[:len(s)-len("0s")]
	}
	if d%time.Hour == 0 {
		s = s[:len(s)-len("0m")]
	}
	return s
}
