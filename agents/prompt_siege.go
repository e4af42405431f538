package agents

import (
	"time"

	"questboard/orchestration"
)

// siegeFacts is what the prompts say of sieges.
type siegeFacts struct {
	AtEnd bool     // the run besieges the whole work
	Steps []string // then: the steps that had no siege
	// Took is how long the work took that is besieged; "": unknown.
	Took  string
	Plans bool                // the run plans steps
	Next  bool                // the run's step has a siege to come
	Mode  orchestration.Siege // which steps of the quest get one
}

// siegeOf returns what a run is told of sieges.
func siegeOf(q *orchestration.Quest, r *orchestration.Run) siegeFacts {
	f := siegeFacts{AtEnd: r.Role == orchestration.Siegemaster && q.Besieges(r), Mode: q.SiegeMode(),
		Plans: r.Role == orchestration.PathSeeker}
	besieged := []string{r.Step}
	if step := stepOf(q, r.Step); step != nil {
		f.Next = q.OwesSiege(step) && !step.Verdict
	}
	if f.AtEnd {
		f.Steps = q.WithoutSiege()
		besieged = f.Steps
	}
	if spent := q.WorkTook(besieged...); r.Role == orchestration.Siegemaster && spent >= time.Minute {
		f.Took = took(spent)
	}
	return f
}
