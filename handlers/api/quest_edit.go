package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// editQuest changes what the user chose. Limits that are left out stay as they
// are in the quest that is read here: two edits of limits at the very same
// moment may lose one, as with any form.
func (h handlers) editQuest(c echo.Context) error {
	var in struct {
		Title     *string     `json:"title"`
		Slots     *int        `json:"slots"`
		BudgetUSD *float64    `json:"budgetUsd"`
		Ward      *string     `json:"ward"`
		Limits    *limitsEdit `json:"limits"`
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
	if in.BudgetUSD != nil {
		wrong.money("budgetUsd", *in.BudgetUSD)
	}
	if in.Ward != nil {
		*in.Ward = wrong.text("ward", *in.Ward)
	}
	limits := in.Limits.over(q.Limits, &wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, orchestration.QuestEdited{Title: in.Title, Slots: in.Slots, BudgetUSD: in.BudgetUSD,
		Ward: in.Ward, Limits: limits})
}

// deleteQuest removes a quest that is over.
func (h handlers) deleteQuest(c echo.Context) error {
	id, ctx := c.Param("quest"), c.Request().Context()
	q, err := h.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	if !q.Over() {
		f := &Fault{Status: http.StatusConflict, Code: "conflict",
			Message: "only a quest that is complete or abandoned can be deleted: abandon it first"}
		return f.with("quest", presentQuest(q, h.Clock(), h.Quests.Holds()))
	}
	if err := h.Quests.Delete(ctx, id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
