package orchestration

import "slices"

// The routing table of docs/state-machine.md#what-happens-next, as data. The first row
// that matches a signal decides what happens next. The history records the row's name.

// route is one row: when a run of one of these roles sends this signal and the condition
// holds, do is called.
type route struct {
	name   string
	roles  []Role // nil: every role that may send the signal
	signal SignalKind
	when   func(*edit, *Run, Signal) bool // nil: always
	do     func(*edit, *Run, Signal) error
}

// workers are the roles that change files, so ward must check their work.
var workers = rolesWith(func(row roleRow) bool { return row.writes })

// routes has the same order as the table in the document.
var routes = []route{
	{"requirements written", []Role{ChaosWhisperer}, Complete, nil, (*edit).requirementsWritten},
	{"pathseeker done: resume who waits", []Role{PathSeeker}, Complete, planning(true), (*edit).resumeReturn},
	{"plan written", []Role{PathSeeker}, Complete, planning(false), (*edit).planWritten},
	{"step re-split", []Role{PathSeeker}, Complete, drafted, (*edit).resplit},
	{"pathseeker done: resume who waits", []Role{PathSeeker}, Complete, returns, (*edit).resumeReturn},
	{"pathseeker done in review: what it still owes", []Role{PathSeeker}, Complete, reviewing, (*edit).reviewOn},
	{"pathseeker done: start again at codeweaver", []Role{PathSeeker}, Complete, nil, (*edit).startAgain},
	{"work done: ward, always", workers, Complete, nil, (*edit).toWard},
	{"context full: a fresh session goes on", nil, PartiallyComplete, nil, (*edit).continueFresh},
	{"question: the answer resumes", nil, NeedsUserInput, nil, (*edit).ask},
	{"errand grows: requirements again", nil, NeedsRoleFollowup, outgrows, (*edit).grow},
	{"last round: mended, checked, complete", []Role{Lawbringer}, NeedsRoleFollowup, lastRoundBegins, (*edit).followup},
	{"follow-up, then resume", nil, NeedsRoleFollowup, wantsResume, (*edit).followup},
	{"follow-up instead", nil, NeedsRoleFollowup, nil, (*edit).followup},
}

func planning(withReturn bool) func(*edit, *Run, Signal) bool {
	return func(_ *edit, r *Run, _ Signal) bool {
		return r.Step == StepPlan && (r.ReturnTo != "") == withReturn
	}
}

func drafted(e *edit, r *Run, _ Signal) bool   { return r.Draft != nil }
func returns(_ *edit, r *Run, _ Signal) bool   { return r.ReturnTo != "" }
func reviewing(_ *edit, r *Run, _ Signal) bool { return r.Step == StepReview }
func wantsResume(_ *edit, _ *Run, s Signal) bool {
	return s.Resume != nil && *s.Resume
}

// routeOf returns the first row that matches a valid signal. Every valid signal has one.
func (e *edit) routeOf(r *Run, s Signal) route {
	for _, row := range routes {
		if row.signal == s.Kind && (row.roles == nil || slices.Contains(row.roles, r.Role)) &&
			(row.when == nil || row.when(e, r, s)) {
			return row
		}
	}
	panic("no route for " + string(r.Role) + " " + string(s.Kind))
}

// RouteNames returns the names of the rows. The history records them as "rule".
func RouteNames() []string {
	var names []string
	for _, row := range routes {
		if !slices.Contains(names, row.name) {
			names = append(names, row.name)
		}
	}
	return names
}
