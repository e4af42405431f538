package api

import (
	"context"
	"time"

	"questboard/orchestration"
)

// runJSON is one run, without its token hash, host and boot id, which are internal.
type runJSON struct {
	ID          string                  `json:"id"`
	Quest       string                  `json:"quest"`
	Role        orchestration.Role      `json:"role"`
	Step        string                  `json:"step"` // or requirements, plan, review
	Visit       int                     `json:"visit"`
	Start       orchestration.StartKind `json:"start"`
	State       orchestration.RunState  `json:"state"`
	Outcome     *orchestration.Outcome  `json:"outcome"`
	Why         string                  `json:"why"`
	Controls    []orchestration.Control `json:"controls"`
	Agent       *string                 `json:"agent"` // null: a check, or it has not started
	InPlaceOf   *string                 `json:"inPlaceOf"`
	SessionID   *string                 `json:"sessionId"`
	Opened      bool                    `json:"sessionOpened"` // a resume will find it
	ResumedFrom *string                 `json:"resumedFrom"`
	ForkedFrom  *string                 `json:"forkedFrom"`
	ReturnTo    *string                 `json:"returnTo"`
	Waiting     bool                    `json:"waiting"` // to be resumed
	Slot        *int                    `json:"slot"`
	PID         *int                    `json:"pid"`
	QueuedAt    *time.Time              `json:"queuedAt"`
	NotBefore   *time.Time              `json:"notBefore"`
	StartedAt   *time.Time              `json:"startedAt"`
	EndedAt     *time.Time              `json:"endedAt"`
	ExitCode    *int                    `json:"exitCode"`
	Signal      *orchestration.Signal   `json:"signal"`
	CostUSD     float64                 `json:"costUsd"`
	Model       *string                 `json:"model"`
	Tokens      tokensJSON              `json:"tokens"`
	Spending    *spendingJSON           `json:"spending"` // of an agent at work
	Cap         amountJSON              `json:"cap"`
	Context     *int64                  `json:"context"` // tokens of the conversation at the end
	DeniedTools []string                `json:"deniedTools"`
	DeniedCalls []deniedCallJSON        `json:"deniedCalls"`
	Ask         []string                `json:"ask"`
	Allow       []string                `json:"allow"`
	Digest      string                  `json:"digest"`
	From        *string                 `json:"from"`   // the commit before it
	Commit      *string                 `json:"commit"` // of its work
}

type tokensJSON struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

// deniedCallJSON is a call that was denied; rule is null if no rule names it exactly.
type deniedCallJSON struct {
	Tool string  `json:"tool"`
	Text string  `json:"text"`
	Rule *string `json:"rule"`
}

func presentDenied(calls []orchestration.DeniedCall) []deniedCallJSON {
	out := make([]deniedCallJSON, len(calls))
	for i, c := range calls {
		out[i] = deniedCallJSON{c.Tool, c.Text, orNull(c.Rule)}
	}
	return out
}

// spendingJSON is what an agent at work has used so far.
type spendingJSON struct {
	Tokens  tokensJSON              `json:"tokens"`
	Context *int64                  `json:"context"`
	Price   orchestration.PriceKind `json:"price"`
	CostUSD *float64                `json:"costUsd"`
}

// spending returns what an agent at work has used so far; nil: the run is none.
func (h handlers) spending(q *orchestration.Quest, r *orchestration.Run) *spendingJSON {
	if !r.Live() || !r.Role.Agent() {
		return nil
	}
	now, err := h.Quests.Spending(context.Background(), q, r)
	if err != nil { // the run is worth more than the price
		h.Log.Warn("look at what runs cost", "error", err)
	}
	return &spendingJSON{Tokens: tokensJSON(now.Tokens), Context: orNull(now.Context), Price: now.Price, CostUSD: orNull(now.USD)}
}

func (h handlers) presentRun(q *orchestration.Quest, r *orchestration.Run) runJSON {
	out := runJSON{
		ID: r.ID, Quest: q.ID, Role: r.Role, Step: r.Step, Visit: r.Visit, Start: r.Start,
		State: r.State, Outcome: orNull(r.Outcome), Why: r.Why, Controls: list(q.RunControls(r)),
		Agent: orNull(r.Agent), InPlaceOf: orNull(r.InPlaceOf), SessionID: orNull(r.SessionID), Opened: r.Opened,
		ResumedFrom: orNull(r.ResumedFrom), ForkedFrom: orNull(r.ForkedFrom), ReturnTo: orNull(r.ReturnTo),
		Waiting: r.Waiting,
		Slot:    orNull(r.Slot), PID: orNull(r.PID),
		QueuedAt: instant(r.QueuedAt), NotBefore: instant(r.NotBefore),
		StartedAt: instant(r.StartedAt), EndedAt: instant(r.EndedAt),
		Signal: r.Signal, CostUSD: r.CostUSD,
		Model:       orNull(r.Model),
		Tokens:      tokensJSON{r.Tokens.Input, r.Tokens.Output, r.Tokens.CacheRead, r.Tokens.CacheWrite},
		Spending:    h.spending(q, r),
		Cap:         presentAmount(r.Cap),
		Context:     orNull(r.Context),
		DeniedTools: list(r.Denied), DeniedCalls: presentDenied(r.DeniedCalls), Ask: list(r.Ask), Allow: list(r.Allow),
		Digest: r.Digest, From: orNull(r.From), Commit: orNull(r.Commit),
	}
	// Exit code 0 is a value of its own, so a run without a process has null.
	if r.State == orchestration.RunEnded && !r.StartedAt.IsZero() {
		out.ExitCode = &r.ExitCode
	}
	return out
}
