package orchestration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// SignalKind names one of the four signals of the MCP tool signal-back.
type SignalKind string

const (
	// Complete: the run has done its job.
	Complete SignalKind = "complete"
	// PartiallyComplete: the context window is exhausted; a fresh session goes on.
	PartiallyComplete SignalKind = "partially-complete"
	// NeedsUserInput: only the user can decide; the answer resumes the session.
	NeedsUserInput SignalKind = "needs-user-input"
	// NeedsRoleFollowup: another role must act first (or instead).
	NeedsRoleFollowup SignalKind = "needs-role-followup"
)

// SignalKinds lists the four signals in the order in which they are shown.
var SignalKinds = []SignalKind{Complete, PartiallyComplete, NeedsUserInput, NeedsRoleFollowup}

// Signal is the payload of one call of signal-back. SignalFields says which fields
// belong to which kind. Apply refuses a signal that lacks a field. Before that, the MCP
// endpoint refuses unknown fields and fields of other kinds.
type Signal struct {
	Kind   SignalKind `json:"signal"`
	StepID string     `json:"stepId"`

	Summary           string `json:"summary,omitempty"`
	Progress          string `json:"progress,omitempty"`
	ContinuationPoint string `json:"continuationPoint,omitempty"`
	Question          string `json:"question,omitempty"`
	Context           string `json:"context,omitempty"`
	// Wall is sent with needs-user-input by a role that may ask at a wall alone.
	Wall Wall `json:"wall,omitempty"`

	TargetRole Role   `json:"targetRole,omitempty"`
	Reason     string `json:"reason,omitempty"`
	// Resume is sent with needs-role-followup only; nil means it was left out.
	Resume *bool `json:"resume,omitempty"`
	// Evidence is sent with a complete that is a verdict.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Findings are what Lawbringer's look at the whole work found.
	Findings []Found `json:"findings,omitempty"`
}

// SignalField is one field of a signal, apart from signal and stepId.
type SignalField struct {
	Name     string       // as in JSON
	Of       []SignalKind // the signals that have it
	Optional bool         // may be left out
	Prose    bool         // free text for readers
	// At points to the field: a *string, a **bool, a *[]Evidence or a *[]Found. Those who
	// read or write any field panic at another type, so a test finds them.
	At func(*Signal) any
}

// SignalFields lists all fields in the order in which they are shown. A new field of
// Signal needs a row here: the endpoint, the history and the pages use this table.
var SignalFields = []SignalField{
	{Name: "summary", Of: []SignalKind{Complete}, Prose: true, At: func(s *Signal) any { return &s.Summary }},
	{Name: "evidence", Of: []SignalKind{Complete}, Optional: true, At: func(s *Signal) any { return &s.Evidence }},
	{Name: "progress", Of: []SignalKind{PartiallyComplete}, Prose: true, At: func(s *Signal) any { return &s.Progress }},
	{Name: "continuationPoint", Of: []SignalKind{PartiallyComplete}, Prose: true,
		At: func(s *Signal) any { return &s.ContinuationPoint }},
	{Name: "question", Of: []SignalKind{NeedsUserInput}, Prose: true, At: func(s *Signal) any { return &s.Question }},
	{Name: "targetRole", Of: []SignalKind{NeedsRoleFollowup}, At: func(s *Signal) any { return (*string)(&s.TargetRole) }},
	{Name: "reason", Of: []SignalKind{NeedsRoleFollowup}, Prose: true, At: func(s *Signal) any { return &s.Reason }},
	{Name: "context", Of: []SignalKind{NeedsUserInput, NeedsRoleFollowup}, Prose: true, At: func(s *Signal) any { return &s.Context }},
	{Name: "wall", Of: []SignalKind{NeedsUserInput}, Optional: true, At: func(s *Signal) any { return (*string)(&s.Wall) }},
	{Name: "resume", Of: []SignalKind{NeedsRoleFollowup}, At: func(s *Signal) any { return &s.Resume }},
	{Name: "findings", Of: []SignalKind{Complete, NeedsRoleFollowup}, Optional: true, Prose: true,
		At: func(s *Signal) any { return &s.Findings }},
}

// In returns the field's value in a signal as text; "": it was left out. Findings are
// lines, evidence is JSON.
func (f SignalField) In(s *Signal) string {
	switch at := f.At(s).(type) {
	case *string:
		return *at
	case **bool:
		if *at == nil {
			return ""
		}
		return strconv.FormatBool(**at)
	case *[]Found:
		return listed(*at)
	case *[]Evidence:
		return inJSON(*at)
	default:
		panic(fmt.Sprintf("%s: a field of a signal cannot be a %T", f.Name, at))
	}
}

func inJSON(evidence []Evidence) string {
	if len(evidence) == 0 {
		return ""
	}
	text, err := json.Marshal(evidence)
	if err != nil {
		panic("encode evidence: " + err.Error()) // texts always encode
	}
	return string(text)
}

// FieldsOf lists the fields of a signal.
func FieldsOf(kind SignalKind) []SignalField {
	return slices.DeleteFunc(slices.Clone(SignalFields), func(f SignalField) bool { return !slices.Contains(f.Of, kind) })
}
