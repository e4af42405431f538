package orchestration

// Baseline is what ward said of the tree that the first steps start from
// (worktree mode). What fails there is an old fault.
type Baseline string

const (
	BaselineOff      Baseline = ""         // never asked for: shared tree, or no check
	BaselinePending  Baseline = "pending"  // no step starts before it is known
	BaselineGreen    Baseline = "green"    //
	BaselineRed      Baseline = "red"      // Spiritmender is told what was known
	BaselineAccepted Baseline = "accepted" // red, and old faults are not blamed on steps
)

func (e *edit) acceptBaseline() error { return conflict("there is nothing to accept yet") }
