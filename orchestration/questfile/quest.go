package questfile

import (
	"time"

	"questboard/orchestration"
)

// questRecord is orchestration.Quest as written in the file.
type questRecord struct {
	ID           string                      `json:"id"`
	Title        string                      `json:"title"`
	Untitled     bool                        `json:"untitled,omitempty"`
	Request      string                      `json:"request"`
	Repo         string                      `json:"repo"`
	Ward         string                      `json:"ward"`
	Workspace    orchestration.WorkspaceMode `json:"workspace"`
	Branch       string                      `json:"branch"`
	Agent        string                      `json:"agent"`
	Programs     orchestration.Programs      `json:"roles,omitempty"`
	Slots        int                         `json:"slots"`
	Priority     orchestration.Priority      `json:"priority,omitempty"`
	BudgetUSD    float64                     `json:"budgetUsd"`
	BudgetTokens int64                       `json:"budgetTokens,omitempty"`
	BudgetTime   time.Duration               `json:"budgetNanoseconds,omitempty"`
	Size         orchestration.Size          `json:"size,omitempty"`
	SizedBy      string                      `json:"sizedBy,omitempty"`
	SizeReason   string                      `json:"sizeReason,omitempty"`
	Siege        orchestration.Siege         `json:"siege,omitempty"`
	Forks        orchestration.Forks         `json:"forks,omitzero"`
	Asks         orchestration.Asks          `json:"asks,omitzero"`
	Allowances   []orchestration.Allowance   `json:"allowed,omitempty"`
	Limits       orchestration.Limits        `json:"limits"`
	Backoff      backoffRecord               `json:"backoff"`
	CrashBackoff []time.Duration             `json:"crashBackoffNanoseconds,omitempty"`

	CreatedAt time.Time `json:"createdAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"`

	Phase        orchestration.Phase `json:"phase"`
	Paused       bool                `json:"paused"`
	Abandoned    bool                `json:"abandoned"`
	Wait         *waitRecord         `json:"wait,omitempty"`
	Gates        gatesRecord         `json:"gates"`
	BudgetWarned bool                `json:"budgetWarned"`

	Requirements []orchestration.Requirement `json:"requirements"`
	Locked       bool                        `json:"requirementsLocked"`
	Uncovered    []orchestration.Uncovered   `json:"uncovered,omitempty"`
	FirstPlan    int                         `json:"firstPlan"`
	GreenTree    string                      `json:"greenTree,omitempty"`
	Merging      []string                    `json:"merging,omitempty"`
	Baseline     orchestration.Baseline      `json:"baseline,omitempty"`
	BaselineRun  string                      `json:"baselineRun,omitempty"`
	KnownFaults  []string                    `json:"knownFaults,omitempty"`
	Delivered    *orchestration.Delivery     `json:"delivered,omitempty"`
	LeftAt       time.Time                   `json:"leftAt,omitzero"`
	Changes      []orchestration.Change      `json:"changes,omitempty"`
	Follows      string                      `json:"follows,omitempty"`
	Former       *orchestration.Former       `json:"former,omitempty"`
	Workplace    orchestration.Workplace     `json:"workplace,omitzero"`
	File         *orchestration.RepoFile     `json:"repoFile,omitempty"`
	Attachments  []orchestration.Attachment  `json:"attachments,omitempty"`

	QuestWide []stepRecord     `json:"lines"` // requirements, plan, review
	Steps     []stepRecord     `json:"steps"`
	Runs      []runRecord      `json:"runs"`
	Questions []questionRecord `json:"questions"`

	CostUSD   float64   `json:"costUsd"`
	GrantedAt time.Time `json:"grantedAt,omitzero"`
	Seq       int64     `json:"seq"`
	Version   int64     `json:"version"`
}

type backoffRecord struct {
	First time.Duration `json:"firstNanoseconds"`
	Max   time.Duration `json:"maxNanoseconds"`
}

type waitRecord struct {
	Kind   orchestration.WaitKind `json:"kind"`
	Reason string                 `json:"reason"`
	At     time.Time              `json:"at,omitzero"`
}

type gatesRecord struct {
	Requirements orchestration.Gate `json:"requirements"`
	Plan         orchestration.Gate `json:"plan"`
}

func recordQuest(q *orchestration.Quest) questRecord {
	out := questRecord{
		ID: q.ID, Title: q.Title, Untitled: q.Untitled, Request: q.Request, Repo: q.Repo, Ward: q.Ward,
		Workspace: q.Workspace, Branch: q.Branch, Agent: q.Agent, Programs: q.Programs, Slots: q.Slots, Priority: q.Priority,
		BudgetUSD: q.BudgetUSD, BudgetTokens: q.BudgetTokens, BudgetTime: q.BudgetTime,
		Size: q.Size, SizedBy: q.SizedBy, SizeReason: q.SizeReason, Siege: q.Siege, Forks: q.Forks, Asks: q.Asks, Allowances: q.Allowances,
		Limits:       q.Limits,
		Backoff:      backoffRecord(q.Backoff),
		CrashBackoff: q.CrashBackoff,
		CreatedAt:    q.CreatedAt, EndedAt: q.EndedAt,
		Phase: q.Phase, Paused: q.Paused, Abandoned: q.Abandoned, Wait: (*waitRecord)(q.Wait),
		Gates:        gatesRecord{q.GateRequirements, q.GatePlan},
		BudgetWarned: q.BudgetWarned,
		Requirements: q.Requirements, Locked: q.Locked, Uncovered: q.Uncovered, FirstPlan: q.FirstPlan, GreenTree: q.GreenTree,
		Merging:  q.Merging,
		Baseline: q.Baseline, BaselineRun: q.BaselineRun, KnownFaults: q.KnownFaults, Delivered: q.Delivered, LeftAt: q.LeftAt,
		Changes: q.Changes, Follows: q.Follows, Former: q.Former, File: q.File, Attachments: q.Attachments, Workplace: q.Workplace,
		CostUSD: q.CostUSD, GrantedAt: q.GrantedAt, Seq: q.Seq, Version: q.Version,
	}
	for _, s := range q.Whole {
		if s != nil {
			out.QuestWide = append(out.QuestWide, recordStep(s))
		}
	}
	for _, s := range q.Steps.All() {
		out.Steps = append(out.Steps, recordStep(s))
	}
	for _, r := range q.Runs.All() {
		out.Runs = append(out.Runs, recordRun(r))
	}
	for _, ask := range q.Questions.All() {
		out.Questions = append(out.Questions, questionRecord(*ask))
	}
	return out
}

// quest rebuilds the quest. Its tables follow the order of the file.
func (r questRecord) quest() *orchestration.Quest {
	q := &orchestration.Quest{
		ID: r.ID, Title: r.Title, Untitled: r.Untitled, Request: r.Request, Repo: r.Repo, Ward: r.Ward,
		Workspace: r.Workspace, Branch: r.Branch, Agent: r.Agent, Programs: r.Programs, Slots: r.Slots, Priority: r.Priority,
		BudgetUSD: r.BudgetUSD, BudgetTokens: r.BudgetTokens, BudgetTime: r.BudgetTime,
		Size: r.Size, SizedBy: r.SizedBy, SizeReason: r.SizeReason, Siege: r.Siege, Forks: r.Forks, Asks: r.Asks, Allowances: r.Allowances,
		Limits:       r.Limits,
		Backoff:      orchestration.Backoff(r.Backoff),
		CrashBackoff: r.CrashBackoff,
		CreatedAt:    r.CreatedAt, EndedAt: r.EndedAt,
		Phase: r.Phase, Paused: r.Paused, Abandoned: r.Abandoned, Wait: (*orchestration.Wait)(r.Wait),
		GateRequirements: r.Gates.Requirements, GatePlan: r.Gates.Plan,
		BudgetWarned: r.BudgetWarned,
		Requirements: r.Requirements, Locked: r.Locked, Uncovered: r.Uncovered, FirstPlan: r.FirstPlan, GreenTree: r.GreenTree,
		Merging:  r.Merging,
		Baseline: r.Baseline, BaselineRun: r.BaselineRun, KnownFaults: r.KnownFaults, Delivered: r.Delivered, LeftAt: r.LeftAt,
		Changes: r.Changes, Follows: r.Follows, Former: r.Former, File: r.File, Attachments: r.Attachments, Workplace: r.Workplace,
		CostUSD: r.CostUSD, GrantedAt: r.GrantedAt, Seq: r.Seq, Version: r.Version,
	}
	for i := range r.QuestWide {
		q.Whole[i] = r.QuestWide[i].step(-1)
	}
	for i := range r.Steps {
		q.Steps = q.Steps.Append(r.Steps[i].step(i))
	}
	for i := range r.Runs {
		run := r.Runs[i].run(i)
		if run.Agent == "" && run.Role.Agent() && run.State != orchestration.RunQueued {
			run.Agent = q.Agent // an older version wrote the file
		}
		q.Runs = q.Runs.Append(run)
	}
	for i := range r.Questions {
		ask := orchestration.Question(r.Questions[i])
		q.Questions = q.Questions.Append(&ask)
	}
	return q
}
