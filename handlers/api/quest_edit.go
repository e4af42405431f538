package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// editQuest changes the user's choices. A missing limit keeps the value that is read
// here, so one of two simultaneous edits of the limits may be lost.
func (h handlers) editQuest(c echo.Context) error {
	var in struct {
		Title    *string `json:"title"`
		Slots    *int    `json:"slots"`
		Priority *string `json:"priority"`
		Siege    *string `json:"siege"`
		budgetJSON
		Ward        *string                 `json:"ward"`
		BeforeMerge *string                 `json:"beforeMerge"`
		Limits      *limitsEdit             `json:"limits"`
		Ask         *[]string               `json:"ask"`
		AskTimeout  *string                 `json:"askTimeout"`
		Allowed     *[]allowanceJSON        `json:"allowed"`
		Roles       *orchestration.Programs `json:"roles"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	q, err := h.Quests.Quest(c.Request().Context(), c.Param("quest"))
	if err != nil {
		return err
	}
	var wrong checks
	if in.Title != nil {
		*in.Title = wrong.line("title", *in.Title, titleLimit)
		if *in.Title == "" {
			wrong.add("title", "must not be empty")
		}
	}
	if in.Slots != nil {
		wrong.between("slots", *in.Slots, 1, maxSlots)
	}
	budget := in.over(q.Budget(), &wrong)
	if in.Ward != nil {
		*in.Ward = wrong.text("ward", *in.Ward)
	}
	if in.BeforeMerge != nil {
		*in.BeforeMerge = wrong.text("beforeMerge", *in.BeforeMerge)
	}
	priority := newPriority(in.Priority, &wrong)
	var siege *orchestration.Siege
	if in.Siege != nil {
		s := siegeOf(in.Siege, &wrong)
		siege = &s
	}
	limits := in.Limits.over(q.Limits, &wrong)
	asks := asksOf(in.Ask, in.AskTimeout, q.Asks, &wrong)
	if in.Roles != nil {
		wrong.addAll(h.CheckOwnPrograms(c.Request().Context(), *in.Roles, q.Agent))
	}
	if err := wrong.err(); err != nil {
		return err
	}
	edited := orchestration.QuestEdited{Title: in.Title, Slots: in.Slots, Priority: priority,
		Ward: in.Ward, BeforeMerge: in.BeforeMerge, Limits: limits, Siege: siege, Asks: asks, Allowances: allowancesOf(in.Allowed),
		Programs: in.Roles}
	if in.budgetJSON != (budgetJSON{}) {
		edited.BudgetUSD, edited.BudgetTokens, edited.BudgetTime = &budget.USD, &budget.Tokens, &budget.Time
	}
	return h.control(c, edited)
}
