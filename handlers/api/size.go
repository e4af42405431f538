package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// chooseSize makes the quest one of another size.
func (h handlers) chooseSize(c echo.Context) error {
	var in struct {
		Size *string `json:"size"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	size := sizeOf(in.Size, &wrong)
	if in.Size == nil {
		wrong.add("size", "is needed: %s", orchestration.SizeWords)
	}
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, orchestration.SizeChosen{Size: size})
}

// reviewErrand has Lawbringer look at the work of a complete errand.
func (h handlers) reviewErrand(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.ReviewPressed{})
}

// sizeJSON is a size and what complete quests of it took on this server.
type sizeJSON struct {
	Size          orchestration.Size `json:"size"`
	Meaning       string             `json:"meaning"`
	Quests        int                `json:"quests"`
	MedianSeconds *float64           `json:"medianSeconds"`
	MedianCostUSD *float64           `json:"medianCostUsd"`
	P90CostUSD    *float64           `json:"p90CostUsd"`
}

func (h handlers) listSizes(c echo.Context) error {
	usual, err := h.Quests.Usual(c.Request().Context())
	if err != nil {
		return err
	}
	out := make([]sizeJSON, 0, len(orchestration.Sizes))
	for _, size := range orchestration.Sizes {
		u := usual[size]
		s := sizeJSON{Size: size, Meaning: size.Meaning(), Quests: u.Quests}
		if u.Known() {
			took := u.Took.Seconds()
			s.MedianSeconds = &took
		}
		if u.Cost.Known() {
			s.MedianCostUSD, s.P90CostUSD = &u.Cost.USD, &u.Cost.P90USD
		}
		out = append(out, s)
	}
	return c.JSON(http.StatusOK, map[string]any{"sizes": out})
}
