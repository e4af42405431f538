package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// settingsJSON is what the server keeps for all quests. Limits are those of
// new quests.
type settingsJSON struct {
	Slots        int                  `json:"slots"`
	Limits       orchestration.Limits `json:"limits"`
	TrustedRepos []string             `json:"trustedRepos"`
	Holds        []holdJSON           `json:"holds"`
}

func (h handlers) getSettings(c echo.Context) error {
	s, err := h.settings(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s)
}

func (h handlers) settings(ctx context.Context) (settingsJSON, error) {
	limits, err := h.Settings.Limits(ctx)
	if err != nil {
		return settingsJSON{}, fmt.Errorf("read limits: %w", err)
	}
	repos, err := h.Settings.TrustedRepos(ctx)
	if err != nil {
		return settingsJSON{}, fmt.Errorf("read trusted repositories: %w", err)
	}
	return settingsJSON{Slots: h.Quests.Slots(), Limits: limits.Or(orchestration.DefaultLimits),
		TrustedRepos: list(repos), Holds: presentHolds(h.Quests.Holds())}, nil
}

// editSettings checks everything before it changes anything.
func (h handlers) editSettings(c echo.Context) error {
	var in struct {
		Slots        *int        `json:"slots"`
		Limits       *limitsEdit `json:"limits"`
		TrustedRepos *[]string   `json:"trustedRepos"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	ctx := c.Request().Context()
	now, err := h.settings(ctx)
	if err != nil {
		return err
	}
	var wrong checks
	if in.Slots != nil {
		wrong.between("slots", *in.Slots, 1, maxSlots)
	}
	limits := in.Limits.over(now.Limits, &wrong)
	if in.TrustedRepos != nil {
		for i, dir := range *in.TrustedRepos {
			(*in.TrustedRepos)[i] = wrong.directory(fmt.Sprintf("trustedRepos.%d", i), dir)
		}
		slices.Sort(*in.TrustedRepos)
	}
	if err := wrong.err(); err != nil {
		return err
	}
	if err := h.change(ctx, in.Slots, limits, in.TrustedRepos); err != nil {
		return err
	}
	return h.getSettings(c)
}

func (h handlers) change(ctx context.Context, slots *int, limits *orchestration.Limits, repos *[]string) error {
	if slots != nil {
		if err := h.Quests.SetSlots(ctx, *slots); err != nil {
			return fmt.Errorf("set slots: %w", err)
		}
	}
	if limits != nil {
		if err := h.Settings.SetLimits(ctx, *limits); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
	}
	if repos != nil {
		if err := h.Settings.SetTrustedRepos(ctx, slices.Compact(*repos)); err != nil {
			return fmt.Errorf("set trusted repositories: %w", err)
		}
	}
	return nil
}
