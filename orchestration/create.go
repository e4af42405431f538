package orchestration

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var questSlug = regexp.MustCompile(`^[a-z][a-z0-9]{2,31}$`)

// Create begins a quest. ChaosWhisperer starts, or, if the user brings a plan, its
// steps do. The caller commits the transition like any other.
func Create(n NewQuest) (Transition, error) {
	if err := n.check(); err != nil {
		return Transition{}, err
	}
	size := n.Size
	if size == "" || n.Plan != nil {
		size = SizeFull
	}
	q := &Quest{
		Size: size, Siege: n.Siege, Forks: n.Forks, Asks: n.Asks,
		ID: n.ID, Title: n.ShownTitle(), Untitled: blank(n.Title), Request: n.Request, Repo: n.Repo, Ward: strings.TrimSpace(n.Ward),
		Workspace: n.Workspace, Branch: n.Branch, Agent: n.Agent, Programs: n.Programs, Slots: n.Slots, Priority: n.Priority,
		BudgetUSD:    n.BudgetUSD,
		BudgetTokens: n.BudgetTokens, BudgetTime: n.BudgetTime,
		Limits: n.Limits, Backoff: n.Backoff, CrashBackoff: slices.Clone(n.CrashBackoff), CreatedAt: n.At,
		GateRequirements: gate(n.ApproveReqs), GatePlan: gate(n.ApprovePlan), Former: n.Former, File: n.File, Attachments: n.Attachments,
		Workplace: n.Workplace,
	}
	if n.Former != nil {
		q.Follows = n.Former.Quest
	}
	for i, id := range QuestWideSteps {
		q.Whole[i] = newWhole(id)
	}
	Restore(q)
	e := begin(q, Input{At: n.At, Actor: "user"})
	e.whole = [wholes]bool{true, true, true, true}
	e.event(EventQuestCreated, "", "", "title", q.Title, "repo", q.Repo, "agent", q.Agent, "follows", q.Follows, "file", n.FileState,
		"priority", PriorityNormal.news(&q.Priority), "host", q.Workplace.Host)
	if e.q.Errand() {
		e.startErrand()
		return e.transition(), nil
	}
	if n.Plan == nil {
		e.enter(PhaseRequirements)
		e.checkBase()
		return e.transition(), nil
	}
	e.q.GateRequirements, e.q.GatePlan = GateOff, GateOff
	e.q.Requirements, e.reqs = copyRequirements(n.Plan.Requirements), true
	e.lock()
	e.step(StepRequirements).Stage = StageDone
	e.replacePlan(PlanDraft{Steps: copySteps(n.Plan.Steps)}, "")
	e.enter(PhaseSteps)
	return e.transition(), nil
}

func gate(on bool) Gate {
	if on {
		return GatePending
	}
	return GateOff
}

// ShownTitle returns the user's title, or the first line of the request.
func (n NewQuest) ShownTitle() string {
	t := strings.TrimSpace(n.Title)
	if t == "" {
		t, _, _ = strings.Cut(strings.TrimSpace(n.Request), "\n")
	}
	if r := []rune(strings.TrimSpace(t)); len(r) > 120 {
		t = string(r[:119]) + "…"
	}
	return strings.TrimSpace(t)
}

// check reports every fault at once, by field.
func (n NewQuest) check() error {
	faults := map[string]string{}
	if !questSlug.MatchString(n.ID) {
		faults["id"] = "3 to 32 lower-case letters and digits, beginning with a letter"
	}
	if blank(n.Request) {
		faults["request"] = "write down what you want; it is empty"
	}
	if !path.IsAbs(n.Repo) {
		faults["repo"] = "the absolute path of a folder is needed"
	}
	if n.Slots < 0 || n.Slots > 64 {
		faults["slots"] = "1 to 64"
	}
	n.Priority.check(faults)
	Amount{USD: n.BudgetUSD, Tokens: n.BudgetTokens, Time: n.BudgetTime}.check(faults)
	if n.Workspace != WorkspaceShared && n.Workspace != WorkspaceWorktree {
		faults["workspace"] = "shared or worktree"
	}
	if blank(n.Agent) {
		faults["agent"] = "name an agent, such as claude"
	}
	if n.Limits.negative() {
		faults["limits"] = "limits cannot be negative"
	}
	n.Siege.check(faults)
	n.Asks.check(faults)
	n.Programs.check(faults)
	if why := n.File.check(); why != "" {
		faults["file"] = why
	}
	if why := checkAttachments(n.Attachments); why != "" {
		faults["attachments"] = why
	}
	n.checkSize(faults)
	if n.Plan != nil {
		n.Plan.check(faults)
	}
	return fieldFaults(faults)
}

func (p OwnPlan) check(faults map[string]string) {
	if found := checkFirstPlan(p.Steps); len(found) > 0 {
		faults["plan.steps"] = told(found, "; ")
	}
	if len(p.Requirements) == 0 {
		return // a plan of the user's own needs no requirements
	}
	if found := checkRequirements(p.Requirements); len(found) > 0 {
		faults["plan.requirements"] = told(found, "; ")
	}
}

func (l Limits) negative() bool {
	return slices.ContainsFunc(l.each(), func(n *int) bool { return *n < 0 })
}

// fieldFaults returns one refusal that names all faulty fields, or nil.
func fieldFaults(faults map[string]string) error {
	if len(faults) == 0 {
		return nil
	}
	words := make([]string, 0, len(faults))
	for _, f := range sortedKeys(faults) {
		words = append(words, f+": "+faults[f])
	}
	err := invalid("%s", strings.Join(words, "; "))
	err.Told, err.Fields = true, faults
	return err
}
