package api

import (
	"time"

	"questboard/orchestration"
)

// stepJSON is a step, of the plan or quest-wide.
type stepJSON struct {
	ID          string                  `json:"id"`
	Title       string                  `json:"title"`
	Description string                  `json:"description"`
	Stage       orchestration.Stage     `json:"stage"`
	Hold        *orchestration.Hold     `json:"hold"`
	Block       *blockJSON              `json:"block"`
	Why         string                  `json:"why"`
	Controls    []orchestration.Control `json:"controls"`
	DependsOn   []string                `json:"dependsOn"`
	Files       []string                `json:"files"`
	Changed     []string                `json:"changed"`
	Undeclared  []string                `json:"undeclared"`
	Comments    string                  `json:"comments"`
	Observables []string                `json:"observables"`
	Runs        []string                `json:"runs"`
	Cost        float64                 `json:"cost"`
	Priority    string                  `json:"priority"`
	Risk        orchestration.Risk      `json:"risk"`
	RiskReason  string                  `json:"riskReason"`
	OwesSiege   bool                    `json:"owesSiege"`
	NoSiege     *orchestration.NoSiege  `json:"noSiege"`
	Started     bool                    `json:"started"`
	Replaces    *string                 `json:"replaces"`
	ReplacedBy  []string                `json:"replacedBy"`
	AddedBy     *string                 `json:"addedBy"`
	Reason      string                  `json:"reason"`
	ByHand      *string                 `json:"byHand"`
	Checked     orchestration.Checked   `json:"checked"`
	Counts      countsJSON              `json:"counts"`
	StartedAt   *time.Time              `json:"startedAt"`
	EndedAt     *time.Time              `json:"endedAt"`

	Instructions []instructionJSON `json:"instructions"`
	Proof        *proofJSON        `json:"proof"`
	State        string            `json:"state"`

	Besieged *string     `json:"besieged"` // of the review
	Rounds   int         `json:"rounds"`   // of the review
	Findings []foundJSON `json:"findings"` // of the review
}

// foundJSON is one thing that a look of the review found.
type foundJSON struct {
	What     string                     `json:"what"`
	Where    string                     `json:"where"`
	State    orchestration.FindingState `json:"state"`
	FoundBy  *string                    `json:"foundBy"`
	MendedBy *string                    `json:"mendedBy"`
	Commit   *string                    `json:"commit"`
	Steps    []string                   `json:"steps"`
}

func presentFindings(findings []orchestration.Finding) []foundJSON {
	out := make([]foundJSON, len(findings))
	for i, f := range findings {
		out[i] = foundJSON{What: f.What, Where: f.Where, State: f.State, FoundBy: orNull(f.Run), MendedBy: orNull(f.By), Commit: orNull(f.Commit),
			Steps: list(f.Steps)}
	}
	return out
}

// instructionJSON is what the user wrote beside a retry.
type instructionJSON struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Run  string    `json:"run"`
}

// blockJSON says why a step is blocked, and which role a retry would start.
type blockJSON struct {
	Kind   *orchestration.BlockKind `json:"kind"` // null: a person has taken the step over
	Reason string                   `json:"reason"`
	Retry  orchestration.Role       `json:"retry"`
	By     *string                  `json:"by"`
}

// countsJSON has the counters that the limits apply to.
type countsJSON struct {
	Crash     int `json:"crash"`
	Stuck     int `json:"stuck"`
	Nudge     int `json:"nudge"`
	Infra     int `json:"infrastructure"`
	Partial   int `json:"partial"`
	Ward      int `json:"ward"`
	Followups int `json:"followups"`
}

// stepWork sums up the runs of a step.
type stepWork struct {
	runs []string
	cost float64
}

func presentStep(q *orchestration.Quest, s *orchestration.Step, why string, w stepWork) stepJSON {
	out := stepJSON{
		ID: s.ID, Title: s.Title, Description: s.Description,
		Stage: s.Stage, Hold: orNull(s.Hold), Why: why, Controls: list(q.StepControls(s)),
		DependsOn: list(s.DependsOn), Files: list(s.Files), Observables: list(s.Observables),
		Changed: list(s.Changed), Undeclared: list(s.Undeclared()), Comments: s.Comments,
		Runs: list(w.runs), Cost: w.cost, Priority: s.Priority.Word(), Started: s.Started,
		Replaces: orNull(s.Replaces), ReplacedBy: list(s.ReplacedBy), AddedBy: orNull(s.AddedBy),
		Reason: s.Reason, ByHand: orNull(s.ByHand), Checked: q.Checked(s),
		Counts: countsJSON{s.Counts.Crash, s.Counts.Stuck, s.Counts.Nudge, s.Counts.Infra,
			s.Counts.Partial, s.Counts.Ward, s.Counts.Followups},
		StartedAt: instant(s.StartedAt), EndedAt: instant(s.EndedAt),
		Instructions: []instructionJSON{}, Proof: presentProof(s.Proof), State: s.State(), Rounds: s.Rounds,
		Findings: presentFindings(s.Findings),
		Risk:     s.RiskOf(), RiskReason: s.RiskReason, OwesSiege: q.OwesSiege(s), NoSiege: orNull(q.NoSiege(s)), Besieged: orNull(s.Besieged),
	}
	for _, i := range s.Instructions {
		out.Instructions = append(out.Instructions, instructionJSON{i.Text, i.By, i.At.UTC(), i.Run})
	}
	if s.Block != nil {
		out.Block = &blockJSON{Kind: orNull(s.Block.Kind), Reason: s.Block.Reason, Retry: s.Block.Retry.Role, By: orNull(s.Block.By)}
	}
	return out
}
