package store

import (
	"database/sql/driver"
	"time"

	"questboard/orchestration"
)

// The JSON of nested values whose domain types have no stored names of their own. Each
// conversion is between identical structs, so a field that is added only there does not
// compile.

type wait struct {
	Kind   orchestration.WaitKind `json:"kind"`
	Reason string                 `json:"reason"`
	At     time.Time              `json:"at,omitzero"`
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
	Merge        int    `json:"merge,omitempty"`
	Overloads    int    `json:"overloads,omitempty"`
	LastFollowup string `json:"lastFollowup,omitempty"`
}

func toCounts(c orchestration.Counts) counts   { return counts(c) }
func fromCounts(c counts) orchestration.Counts { return orchestration.Counts(c) }

type launch struct {
	Role        orchestration.Role      `json:"role"`
	Step        string                  `json:"line"`
	Start       orchestration.StartKind `json:"start"`
	ResumedFrom string                  `json:"resumedFrom,omitempty"`
	ReturnTo    string                  `json:"returnTo,omitempty"`
	Alone       bool                    `json:"alone,omitempty"`
	With        string                  `json:"with,omitempty"`
	Brief       orchestration.Brief     `json:"brief"`
}

type block struct {
	Kind   orchestration.BlockKind `json:"kind"`
	Reason string                  `json:"reason"`
	Retry  launch                  `json:"retry"`
	At     time.Time               `json:"at,omitzero"`
	By     string                  `json:"by,omitempty"`
}

func toBlock(b *orchestration.Block) *block {
	if b == nil {
		return nil
	}
	return &block{Kind: b.Kind, Reason: b.Reason, Retry: launch(b.Retry), At: b.At, By: b.By}
}

func fromBlock(b *block) *orchestration.Block {
	if b == nil {
		return nil
	}
	return &orchestration.Block{Kind: b.Kind, Reason: b.Reason, Retry: orchestration.Launch(b.Retry), At: b.At, By: b.By}
}

// delivered is the column for the delivery of a quest's work: NULL while the work waits
// on its branch.
type delivered struct{ of *orchestration.Quest }

type deliveredJSON struct {
	*orchestration.Delivery           // nil: not delivered
	LeftAt                  time.Time `json:"leftAt,omitzero"`
}

// Value implements driver.Valuer.
func (d delivered) Value() (driver.Value, error) {
	if d.of.Delivered == nil && d.of.LeftAt.IsZero() {
		return nil, nil
	}
	return inJSON(&deliveredJSON{d.of.Delivered, d.of.LeftAt}).Value()
}

// Scan implements sql.Scanner.
func (d delivered) Scan(src any) error {
	var v deliveredJSON
	if err := fromJSON(src, &v); err != nil {
		return err
	}
	d.of.Delivered, d.of.LeftAt = v.Delivery, v.LeftAt
	return nil
}
