package orchestration

// Role says what a run does for its quest. Ward is the project's own check
// command and no agent; every other role is one. A string type, because it is
// stored and spoken over every wire.
type Role string

const (
	// ChaosWhisperer writes the BDD requirements and locks them.
	ChaosWhisperer Role = "chaoswhisperer"
	// PathSeeker maps files and writes steps; it also re-splits a step.
	PathSeeker Role = "pathseeker"
	// Codeweaver implements one step with its unit tests.
	Codeweaver Role = "codeweaver"
	// Ward runs the project's check command.
	Ward Role = "ward"
	// Siegemaster tests the edges of a step that passed ward.
	Siegemaster Role = "siegemaster"
	// Spiritmender mends what ward or a reviewer found.
	Spiritmender Role = "spiritmender"
	// Lawbringer reviews the whole work.
	Lawbringer Role = "lawbringer"
)

// Roles lists every role in the order of a quest's life.
var Roles = []Role{ChaosWhisperer, PathSeeker, Codeweaver, Ward, Siegemaster, Spiritmender, Lawbringer}

// Name is what people call the role; a role that nobody knows is called what it is.
func (r Role) Name() string {
	switch r {
	case ChaosWhisperer:
		return "ChaosWhisperer"
	case PathSeeker:
		return "PathSeeker"
	case Codeweaver:
		return "Codeweaver"
	case Ward:
		return "Ward"
	case Siegemaster:
		return "Siegemaster"
	case Spiritmender:
		return "Spiritmender"
	case Lawbringer:
		return "Lawbringer"
	default:
		return string(r)
	}
}

// Agent reports whether the role is played by an agent, that is, not by ward.
func (r Role) Agent() bool { return r != Ward && r != "" }

// Writes reports whether a run of this role may change the working tree.
// Ward counts as a reader: what it leaves behind (build output) is ignored.
func (r Role) Writes() bool {
	switch r {
	case Codeweaver, Siegemaster, Spiritmender, Lawbringer:
		return true
	default:
		return false
	}
}
