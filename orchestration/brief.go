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
)

// Older versions stored no kind, only these sentences as the reason. Nothing writes them
// any more.
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
	for _, s := range q.Whole {
		s.carryOver()
	}
	for _, s := range q.Steps.All() {
		s.carryOver()
	}
}

func (s *Step) carryOver() {
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
