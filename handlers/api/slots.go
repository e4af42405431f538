package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// slotJSON says who is in a slot.
type slotJSON struct {
	Slot      int                `json:"slot"`
	Quest     string             `json:"quest"`
	Run       string             `json:"run"`
	Step      string             `json:"step"`
	Role      orchestration.Role `json:"role"`
	StartedAt *time.Time         `json:"startedAt"`
}

// checkingJSON is a check at work.
type checkingJSON struct {
	Quest     string     `json:"quest"`
	Run       string     `json:"run"`
	Step      string     `json:"step"`
	StartedAt *time.Time `json:"startedAt"`
	began     time.Time
}

// slotsJSON lists the slots in order; a free one is null. After Count was lowered, there
// are more than Count until the surplus runs have ended. Checking lists the checks at work,
// the oldest first; at most Checks run at once, without a slot.
type slotsJSON struct {
	Count        int            `json:"count"`
	Slots        []*slotJSON    `json:"slots"`
	Queued       int            `json:"queued"`
	Checks       int            `json:"checks"`
	Checking     []checkingJSON `json:"checking"`
	QueuedChecks int            `json:"queuedChecks"`
}

func (h handlers) getSlots(c echo.Context) error {
	return c.JSON(http.StatusOK, presentSlots(h.Quests.Slots(), h.Quests.Checks(), h.Quests.Active()))
}

// setSlots changes the number of slots. It ends no run: the number counts when the next
// slot is assigned.
func (h handlers) setSlots(c echo.Context) error {
	var in struct {
		Count *int `json:"count"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	if in.Count == nil {
		return invalid("count", "is needed: 1 to 64")
	}
	var wrong checks
	wrong.between("count", *in.Count, 1, maxSlots)
	if err := wrong.err(); err != nil {
		return err
	}
	if err := h.Quests.SetSlots(c.Request().Context(), *in.Count); err != nil {
		return err
	}
	return h.getSlots(c)
}

func presentSlots(count, most int, quests []*orchestration.Quest) slotsJSON {
	out := slotsJSON{Count: count, Slots: make([]*slotJSON, count), Checks: most, Checking: []checkingJSON{}}
	for _, q := range quests {
		agents, wards := waiting(q)
		out.Queued += agents
		out.QueuedChecks += wards
		for _, r := range q.OpenRuns() {
			switch {
			case !r.Live():
			case !r.Role.Agent():
				out.Checking = append(out.Checking, checkingJSON{Quest: q.ID, Run: r.ID, Step: r.Step, StartedAt: instant(r.StartedAt),
					began: r.StartedAt})
			case r.Slot > 0:
				for len(out.Slots) < r.Slot {
					out.Slots = append(out.Slots, nil)
				}
				out.Slots[r.Slot-1] = &slotJSON{Slot: r.Slot, Quest: q.ID, Run: r.ID, Step: r.Step,
					Role: r.Role, StartedAt: instant(r.StartedAt)}
			}
		}
	}
	slices.SortStableFunc(out.Checking, func(a, b checkingJSON) int { return a.began.Compare(b.began) })
	return out
}

// waiting counts what would start if there were free slots: queued runs of agents, and
// ready steps without a run. Checks that wait are counted apart.
func waiting(q *orchestration.Quest) (agents, wards int) {
	if q.Over() || q.Paused {
		return 0, 0
	}
	for _, r := range q.OpenRuns() {
		switch {
		case r.State != orchestration.RunQueued:
		case r.Role.Agent():
			agents++
		default:
			wards++
		}
	}
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageReady && s.Hold == orchestration.HoldNone {
			agents++
		}
	}
	return agents, wards
}
