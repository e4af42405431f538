package orchestration

import "slices"

// The routing table of docs/state-machine.md#what-happens-next as data. The
// first row that fits decides; its name goes into the history.

// signalsOf lists which signals a role may send.
var signalsOf = map[Role][]SignalKind{
	ChaosWhisperer: {Complete, NeedsUserInput},
	PathSeeker:     SignalKinds,
	Codeweaver:     SignalKinds,
	Spiritmender:   SignalKinds,
	Siegemaster:    {Complete, PartiallyComplete, NeedsRoleFollowup},
	Lawbringer:     {Complete, NeedsRoleFollowup},
}

// targets lists the roles that a follow-up may ask for.
var targets = []Role{PathSeeker, Codeweaver, Siegemaster, Lawbringer, Spiritmender}

// SignalsOf returns the signals that a role may send.
func SignalsOf(r Role) []SignalKind { return slices.Clone(signalsOf[r]) }

// TargetsOf returns the roles that a role may ask for: all but itself.
func TargetsOf(r Role) []Role {
	return slices.DeleteFunc(slices.Clone(targets), func(t Role) bool { return t == r })
}

// route is one row: which signal of which roles, under which condition, leads
// to what.
type route struct {
	name   string
	roles  []Role // nil: any that may send the signal
	signal SignalKind
	when   func(*edit, *Run, Signal) bool // nil: always
	do     func(*edit, *Run, Signal) error
}

var workers = []Role{Codeweaver, Spiritmender, Siegemaster, Lawbringer}

// routes stand in the order of that table.
var routes = []route{
	{"requirements written", []Role{ChaosWhisperer}, Complete, nil, (*edit).requirementsWritten},
	{"pathseeker done: resume who waits", []Role{PathSeeker}, Complete, planning(true), (*edit).resumeReturn},
	{"plan written", []Role{PathSeeker}, Complete, planning(false), (*edit).planWritten},
	{"step re-split", []Role{PathSeeker}, Complete, drafted, (*edit).resplit},
	{"pathseeker done: resume who waits", []Role{PathSeeker}, Complete, returns, (*edit).resumeReturn},
	{"pathseeker done in review: fresh lawbringer", []Role{PathSeeker}, Complete, reviewing, (*edit).freshReview},
	{"pathseeker done: start again at codeweaver", []Role{PathSeeker}, Complete, nil, (*edit).startAgain},
	{"work done: ward, always", workers, Complete, nil, (*edit).toWard},
	{"context full: a fresh session goes on", nil, PartiallyComplete, nil, (*edit).continueFresh},
	{"question: the answer resumes", nil, NeedsUserInput, nil, (*edit).ask},
	{"follow-up, then resume", nil, NeedsRoleFollowup, wantsResume, (*edit).followup},
	{"follow-up instead", nil, NeedsRoleFollowup, nil, (*edit).followup},
}

func planning(withReturn bool) func(*edit, *Run, Signal) bool {
	return func(_ *edit, r *Run, _ Signal) bool {
		return r.Line == LinePlan && (r.ReturnTo != "") == withReturn
	}
}

func drafted(e *edit, r *Run, _ Signal) bool   { return r.Draft != nil }
func returns(_ *edit, r *Run, _ Signal) bool   { return r.ReturnTo != "" }
func reviewing(_ *edit, r *Run, _ Signal) bool { return r.Line == LineReview }
func wantsResume(_ *edit, _ *Run, s Signal) bool {
	return s.Resume != nil && *s.Resume
}

// routeOf finds the row for a signal that was found valid.
func (e *edit) routeOf(r *Run, s Signal) route {
	for _, row := range routes {
		if row.signal == s.Kind && (row.roles == nil || slices.Contains(row.roles, r.Role)) &&
			(row.when == nil || row.when(e, r, s)) {
			return row
		}
	}
	panic("no route for " + string(r.Role) + " " + string(s.Kind))
}

// RouteNames returns the names of the table's rows, as they stand in the
// history under "rule".
func RouteNames() []string {
	var names []string
	for _, row := range routes {
		if !slices.Contains(names, row.name) {
			names = append(names, row.name)
		}
	}
	return names
}
