package questfile

import (
	"time"

	"questboard/orchestration"
)

// launchRecord is orchestration.Launch as written in the file.
type launchRecord struct {
	Role        orchestration.Role      `json:"role"`
	Step        string                  `json:"step"`
	Start       orchestration.StartKind `json:"start"`
	ResumedFrom string                  `json:"resumedFrom,omitempty"`
	ReturnTo    string                  `json:"returnTo,omitempty"`
	Alone       bool                    `json:"alone,omitempty"`
	With        string                  `json:"with,omitempty"`
	Brief       orchestration.Brief     `json:"brief"`
}

// runRecord is orchestration.Run without what belongs to its host.
type runRecord struct {
	ID string `json:"id"`
	launchRecord
	Visit      int                    `json:"visit"`
	State      orchestration.RunState `json:"state"`
	Outcome    orchestration.Outcome  `json:"outcome,omitempty"`
	Agent      string                 `json:"agent,omitempty"`
	InPlaceOf  string                 `json:"inPlaceOf,omitempty"`
	SessionID  string                 `json:"sessionId,omitempty"`
	ForkedFrom string                 `json:"forkedFrom,omitempty"`
	Opened     bool                   `json:"opened"`
	Slot       int                    `json:"slot,omitempty"`
	Cap        capRecord              `json:"cap,omitzero"`
	Epoch      int                    `json:"epoch"`

	QueuedAt  time.Time `json:"queuedAt"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	// In nanoseconds.
	Lasted time.Duration `json:"lastedNanoseconds,omitempty"`

	Signal   *orchestration.Signal    `json:"signal,omitempty"`
	Draft    *orchestration.PlanDraft `json:"draft,omitempty"`
	Stopping orchestration.Outcome    `json:"stopping,omitempty"`
	Beside   bool                     `json:"beside,omitempty"`
	Waiting  bool                     `json:"waiting,omitempty"`
	Late     bool                     `json:"late,omitempty"`

	ExitCode    int                        `json:"exitCode"`
	Why         string                     `json:"why,omitempty"`
	CostUSD     float64                    `json:"costUsd"`
	SessionCost float64                    `json:"sessionCostUsd"`
	Model       string                     `json:"model,omitempty"`
	Tokens      tokensRecord               `json:"tokens"`
	Context     int64                      `json:"context,omitempty"`
	Denied      []string                   `json:"deniedTools,omitempty"`
	DeniedCalls []orchestration.DeniedCall `json:"deniedCalls,omitempty"`
	Ask         []string                   `json:"ask,omitempty"`
	Allow       []string                   `json:"allow,omitempty"`
	Digest      string                     `json:"digest,omitempty"`

	From   string `json:"from,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// capRecord is orchestration.Amount as written in the file.
type capRecord struct {
	USD    float64       `json:"usd,omitempty"`
	Tokens int64         `json:"tokens,omitempty"`
	Time   time.Duration `json:"nanoseconds,omitempty"`
}

type tokensRecord struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

func recordRun(r *orchestration.Run) runRecord {
	return runRecord{
		ID: r.ID, launchRecord: launchRecord(r.Launch), Visit: r.Visit,
		State: r.State, Outcome: r.Outcome, Agent: r.Agent, InPlaceOf: r.InPlaceOf, SessionID: r.SessionID, ForkedFrom: r.ForkedFrom,
		Opened: r.Opened,
		Slot:   r.Slot, Cap: capRecord(r.Cap), Epoch: r.Epoch,
		QueuedAt: r.QueuedAt, NotBefore: r.NotBefore, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Lasted: r.Lasted,
		Signal: r.Signal, Draft: r.Draft, Stopping: r.Stopping, Beside: r.Beside, Waiting: r.Waiting, Late: r.Late,
		ExitCode: r.ExitCode, Why: r.Why, CostUSD: r.CostUSD, SessionCost: r.SessionCost,
		Model: r.Model, Tokens: tokensRecord(r.Tokens), Context: r.Context, Denied: r.Denied, DeniedCalls: r.DeniedCalls, Ask: r.Ask,
		Allow:  r.Allow,
		Digest: r.Digest, From: r.From, Commit: r.Commit,
	}
}

func (r runRecord) run(n int) *orchestration.Run {
	return &orchestration.Run{
		ID: r.ID, N: n, Launch: orchestration.Launch(r.launchRecord), Visit: r.Visit,
		State: r.State, Outcome: r.Outcome, Agent: r.Agent, InPlaceOf: r.InPlaceOf, SessionID: r.SessionID, ForkedFrom: r.ForkedFrom,
		Opened: r.Opened,
		Slot:   r.Slot, Cap: orchestration.Amount(r.Cap), Epoch: r.Epoch,
		QueuedAt: r.QueuedAt, NotBefore: r.NotBefore, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Lasted: r.Lasted,
		Signal: r.Signal, Draft: r.Draft, Stopping: r.Stopping, Beside: r.Beside, Waiting: r.Waiting, Late: r.Late,
		ExitCode: r.ExitCode, Why: r.Why, CostUSD: r.CostUSD, SessionCost: r.SessionCost,
		Model: r.Model, Tokens: orchestration.Tokens(r.Tokens), Context: r.Context, Denied: r.Denied, DeniedCalls: r.DeniedCalls, Ask: r.Ask,
		Allow:  r.Allow,
		Digest: r.Digest, From: r.From, Commit: r.Commit,
	}
}
