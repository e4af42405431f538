package api

import (
	"time"

	"questboard/orchestration"
)

// questHead is a quest in a list.
type questHead struct {
	ID        string                 `json:"id"`
	Title     string                 `json:"title"`
	Repo      string                 `json:"repo"`
	Workspace string                 `json:"workspace"`
	Branch    string                 `json:"branch"`
	Base      *string                `json:"base"`
	Agent     string                 `json:"agent"`
	Roles     orchestration.Programs `json:"roles"` // {}: all have the quest's
	CreatedAt *time.Time             `json:"createdAt"`
	EndedAt   *time.Time             `json:"endedAt"`
	Phase     orchestration.Phase    `json:"phase"`
	Status    orchestration.Status   `json:"status"`
	Why       string                 `json:"why"`
	Version   int64                  `json:"version"`
	Slots     int                    `json:"slots"`
	Priority  string                 `json:"priority"`
	Size      orchestration.Size     `json:"size"`
	SizedBy   *string                `json:"sizedBy"`
	SizeWhy   string                 `json:"sizeReason"`
	Siege     siegeJSON              `json:"siege"`
	Asks      asksJSON               `json:"asks"`
	Allowed   []allowanceJSON        `json:"allowed"`
	Cost      float64                `json:"cost"`
	BudgetUSD float64                `json:"budgetUsd"`
	Tokens    int64                  `json:"budgetTokens"`
	Hours     float64                `json:"budgetHours"`
	Gates     gatesJSON              `json:"gates"`
	Progress  progressJSON           `json:"progress"`
	Outcome   outcomeJSON            `json:"outcome"`
	Delivered *deliveredJSON         `json:"delivered"`
	LeftAt    *time.Time             `json:"leftAt"`
	NeedsYou  int                    `json:"needsYou"`
	Follows   *string                `json:"follows"`
	Host      *string                `json:"host"`
	RunsOn    []string               `json:"runsOn"`
}

// questJSON is a quest with all its parts.
type questJSON struct {
	questHead
	Controls     []orchestration.Control   `json:"controls"`
	Needs        []needJSON                `json:"needs"`
	Request      string                    `json:"request"`
	Ward         string                    `json:"ward"`
	Wait         *waitJSON                 `json:"wait"`
	Baseline     baselineJSON              `json:"baseline"`
	Requirements []requirementJSON         `json:"requirements"`
	Locked       bool                      `json:"requirementsLocked"`
	Uncovered    []orchestration.Uncovered `json:"uncovered"`
	Evidence     []evidenceJSON            `json:"evidence"`
	QuestWide    []stepJSON                `json:"lines"`
	Steps        []stepJSON                `json:"steps"`
	Runs         []runJSON                 `json:"runs"`
	Questions    []questionJSON            `json:"questions"`
	Limits       orchestration.Limits      `json:"limits"`
	Used         usedJSON                  `json:"used"`
	LastSeq      int64                     `json:"lastSeq"`
	Changes      []changeJSON              `json:"changes"`
	FollowUps    []string                  `json:"followUps"`
	RepoFile     *repoFileJSON             `json:"repoFile"`
	Attachments  []attachmentJSON          `json:"attachments"`
}

// attachmentJSON is a file that came with the request. Its type is null unless it is an image.
type attachmentJSON struct {
	Name   string  `json:"name"`
	Type   *string `json:"type"`
	Size   int64   `json:"size"`
	SHA256 string  `json:"sha256"`
}

func presentAttachments(all []orchestration.Attachment) []attachmentJSON {
	out := []attachmentJSON{}
	for _, a := range all {
		out = append(out, attachmentJSON{a.Name, orNull(a.Type), a.Size, a.SHA256})
	}
	return out
}

type gatesJSON struct {
	Requirements orchestration.Gate `json:"requirements"`
	Plan         orchestration.Gate `json:"plan"`
}

// siegeJSON says which steps get a siege: what the user chose, and what counts.
type siegeJSON struct {
	Chosen    *orchestration.Siege `json:"chosen"`
	Effective orchestration.Siege  `json:"effective"`
}

// progressJSON counts all steps, the done ones and the skipped ones. It leaves out steps
// that were replaced.
type progressJSON struct {
	Done    int `json:"done"`
	Skipped int `json:"skipped"`
	Total   int `json:"total"`
}

// outcomeJSON says what has become of the work so far.
type outcomeJSON struct {
	Known      bool                        `json:"known"`
	Green      bool                        `json:"green"`
	Skipped    []orchestration.SkippedStep `json:"skipped"`
	Checks     []orchestration.StepCheck   `json:"checks"`
	ByHand     []orchestration.StepByHand  `json:"byHand"`
	NoSiege    []orchestration.StepNoSiege `json:"noSiege"`
	Besieged   bool                        `json:"besieged"`
	Whole      orchestration.Checked       `json:"whole"`
	Reviewed   bool                        `json:"reviewed"`
	Errand     bool                        `json:"errand"`
	Unchanged  bool                        `json:"unchanged"`
	Remarks    []remarkJSON                `json:"remarks"`
	Asked      int                         `json:"asked"`
	NotCovered []notCoveredJSON            `json:"notCovered"`
	Unproven   []unprovenJSON              `json:"unproven"`
	RepoFiles  []string                    `json:"repoFiles"`
}

type remarkJSON struct {
	Kind  orchestration.RemarkKind `json:"kind"`
	N     int                      `json:"n"`
	Names []string                 `json:"names"`
}

type notCoveredJSON struct {
	Requirement string                 `json:"requirement"`
	Observable  string                 `json:"observable"`
	State       orchestration.Coverage `json:"state"`
	Steps       []string               `json:"steps"`
	Why         string                 `json:"why"`
}

func presentOutcome(o orchestration.QuestOutcome) outcomeJSON {
	out := outcomeJSON{Known: o.Known, Green: o.Green(), Skipped: list(o.SkippedSteps), Checks: list(o.Checks), ByHand: list(o.ByHand),
		NoSiege: list(o.NoSiege), Besieged: o.Besieged,
		Whole: o.Whole, Reviewed: o.Reviewed, Errand: o.Errand, Unchanged: o.Unchanged, Remarks: []remarkJSON{}, Asked: o.Asked,
		NotCovered: []notCoveredJSON{}, Unproven: []unprovenJSON{}, RepoFiles: list(o.RepoFiles)}
	for _, r := range o.Remarks {
		out.Remarks = append(out.Remarks, remarkJSON{r.Kind, r.N, list(r.Names)})
	}
	if !o.Known {
		out.Whole = orchestration.CheckedUnknown
	}
	for _, c := range o.NotCovered {
		out.NotCovered = append(out.NotCovered, notCoveredJSON{c.Requirement, c.Observable, c.State, list(c.Steps), c.Why})
	}
	for _, p := range o.Unproven {
		out.Unproven = append(out.Unproven, unprovenJSON(p))
	}
	return out
}

type waitJSON struct {
	Kind   orchestration.WaitKind `json:"kind"`
	Reason string                 `json:"reason"`
}

type requirementJSON struct {
	ID          string                     `json:"id"`
	Context     string                     `json:"context"`
	Trigger     string                     `json:"trigger"`
	Observables []orchestration.Observable `json:"observables"`
}

func presentHead(q *orchestration.Quest, now time.Time, holds []orchestration.AccountHold) questHead {
	return headOf(q, q.Why(now, holds), q.Outcome(), holds, q.Needs(holds))
}

// presentEnded returns the head of an ended quest of which only the index entry is loaded.
func presentEnded(e orchestration.Ended, holds []orchestration.AccountHold) questHead {
	return headOf(e.Quest, e.Why(), e.Outcome, holds, e.Needs())
}

func headOf(q *orchestration.Quest, why string, o orchestration.QuestOutcome, holds []orchestration.AccountHold,
	needs []orchestration.Need) questHead {
	branch, base := q.Branches()
	return questHead{
		ID: q.ID, Title: q.Title, Repo: q.Repo, Workspace: string(q.Workspace),
		Branch: branch, Base: orNull(base), Agent: q.Agent, Roles: presentPrograms(q.Programs),
		CreatedAt: instant(q.CreatedAt), EndedAt: instant(q.EndedAt),
		Phase: q.Phase, Status: q.Status(holds), Why: why, Version: q.Version,
		Size: q.Size, SizedBy: orNull(q.SizedBy), SizeWhy: q.SizeReason, Siege: siegeJSON{orNull(q.Siege), q.SiegeMode()},
		Asks: presentAsks(q.Asks), Allowed: presentAllowances(q.Allowances),
		Slots: q.Slots, Priority: q.Priority.Word(), Cost: q.CostUSD, BudgetUSD: q.BudgetUSD, Tokens: q.BudgetTokens, Hours: q.BudgetTime.Hours(),
		Gates:    gatesJSON{Requirements: q.GateRequirements, Plan: q.GatePlan},
		Progress: progressJSON(o.Progress), Outcome: presentOutcome(o), Delivered: presentDelivered(q.Delivered), LeftAt: instant(q.LeftAt),
		NeedsYou: len(needs), Follows: orNull(q.Follows), Host: orNull(q.Workplace.Host), RunsOn: list(q.Workplace.Labels),
	}
}

func (h handlers) presentQuest(q *orchestration.Quest, among orchestration.Pool) questJSON {
	now, holds := among.Now, among.Holds
	needs := q.Needs(holds)
	out := questJSON{
		questHead: headOf(q, q.Why(now, holds), q.Outcome(), holds, needs),
		Controls:  list(q.Controls(now, holds)),
		Needs:     presentNeeds(needs),
		Request:   q.Request, Ward: q.Ward, Locked: q.Locked, Uncovered: list(q.Uncovered), Limits: q.EffectiveLimits(),
		Used: presentUsed(q.Used()), LastSeq: q.Seq,
		Baseline:     presentBaseline(q),
		Evidence:     presentEvidence(q),
		Changes:      presentChanges(q),
		FollowUps:    []string{},
		RepoFile:     presentRepoFile(q.File),
		Attachments:  presentAttachments(q.Attachments),
		Requirements: make([]requirementJSON, 0, len(q.Requirements)),
		QuestWide:    []stepJSON{},
		Steps:        make([]stepJSON, 0, q.Steps.Len()),
		Runs:         make([]runJSON, 0, q.Runs.Len()),
		Questions:    make([]questionJSON, 0, q.Questions.Len()),
	}
	if q.Wait != nil {
		out.Wait = &waitJSON{Kind: q.Wait.Kind, Reason: q.Wait.Reason}
	}
	for _, r := range q.Requirements {
		out.Requirements = append(out.Requirements, requirementJSON{r.ID, r.Context, r.Trigger, list(r.Observables)})
	}
	work := map[string]stepWork{}
	for _, r := range q.Runs.All() {
		out.Runs = append(out.Runs, h.presentRun(q, r))
		w := work[r.Step]
		work[r.Step] = stepWork{runs: append(w.runs, r.ID), cost: w.cost + r.CostUSD}
	}
	step := func(s *orchestration.Step) stepJSON {
		return presentStep(q, s, q.StepWhyAmong(s, among).Words(), work[s.ID])
	}
	for _, s := range q.Whole {
		if s != nil {
			out.QuestWide = append(out.QuestWide, step(s))
		}
	}
	for _, s := range q.Steps.All() {
		out.Steps = append(out.Steps, step(s))
	}
	for _, ask := range q.Questions.All() {
		out.Questions = append(out.Questions, presentQuestion(q.ID, ask))
	}
	return out
}
