package present

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// ganttBars is how many runs the chart shows at most.
const ganttBars = 500

// Window is the time that a Gantt chart shows, for one quest or for all.
type Window struct {
	From  time.Time
	Quest *orchestration.Quest // nil means all

	span    string
	to, now time.Time
	fixed   bool // the URL names its end, so it does not move on
}

// whole is the span from the creation of a quest to its last run.
const whole = "all"

// spans are the lengths of time that a visitor can choose.
var spans = []struct {
	name, words string
	lasts       time.Duration
}{{"1h", "Hour", time.Hour}, {"6h", "6 hours", 6 * time.Hour}, {"24h", "Day", 24 * time.Hour}, {"7d", "Week", 7 * 24 * time.Hour}}

// Window reads the window from the URL. An invalid value means the last hour. q may be
// nil.
func (v View) Window(span, until string, q *orchestration.Quest) Window {
	w := Window{now: v.Now, to: v.Now, span: spans[0].name, Quest: q}
	if at, err := time.Parse(time.RFC3339, until); err == nil && at.Before(w.now) && at.Year() > 2000 {
		w.to, w.fixed = at, true
	}
	if q != nil {
		w.span = whole
	}
	lasts := spans[0].lasts
	for _, s := range spans {
		if s.name == span {
			w.span, lasts = s.name, s.lasts
		}
	}
	if w.span != whole {
		w.From = w.to.Add(-lasts)
		return w
	}
	w.fixed = q.Over() && len(q.OpenRuns()) == 0
	w.From, w.to = extent(q, w.now)
	return w
}

// topic is the topic that the page subscribes to while its window moves on.
func (w Window) topic() string {
	if w.Quest == nil {
		return "gantt/" + w.span
	}
	return "gantt-of/" + w.span + "/" + w.Quest.ID
}

// GanttTopics are the topics of the charts that a change of the quest affects.
func GanttTopics(quest string) []string {
	topics := []string{"gantt-of/" + whole + "/" + quest}
	for _, s := range spans {
		topics = append(topics, "gantt/"+s.name, "gantt-of/"+s.name+"/"+quest)
	}
	return topics
}

// extent is the time from the creation of a quest to the end of its last run.
func extent(q *orchestration.Quest, now time.Time) (from, to time.Time) {
	from, to = q.CreatedAt, q.CreatedAt.Add(time.Minute)
	for _, r := range q.Runs.All() {
		if !r.StartedAt.IsZero() {
			to = later(to, endOf(r, now))
		}
	}
	return from, to
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// endOf is when a run ended, or now if it still runs.
func endOf(r *orchestration.Run, now time.Time) time.Time {
	if r.EndedAt.IsZero() {
		return now
	}
	return r.EndedAt
}

// Gantt shows the runs within a window.
func (v View) Gantt(w Window, quests []*orchestration.Quest) views.Gantt {
	g := views.Gantt{Title: "Run timeline", From: w.From, To: w.to, AllURL: paths.Slots}
	if w.Quest != nil {
		quests = []*orchestration.Quest{w.Quest}
		g.OfQuest = true
		g.Spans = append(g.Spans, views.Tab{Words: "Whole quest", URL: w.url(whole, time.Time{}), Current: w.span == whole})
	}
	for _, s := range spans {
		g.Spans = append(g.Spans, views.Tab{Words: s.words, URL: w.url(s.name, time.Time{}), Current: w.span == s.name})
	}
	if w.span != whole {
		lasts := w.to.Sub(w.From)
		if slices.ContainsFunc(quests, func(q *orchestration.Quest) bool { return q.CreatedAt.Before(w.From) }) {
			g.Earlier = w.url(w.span, w.From)
		}
		if next := w.to.Add(lasts); w.fixed && next.Before(w.now) {
			g.Later = w.url(w.span, next)
		} else if w.fixed {
			g.Later = w.url(w.span, time.Time{})
		}
	}
	if !w.fixed {
		g.Topic = w.topic()
	}
	v.addBars(&g, w, runsIn(w, quests))
	return g
}

func (w Window) url(span string, until time.Time) string {
	query := url.Values{"span": {span}}
	if !until.IsZero() {
		query.Set("until", until.UTC().Format(time.RFC3339))
	}
	if w.Quest != nil {
		return paths.QuestRuns(w.Quest.ID) + "?" + query.Encode()
	}
	return paths.Slots + "?" + query.Encode()
}

// worked is a run with its quest.
type worked struct {
	q *orchestration.Quest
	r *orchestration.Run
}

// runsIn returns the runs within a window, oldest first. It skips quests outside the
// window without reading their runs.
func runsIn(w Window, quests []*orchestration.Quest) []worked {
	var runs []worked
	for _, q := range quests {
		if q.CreatedAt.After(w.to) || q.Over() && len(q.OpenRuns()) == 0 && q.EndedAt.Before(w.From) {
			continue
		}
		for _, r := range q.Runs.All() {
			if !r.StartedAt.IsZero() && r.StartedAt.Before(w.to) && !endOf(r, w.now).Before(w.From) {
				runs = append(runs, worked{q, r})
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b worked) int { return a.r.StartedAt.Compare(b.r.StartedAt) })
	return runs
}

func (v View) addBars(g *views.Gantt, w Window, runs []worked) {
	if g.Cut = max(0, len(runs)-ganttBars); g.Cut > 0 {
		runs = runs[g.Cut:]
	}
	var row func(worked) int
	if w.Quest != nil {
		row = stepRows(g)
	} else {
		row = slotRows(g, runs, w.now)
	}
	seen := map[orchestration.Role]bool{}
	for _, run := range runs {
		seen[run.r.Role] = true
		bar := v.bar(run, w.now)
		bar.Row = row(run)
		g.Bars = append(g.Bars, bar)
	}
	for _, role := range orchestration.Roles {
		if seen[role] {
			g.Roles = append(g.Roles, views.GanttRole{GanttLook: lookOf(role), Words: RoleName(role), About: RoleDoes(role),
				Texture: roles[role].texture})
		}
	}
}

// stepRows returns a function that gives each step a row.
func stepRows(g *views.Gantt) func(worked) int {
	rows := map[string]int{}
	return func(run worked) int {
		row, known := rows[run.r.Step]
		if !known {
			row = len(g.Rows)
			rows[run.r.Step] = row
			g.Rows = append(g.Rows, views.GanttRow{Words: StepTitle(run.q.Step(run.r.Step))})
		}
		return row
	}
}

// slotRows adds a row for each slot up to the highest, so that free ones have a row too.
// It returns a function that gives each run a row, if it gets them in the order of their
// start. Checks have no slot: below the slots, they have as many rows as run at once.
// A check that once had a slot is in the row of that slot.
func slotRows(g *views.Gantt, runs []worked, now time.Time) func(worked) int {
	slots := 0
	for _, run := range runs {
		slots = max(slots, run.r.Slot)
	}
	for n := 1; n <= slots; n++ {
		g.Rows = append(g.Rows, views.GanttRow{Words: fmt.Sprintf("Slot %d", n)})
	}
	var ends []time.Time // when the last check of each row ended
	return func(run worked) int {
		if run.r.Slot > 0 {
			return run.r.Slot - 1
		}
		i := slices.IndexFunc(ends, func(end time.Time) bool { return !end.After(run.r.StartedAt) })
		if i < 0 {
			i = len(ends)
			ends = append(ends, time.Time{})
			g.Rows = append(g.Rows, views.GanttRow{Words: "Checks"})
		}
		ends[i] = endOf(run.r, now)
		return slots + i
	}
}

func (v View) bar(run worked, now time.Time) views.GanttBar {
	q, r := run.q, run.r
	b := views.GanttBar{From: r.StartedAt, To: endOf(r, now), Live: r.EndedAt.IsZero(), GanttLook: lookOf(r.Role),
		Role: RoleName(r.Role), Step: StepTitle(q.Step(r.Step)), URL: v.Site.StepRun(q.ID, r.Step, r.ID),
		Quest: clean(q.Title), QuestURL: paths.Quest(q.ID), State: endState(q, r)}
	if r.Slot > 0 {
		b.Slot = fmt.Sprint(r.Slot)
	}
	if r.State != orchestration.RunEnded {
		b.State, _ = v.Quest(q).runState(r)
	}
	return b
}

// lookOf is the look of a role's bars: its colour, its texture, and two letters for bars
// too narrow for its name.
func lookOf(r orchestration.Role) views.GanttLook {
	return views.GanttLook{Colour: roles[r].colour, Pattern: "role-" + string(r), Code: RoleName(r)[:min(2, len(RoleName(r)))]}
}
