package views

import (
	"fmt"
	"slices"
	"time"
)

// Gantt is a chart of runs over time, with a row for each slot and rows for checks or, for
// one quest, a row for each step.
type Gantt struct {
	Topic          string // empty: the chart shows only the past
	Title          string
	OfQuest        bool // only the runs of the page's quest, not those of all quests
	AllURL         string
	From, To       time.Time
	Spans          []Tab
	Earlier, Later string // URLs
	Rows           []GanttRow
	Bars           []GanttBar // oldest first
	Roles          []GanttRole
	Cut            int // number of older runs that are left out
}

// GanttRow is the label of a row.
type GanttRow struct{ Words, URL string }

// GanttLook is the look of a role's bars.
type GanttLook struct {
	Colour  string // a class of slots.css
	Pattern string // the id of the texture
	Code    string // two letters for the role
}

func (l GanttLook) colour() string {
	if l.Colour == "" {
		return ""
	}
	return "colour-" + l.Colour
}

// GanttRole is an entry of the legend.
type GanttRole struct {
	GanttLook
	Words   string
	About   string // what the role does
	Texture string // the path of its texture; empty: none
}

// GanttOutline is an outline of bars in the legend.
type GanttOutline struct{ Class, Words string }

// GanttBar is one run.
type GanttBar struct {
	Row      int
	From, To time.Time // To is the current time while the run goes on
	Live     bool
	GanttLook
	Role, Step, URL string
	Quest, QuestURL string
	Slot            string // empty: a check, which needs none
	State           State
}

// Measures of the chart, in its own units. It is scaled as a whole.
const (
	ganttWidth = 1180
	ganttRow   = 32
	ganttBar   = 24
	texture    = 6  // at the bottom of a bar, below its text
	ganttTop   = 24 // height of the time scale
	labelChar  = 7  // the estimated width of a letter
	ganttRight = 62 // half of the longest time, which may be at the end of the scale
)

func (g Gantt) left() int {
	for _, r := range g.Rows {
		if len(r.Words) > 9 {
			return 190
		}
	}
	return 70
}

// outlines are the outlines of bars that occur, with their meanings.
func (g Gantt) outlines() []GanttOutline {
	all := []GanttOutline{{Class: "live", Words: "dashed: at work now"},
		{Class: "failed", Words: "✕ thick: failed, crashed or without progress"}}
	return slices.DeleteFunc(all, func(o GanttOutline) bool {
		return !slices.ContainsFunc(g.Bars, func(b GanttBar) bool { return b.outline() == o.Class })
	})
}

// outline is the class of the bar's outline.
func (b GanttBar) outline() string {
	switch {
	case b.State.Class == "bad":
		return "failed"
	case b.Live:
		return "live"
	default:
		return ""
	}
}

func (g Gantt) height() int { return ganttTop + len(g.Rows)*ganttRow + 4 }

// x is the position of a time in the chart.
func (g Gantt) x(at time.Time) float64 {
	part := float64(at.Sub(g.From)) / float64(max(g.To.Sub(g.From), 1))
	return float64(g.left()) + min(max(part, 0), 1)*float64(ganttWidth-g.left()-ganttRight)
}

func (g Gantt) barWidth(b GanttBar) float64 { return max(g.x(b.To)-g.x(b.From), 3) }

// label is the longest text that fits into a bar.
func (g Gantt) label(b GanttBar) string {
	fits := int(g.barWidth(b)-8) / labelChar
	mark := ""
	if b.State.Class == "bad" {
		mark = "✕ "
	}
	if whole := mark + b.Role + " · " + b.Step; len([]rune(whole)) <= fits {
		return whole
	}
	if whole := mark + b.Role; len([]rune(whole)) <= fits {
		return whole
	}
	if short := mark + b.Code; len([]rune(short)) <= fits {
		return short
	}
	return ""
}

// Words is the tooltip of a bar, before its times.
func (b GanttBar) Words() string {
	return fmt.Sprintf("%s on %s: %s, %s", b.Role, b.Step, b.State.Words, Span(b.To.Sub(b.From)))
}

// end is the end of a run, for scripts and in words. While the run goes on it is now.
func (b GanttBar) end() (iso, words string) {
	if b.Live {
		return "", "now"
	}
	return b.To.UTC().Format(time.RFC3339), Stamp(b.To, "second")
}

// GanttTick is a time on the scale.
type GanttTick struct {
	At        time.Time
	As, Words string
}

// ticks returns round times, at most nine.
func (g Gantt) ticks() []GanttTick {
	const day = 24 * time.Hour
	step := time.Minute
	for _, step = range []time.Duration{time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 30 * day, 365 * day} {
		if g.To.Sub(g.From)/step < 9 {
			break
		}
	}
	as, format := "minute", "15:04"
	switch {
	case step >= day:
		as, format = "day", "2 Jan"
	case g.From.UTC().YearDay() != g.To.UTC().YearDay():
		format = "2 Jan 15:04"
	}
	var ticks []GanttTick
	for at := g.From.UTC().Truncate(step); !at.After(g.To); at = at.Add(step) {
		if !at.Before(g.From) {
			ticks = append(ticks, GanttTick{At: at, As: as, Words: at.Format(format)})
		}
	}
	return ticks
}

func px(x float64) string { return fmt.Sprintf("%.1f", x) }
