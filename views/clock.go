package views

import (
	"cmp"
	"fmt"
	"time"
)

// Clock is a duration or a time on a page. With a Mode, JavaScript keeps it running.
// Words is the text without JavaScript.
type Clock struct {
	At    time.Time
	Mode  string // "since" or "until"; empty: it does not run
	Words string
}

// Shown reports whether there is a text to show.
func (c Clock) Shown() bool { return c.Words != "" }

// ISO is the time for the attribute datetime.
func (c Clock) ISO() string { return c.At.UTC().Format(time.RFC3339) }

// Since is a clock that counts up from at.
func Since(at, now time.Time) Clock {
	if at.IsZero() {
		return Clock{}
	}
	return Clock{At: at, Mode: "since", Words: Span(now.Sub(at))}
}

// Lasted is the duration between two times. It does not run.
func Lasted(from, to time.Time) Clock {
	if from.IsZero() || to.IsZero() {
		return Clock{}
	}
	return Clock{At: to, Words: Span(to.Sub(from))}
}

// Stamp writes a time in UTC. With JavaScript, static/js/time.js writes it in the
// browser's time zone instead. as is the precision: "second", "minute", "day", or "until"
// for the end of something.
func Stamp(at time.Time, as string) string {
	form := map[string]string{"minute": "2 Jan 2006, 15:04 UTC", "day": "2 Jan", "clock": "15:04:05Z",
		"until": "Monday 2 January 2006, 15:04 UTC"}[as]
	return at.UTC().Format(cmp.Or(form, "2 Jan 2006, 15:04:05 UTC"))
}

// Span writes a duration with at most two units. static/js/time.js writes the same.
func Span(d time.Duration) string {
	seconds := max(0, int(d.Seconds()))
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm %ds", seconds/60, seconds%60)
	case seconds < 48*3600:
		return fmt.Sprintf("%dh %dm", seconds/3600, seconds/60%60)
	default:
		return fmt.Sprintf("%dd", seconds/86400)
	}
}
