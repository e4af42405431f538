package questfile

import (
	"time"

	"questboard/orchestration"
)

// stepRecord is orchestration.Step as written in the file.
type stepRecord struct {
	orchestration.PlanStep
	Stage orchestration.Stage `json:"stage"`
	Hold  orchestration.Hold  `json:"hold,omitempty"`
	Block *blockRecord        `json:"block,omitempty"`
	Run   string              `json:"run,omitempty"`

	Priority   orchestration.Priority     `json:"priority,omitempty"`
	Started    bool                       `json:"started"`
	HoldsFiles bool                       `json:"holdsFiles"`
	Verdict    bool                       `json:"verdict"`
	GreenTree  string                     `json:"greenTree,omitempty"`
	StartTree  string                     `json:"startTree,omitempty"`
	Checked    orchestration.Checked      `json:"checked,omitempty"`
	Changed    []string                   `json:"changed,omitempty"`
	Comments   string                     `json:"comments,omitempty"`
	Counts     countsRecord               `json:"counts"`
	Visits     map[orchestration.Role]int `json:"visits,omitempty"`

	ReplacedBy []string  `json:"replacedBy,omitempty"`
	AddedBy    string    `json:"addedBy,omitempty"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	EndedAt    time.Time `json:"endedAt,omitzero"`
	Reason     string    `json:"reason,omitempty"`
	ByHand     string    `json:"byHand,omitempty"`
	Final      bool      `json:"final,omitempty"`

	Findings []orchestration.Finding `json:"findings,omitempty"`
	Rounds   int                     `json:"rounds,omitempty"`
	Looked   string                  `json:"looked,omitempty"`
	Besieged string                  `json:"besieged,omitempty"`

	SiegeProof *orchestration.Proof `json:"siegeProof,omitempty"`

	Instructions []orchestration.Instruction `json:"instructions,omitempty"`
	MadeOf       string                      `json:"madeOf,omitempty"`
	Proof        *orchestration.Proof        `json:"proof,omitempty"`
}

type blockRecord struct {
	Kind   orchestration.BlockKind `json:"kind"`
	Reason string                  `json:"reason"`
	Retry  launchRecord            `json:"retry"`
	At     time.Time               `json:"at,omitzero"`
	By     string                  `json:"by,omitempty"`
}

type countsRecord struct {
	Crash        int    `json:"crash"`
	Stuck        int    `json:"stuck"`
	Nudge        int    `json:"nudge"`
	Infra        int    `json:"infrastructure"`
	Partial      int    `json:"partial"`
	Followups    int    `json:"followups"`
	Ward         int    `json:"ward"`
	Merge        int    `json:"merge"`
	Overloads    int    `json:"overloads"`
	LastFollowup string `json:"lastFollowup,omitempty"`
}

func recordStep(s *orchestration.Step) stepRecord {
	out := stepRecord{
		PlanStep: s.PlanStep, Stage: s.Stage, Hold: s.Hold, Run: s.Run,
		Priority: s.Priority, Started: s.Started, HoldsFiles: s.HoldsFiles, Verdict: s.Verdict, GreenTree: s.GreenTree, StartTree: s.StartTree,
		Checked: s.Checked, Changed: s.Changed, Comments: s.Comments,
		Counts: countsRecord(s.Counts), Visits: s.Visits,
		ReplacedBy: s.ReplacedBy, AddedBy: s.AddedBy,
		StartedAt: s.StartedAt, EndedAt: s.EndedAt, Reason: s.Reason, ByHand: s.ByHand, Final: s.Final, Findings: s.Findings,
		Instructions: s.Instructions, Rounds: s.Rounds, Looked: s.Looked, Besieged: s.Besieged, SiegeProof: s.SiegeProof, MadeOf: s.MadeOf,
		Proof: s.Proof,
	}
	if s.Block != nil {
		out.Block = &blockRecord{s.Block.Kind, s.Block.Reason, launchRecord(s.Block.Retry), s.Block.At, s.Block.By}
	}
	return out
}

func (r stepRecord) step(n int) *orchestration.Step {
	s := &orchestration.Step{
		PlanStep: r.PlanStep, N: n, Stage: r.Stage, Hold: r.Hold, Run: r.Run,
		Priority: r.Priority, Started: r.Started, HoldsFiles: r.HoldsFiles, Verdict: r.Verdict, GreenTree: r.GreenTree, StartTree: r.StartTree,
		Checked: r.Checked, Changed: r.Changed, Comments: r.Comments,
		Counts: orchestration.Counts(r.Counts), Visits: r.Visits,
		ReplacedBy: r.ReplacedBy, AddedBy: r.AddedBy,
		StartedAt: r.StartedAt, EndedAt: r.EndedAt, Reason: r.Reason, ByHand: r.ByHand, Final: r.Final, Findings: r.Findings,
		Instructions: r.Instructions, Rounds: r.Rounds, Looked: r.Looked, Besieged: r.Besieged, SiegeProof: r.SiegeProof, MadeOf: r.MadeOf,
		Proof: r.Proof,
	}
	if r.Block != nil {
		s.Block = &orchestration.Block{Kind: r.Block.Kind, Reason: r.Block.Reason,
			Retry: orchestration.Launch(r.Block.Retry), At: r.Block.At, By: r.Block.By}
	}
	return s
}
