package present

import (
	"questboard/orchestration"
	"questboard/views"
)

// column is a column of the board. If it belongs to a role, the legend says what the role does.
type column struct {
	id, title string
	short     string // below the title: what happens here; the cards name who does it
	says      string // one sentence
	role      orchestration.Role
	lane      bool // it stands below the board, and only while it has cards
}

// columns are the columns of the board, from left to right, and its lanes.
var columns = []column{
	{id: "waiting", title: "Waiting", short: "Cannot start yet", says: "Cannot start yet."},
	{id: "ready", title: "Ready", short: "Can start in a free slot", says: "Starts in a free slot."},
	{id: "build", title: "Build", short: "Writes code and tests", role: orchestration.Codeweaver},
	{id: "ward", title: "Check", short: "Runs the check", role: orchestration.Ward},
	{id: "mend", title: "Mend", short: "Fixes what was found", role: orchestration.Spiritmender},
	{id: "siege", title: "Siege", role: orchestration.Siegemaster, short: "Tries to break it"},
	{id: "review", title: "Merge", short: "Merge queue", says: "Waits to be merged into the quest's branch."},
	{id: "done", title: "Done", short: "No work left", says: "The badge says how it ended."},
	{id: "plan", title: "Plan", short: "Divides a step", role: orchestration.PathSeeker, lane: true},
}

func (c column) text() views.ColumnText {
	t := views.ColumnText{ID: c.id, Title: c.title, Short: c.short, Says: c.says, Lane: c.lane}
	if c.role != "" {
		t.Says = RoleName(c.role) + " " + RoleDoes(c.role) + "."
	}
	return t
}

// legend explains each column and each role in a sentence. A guest has not met the roles.
func (p *Quest) legend() []views.Pair {
	var list []views.Pair
	if p.guest() {
		list = append(list, views.Pair{Name: "Names", Value: "The names are roles in the work. Each is a coding agent's, except Ward."})
	}
	told := map[orchestration.Role]bool{}
	for _, c := range columns {
		if c.lane {
			continue
		}
		list = append(list, views.Pair{Name: c.title, Value: c.text().Says})
		told[c.role] = true
	}
	for _, r := range orchestration.Roles {
		if !told[r] {
			list = append(list, views.Pair{Name: RoleName(r), Value: Sentence(RoleDoes(r)) + "."})
		}
	}
	return list
}
