package api

import (
	"net/http"
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

// slotsJSON lists the slots in order; a free one is null. After Count was lowered, there
// are more than Count until the surplus runs have ended.
type slotsJSON struct {
	Count  int         `json:"count"`
	Slots  []*slotJSON `json:"slots"`
	Queued int         `json:"queued"`
}

func (h handlers) getSlots(c echo.Context) error {
	return c.JSON(http.StatusOK, presentSlots(h.Quests.Slots(), h.Quests.Active()))
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

func presentSlots(count int, quests []*orchestration.Quest) slotsJSON {
	out := slotsJSON{Count: count, Slots: make([]*slotJSON, count)}
	for _, q := range quests {
		out.Queued += waiting(q)
		for _, r := range q.OpenRuns() {
			if !r.Live() || r.Slot < 1 {
				continue
			}
			for len(out.Slots) < r.Slot {
				out.Slots = append(out.Slots, nil)
			}
			out.Slots[r.Slot-1] = &slotJSON{Slot: r.Slot, Quest: q.ID, Run: r.ID, Step: r.Step,
				Role: r.Role, StartedAt: instant(r.StartedAt)}
		}
	}
	return out
}

// waiting counts what would start if there were free slots: queued runs, and ready steps
// without a run.
func waiting(q *orchestration.Quest) int {
	if q.Over() || q.Paused {
		return 0
	}
	n := 0
	for _, r := range q.OpenRuns() {
		if r.State == orchestration.RunQueued {
			n++
		}
	}
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageReady && s.Hold == orchestration.HoldNone {
			n++
		}
	}
	return n
}
