package orchestration

// BriefKind says why a run was called. The prompt has the words for it.
type BriefKind string

const (
	BriefCheck    BriefKind = "check"    // the check failed
	BriefConflict BriefKind = "conflict" // a merge ended in a conflict
	BriefMarkers  BriefKind = "markers"  // files still have conflict markers
	BriefComments BriefKind = "comments" // the user commented on the diff
	BriefRole     BriefKind = "role"     // another role asked for it
	BriefResplit  BriefKind = "resplit"  // the user wants the step split again
	// BriefBeforeMerge: the repository's command before a merge. A run of ward runs it, and
	// a run of Spiritmender is told that it failed.
	BriefBeforeMerge BriefKind = "before-merge"
)

// Cause says why the run before this one ended before its agent had signalled. The
// words for it are the prompt's.
type Cause struct {
	End    End    `json:"end,omitempty"`    // the row of the table; empty: only Why is known
	Why    string `json:"why,omitempty"`    // what was seen, such as "exit code 3"
	Killed bool   `json:"killed,omitempty"` // crashed: somebody else killed the process
	Stderr string `json:"stderr,omitempty"` // crashed, infrastructure: the last lines of standard error
	Times  int    `json:"times,omitempty"`  // clean: how many times in a row it ended without a signal
	User   bool   `json:"user,omitempty"`   // interrupted: the user did it
}

// causeOf is what the next run is told of an end without a signal.
func causeOf(f RunExited) *Cause {
	c := &Cause{End: f.End, Why: f.Exit.Why}
	switch f.End {
	case EndCrashed:
		c.Killed, c.Stderr = f.Exit.Killed, f.Exit.Stderr
	case EndInfrastructure:
		c.Stderr = f.Exit.Stderr
	default: // Why tells enough
	}
	return c
}

// after returns the launch with the cause of the end before it.
func (l Launch) after(c *Cause) Launch {
	if l.Role.Agent() {
		l.Brief.Cause = c
	}
	return l
}

// The sentences by which older versions told the kinds apart. They are compared
// here alone; nothing writes them any more.
const (
	oldComments = "the user commented on the diff"
	oldMarkers  = "the markers of a conflict are left"
)

// CarryOver converts a quest that an older version stored to the form that the rules
// expect. Every loaded quest passes through it first.
func CarryOver(q *Quest) {
	for _, r := range q.Runs.All() {
		r.Launch.carryOver()
	}
	q.carryOverBaseline()
	for _, s := range q.Whole {
		s.carryOver()
	}
	for _, s := range q.Steps.All() {
		s.carryOver()
		q.carryOverComments(s)
	}
	q.carryOverReview()
}

// carryOverComments derives the comments that a step was made of, if an older version did
// not record them: they wait before its first run, or begin it.
func (q *Quest) carryOverComments(s *Step) {
	if s.MadeOf != "" || s.AddedBy != "" {
		return
	}
	if !s.Started && s.Run == "" {
		s.MadeOf = s.Comments
		return
	}
	for _, r := range q.Runs.All() {
		if r.Step == s.ID {
			if r.Role == Spiritmender && r.Brief.Kind == BriefComments {
				s.MadeOf = r.Brief.Comments
			}
			return
		}
	}
}

func (s *Step) carryOver() {
	if s != nil && !s.Verdict { // the version before kept the evidence of a verdict that no longer held
		s.Proof = nil
	}
	if s != nil && s.Block != nil {
		s.Block.Retry.carryOver()
	}
}

// carryOver derives the kind of a brief that was stored without one, from its reason.
func (l *Launch) carryOver() {
	b := &l.Brief
	if b.Kind != "" || b.Reason == "" {
		return
	}
	switch {
	case b.From == Ward && b.OutputOf != "":
		b.Kind = BriefCheck
	case b.From == Ward && b.Reason == oldMarkers:
		b.Kind = BriefMarkers
	case b.From == Ward:
		b.Kind = BriefConflict
	case b.From == "" && l.Role == Spiritmender && b.Reason == oldComments:
		b.Kind, b.Comments, b.Reason, b.Context = BriefComments, b.Context, "", ""
	case b.From == "":
		b.Kind = BriefResplit
	default:
		b.Kind = BriefRole
	}
}
