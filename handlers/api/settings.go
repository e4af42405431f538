package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// settingsJSON has the settings of the server. Limits apply to new quests.
type settingsJSON struct {
	Slots        int                  `json:"slots"`
	Checks       int                  `json:"checks"`
	Limits       orchestration.Limits `json:"limits"`
	TrustedRepos []string             `json:"trustedRepos"`
	TrustedFiles []trustedFileJSON    `json:"trustedFiles"`
	Trust        []trustJSON          `json:"trust"`
	Editor       string               `json:"editor"`
	Sandbox      bool                 `json:"sandbox"`
	Repos        []repoJSON           `json:"repos"`
	BudgetUSD    float64              `json:"budgetUsd"`
	BudgetTokens int64                `json:"budgetTokens"`
	BudgetHours  float64              `json:"budgetHours"`
	DayBudget    amountJSON           `json:"dayBudget"`
	ServerBudget amountJSON           `json:"serverBudget"`
	Used         ledgerJSON           `json:"used"`
	Timeouts     timesJSON            `json:"timeouts"`
	Forks        forksJSON            `json:"forks"`
	Roles        []roleJSON           `json:"roles"`
	Holds        []holdJSON           `json:"holds"`
	Agents       map[string]agentJSON `json:"agents"`
}

func (h handlers) getSettings(c echo.Context) error {
	s, err := h.settings(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s)
}

func (h handlers) settings(ctx context.Context) (settingsJSON, error) {
	s, err := h.Settings.Settings(ctx)
	if err != nil {
		return settingsJSON{}, fmt.Errorf("read settings: %w", err)
	}
	return settingsJSON{Slots: h.Quests.Slots(), Checks: h.Quests.Checks(), Limits: s.Limits.Or(orchestration.DefaultLimits), Editor: s.Editor,
		Sandbox:      h.Sandbox,
		TrustedRepos: list(s.TrustedRepos(false)), TrustedFiles: presentTrustedFiles(s), Trust: h.presentTrust(ctx, s),
		Repos:     presentRepos(s.Repos),
		BudgetUSD: s.BudgetUSD, BudgetTokens: s.Budgets.Tokens, BudgetHours: s.Budgets.Time.Hours(),
		DayBudget: presentAmount(s.Budgets.Day), ServerBudget: presentAmount(s.Budgets.Server), Used: presentLedger(h.Quests.Ledger(), h.Clock()),
		Timeouts: presentTimes(s.Timeouts), Forks: presentForks(s.Forks), Roles: h.presentRoles(s), Holds: presentHolds(h.Quests.Holds()),
		Agents: presentAgents(s)}, nil
}

// editSettings changes either everything that is given or nothing, so it checks
// everything first.
func (h handlers) editSettings(c echo.Context) error {
	var in struct {
		Slots        *int               `json:"slots"`
		Checks       *int               `json:"checks"`
		Limits       *limitsEdit        `json:"limits"`
		TrustedRepos *[]string          `json:"trustedRepos"`
		TrustedFiles *[]trustedFileEdit `json:"trustedFiles"`
		Editor       *string            `json:"editor"`
		Repos        *[]repoJSON        `json:"repos"`
		budgetJSON
		DayBudget    *amountJSON           `json:"dayBudget"`
		ServerBudget *amountJSON           `json:"serverBudget"`
		Timeouts     timesJSON             `json:"timeouts"`
		Forks        *forksEdit            `json:"forks"`
		Roles        *[]roleEdit           `json:"roles"`
		Agents       map[string]*agentJSON `json:"agents"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	ctx := c.Request().Context()
	now, err := h.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	var wrong checks
	if in.Slots != nil {
		wrong.between("slots", *in.Slots, 1, maxSlots)
	}
	if in.Checks != nil {
		wrong.between("checks", *in.Checks, 1, maxSlots)
	}
	limits := in.Limits.over(now.Limits.Or(orchestration.DefaultLimits), &wrong)
	trusted := h.readTrust(in.TrustedRepos, &wrong)
	files := h.readTrustedFiles(ctx, in.TrustedFiles, now, &wrong)
	if in.Editor != nil {
		if why := record.CheckEditor(*in.Editor); why != "" {
			wrong.add("editor", "%s", why)
		}
	}
	repos := checkRepos(in.Repos, &wrong)
	in.over(now.NewQuests(), &wrong)
	shared(now.Budgets, in.DayBudget, in.ServerBudget, &wrong)
	checkTimes(in.Timeouts, now.Timeouts, &wrong)
	in.Forks.over(now.Forks, &wrong)
	h.checkRoles(ctx, in.Roles, now, &wrong)
	agents, err := checkAgents(c, in.Agents, now, &wrong)
	if err != nil {
		return err
	}
	if err := wrong.err(); err != nil {
		return err
	}
	err = h.Settings.ChangeSettings(ctx, func(s *record.Settings) {
		put(&s.Slots, in.Slots)
		put(&s.Checks, in.Checks)
		put(&s.Limits, limits)
		put(&s.Editor, in.Editor)
		of := in.over(s.NewQuests(), &checks{})
		s.Budgets = shared(s.Budgets, in.DayBudget, in.ServerBudget, &checks{})
		s.BudgetUSD, s.Budgets.Tokens, s.Budgets.Time = of.USD, of.Tokens, of.Time
		s.Timeouts = checkTimes(in.Timeouts, s.Timeouts, &checks{})
		s.Forks = in.Forks.over(s.Forks, &checks{})
		h.changeRoles(in.Roles, s)
		changeAgents(in.Agents, agents, s)
		if in.TrustedRepos != nil {
			trust(s, trusted, h.Clock())
		}
		if in.TrustedFiles != nil {
			trustFiles(s, files, h.Clock())
		}
		if in.Repos != nil {
			s.Repos = nil
			for _, r := range repos {
				s.SetRepo(r)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("change settings: %w", err)
	}
	return h.getSettings(c)
}

// put sets *to to *given unless given is nil.
func put[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}
