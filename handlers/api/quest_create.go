package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/service"
)

// newQuestJSON is the body of POST /quests.
type newQuestJSON struct {
	Title     string    `json:"title"`
	Request   string    `json:"request"`
	Repo      string    `json:"repo"`
	Ward      string    `json:"ward"`
	Slots     *int      `json:"slots"`
	Priority  *string   `json:"priority"`
	Size      *string   `json:"size"`
	Siege     *string   `json:"siege"`
	Workspace string    `json:"workspace"`
	Base      string    `json:"base"`
	Approve   *[]string `json:"approve"`
	budgetJSON
	Agent    string       `json:"agent"`
	Plan     *ownPlanJSON `json:"plan"`
	RepoFile *shownFile   `json:"repoFile"`
	// Before which calls the quest asks, and for how long ("2h").
	Ask        *[]string `json:"ask"`
	AskTimeout *string   `json:"askTimeout"`
	// Which programs single roles use, and which models.
	Roles orchestration.Programs `json:"roles"`
	// What the host must have on which the quest works.
	RunsOn []string `json:"runsOn"`
}

// shownFile is what GET /repository-file answered: the quest starts with that file or not
// at all.
type shownFile struct {
	State string `json:"state"`
	Hash  string `json:"hash"`
}

type ownPlanJSON struct {
	Requirements []orchestration.Requirement `json:"requirements"`
	Steps        []orchestration.PlanStep    `json:"steps"`
}

func (h handlers) createQuest(c echo.Context) error {
	var in newQuestJSON
	if err := decode(c, &in); err != nil {
		return err
	}
	ctx := c.Request().Context()
	var wrong checks
	n, shown := h.newQuest(ctx, in, &wrong), in.RepoFile.read(&wrong)
	if _, said := wrong.fields["repo"]; !said {
		full, err := h.Repos.WithDefaults(ctx, n)
		if err := wrong.take(err); err != nil {
			return err
		}
		n = full
	}
	if err := wrong.err(); err != nil {
		return err
	}
	settings, err := h.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	budget := in.over(settings.NewQuests(), &wrong)
	n.BudgetUSD, n.BudgetTokens, n.BudgetTime = budget.USD, budget.Tokens, budget.Time
	q, err := h.Begin(ctx, service.BeginRequest{NewQuest: n, Shown: shown})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, c.Path()+"/"+q.ID)
	return h.writeQuest(c, http.StatusCreated, q)
}

// newQuest checks everything that can be checked without the disk. It leaves the plan
// to the core, which checks PathSeeker's plans too.
func (h handlers) newQuest(ctx context.Context, in newQuestJSON, wrong *checks) orchestration.NewQuest {
	n := orchestration.NewQuest{
		Title:     wrong.line("title", in.Title, titleLimit),
		Request:   wrong.needed("request", in.Request),
		Repo:      wrong.directory("repo", in.Repo),
		Ward:      wrong.text("ward", in.Ward),
		Workspace: workspaceOf(in.Workspace, wrong),
		Branch:    wrong.line("base", in.Base, 1000),
		Agent:     h.agentOf(ctx, in.Agent, wrong),
		Programs:  in.Roles,
		Priority:  priorityOf(in.Priority, wrong),
		Size:      sizeOf(in.Size, wrong),
		Siege:     siegeOf(in.Siege, wrong),
		Workplace: orchestration.Workplace{Labels: labelsOf(in.RunsOn, wrong)},
	}
	wrong.addAll(h.CheckOwnPrograms(ctx, in.Roles, n.Agent))
	in.over(orchestration.Amount{}, wrong)
	if asks := asksOf(in.Ask, in.AskTimeout, orchestration.Asks{}, wrong); asks != nil {
		n.Asks = *asks
	}
	if in.Slots != nil {
		wrong.between("slots", *in.Slots, 1, maxSlots)
		n.Slots = *in.Slots
	}
	n.ApproveReqs, n.ApprovePlan = gatesOf(in.Approve, wrong)
	if in.Plan != nil {
		n.Plan = ownPlan(*in.Plan, wrong)
	}
	return n
}

// read returns what Begin compares with the file that applies; nil: whatever applies.
func (f *shownFile) read(wrong *checks) *string {
	if f == nil {
		return nil
	}
	state := service.RepoFileState(f.State)
	switch state {
	case "none":
		state = service.RepoFileNone
	case service.RepoFileCounts, service.RepoFileUntrusted, service.RepoFileChanged, service.RepoFileFaulty:
	default:
		wrong.add("repoFile.state", "is %q; must be that of GET /repository-file: none, counts, untrusted, changed or faulty", f.State)
	}
	if (f.State == "none") != (f.Hash == "") {
		wrong.add("repoFile.hash", "must be that of GET /repository-file, and empty if the state is none")
	}
	shown := service.ShownFile(f.Hash, state)
	return &shown
}
