package store

import "questboard/orchestration"

// The JSON of nested values whose domain types have no names of their own for
// storage. Each conversion is between identical structs, so a field that is
// added there and not here does not compile.

type wait struct {
	Kind   orchestration.WaitKind `json:"kind"`
	Reason string                 `json:"reason"`
}

func toWait(w *orchestration.Wait) *wait   { return (*wait)(w) }
func fromWait(w *wait) *orchestration.Wait { return (*orchestration.Wait)(w) }

type counts struct {
	Crash        int    `json:"crash,omitempty"`
	Stuck        int    `json:"stuck,omitempty"`
	Nudge        int    `json:"nudge,omitempty"`
	Infra        int    `json:"infrastructure,omitempty"`
	Partial      int    `json:"partial,omitempty"`
	Followups    int    `json:"followups,omitempty"`
	Ward         int    `json:"ward,omitempty"`
	Overloads    int    `json:"overloads,omitempty"`
	LastFollowup string `json:"lastFollowup,omitempty"`
}

func toCounts(c orchestration.Counts) counts   { return counts(c) }
func fromCounts(c counts) orchestration.Counts { return orchestration.Counts(c) }

type launch struct {
	Role        orchestration.Role      `json:"role"`
	Line        string                  `json:"line"`
	Start       orchestration.StartKind `json:"start"`
	ResumedFrom string                  `json:"resumedFrom,omitempty"`
	ReturnTo    string                  `json:"returnTo,omitempty"`
	Alone       bool                    `json:"alone,omitempty"`
	Brief       orchestration.Brief     `json:"brief"`
}

type block struct {
	Kind   orchestration.BlockKind `json:"kind"`
	Reason string                  `json:"reason"`
	Retry  launch                  `json:"retry"`
}

func toBlock(b *orchestration.Block) *block {
	if b == nil {
		return nil
	}
	return &block{Kind: b.Kind, Reason: b.Reason, Retry: launch(b.Retry)}
}

func fromBlock(b *block) *orchestration.Block {
	if b == nil {
		return nil
	}
	return &orchestration.Block{Kind: b.Kind, Reason: b.Reason, Retry: orchestration.Launch(b.Retry)}
}
