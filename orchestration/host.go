package orchestration

import (
	"fmt"
	"slices"
	"strings"
)

// Workplace says on which machine a quest's agents and checks work. All of a quest works on
// one host, because its working trees and the sessions of its agents are there.
type Workplace struct {
	Host  string `json:"host,omitempty"`  // "": the server's own machine
	Moves int    `json:"moves,omitempty"` // how many times the quest went to another host
	// Labels are those that a host must have.
	Labels []string `json:"labels,omitempty"`
}

// IsZero reports whether the quest works on the server's own machine and always did.
func (w Workplace) IsZero() bool { return w.Host == "" && w.Moves == 0 && len(w.Labels) == 0 }

// HostOffer is what a host offers for one quest.
type HostOffer struct {
	Name   string   // "": the server's own machine
	Labels []string // what its operator says of it
	Slots  int      // how many agents run at once there
	Quests int      // how many quests that are not over work there
	// Obstacle says why it can take nothing new now; "": it can.
	Obstacle string
}

// lacks says why the host does not fit; "": it does.
func (o HostOffer) lacks(labels []string) string {
	var missing []string
	for _, l := range labels {
		if !slices.Contains(o.Labels, l) {
			missing = append(missing, l)
		}
	}
	switch {
	case len(missing) > 0:
		return "has no label " + strings.Join(missing, ", ")
	case o.Slots <= 0:
		return "has no slots"
	}
	return o.Obstacle
}

// ChooseHost returns the host for a quest: of those that fit, the one with the fewest quests
// for its slots, and among equals the one that was named first. The error says why none fits.
func ChooseHost(labels []string, offers []HostOffer) (string, error) {
	best := -1
	var lacks []string
	for i, o := range offers {
		if why := o.lacks(labels); why != "" {
			lacks = append(lacks, hostName(o.Name)+" "+why)
			continue
		}
		if best < 0 || o.Quests*offers[best].Slots < offers[best].Quests*o.Slots {
			best = i
		}
	}
	if best < 0 {
		why := fmt.Sprintf("no host can take this quest: %s", strings.Join(lacks, "; "))
		return "", &Error{Code: CodeConflict, Message: why, Fields: map[string]string{FieldRunsOn: why}}
	}
	return offers[best].Name, nil
}

// FieldRunsOn is the field that a refusal names if no host can take a quest.
const FieldRunsOn = "runsOn"

// hostName returns the words for a host.
func hostName(host string) string {
	if host == "" {
		return "the server's own machine"
	}
	return host
}

// CheckLabel says what is wrong with a label, or with the name of a host; "": nothing.
func CheckLabel(label string) string {
	ok := label != "" && len(label) <= 40 && strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
	if !ok {
		return fmt.Sprintf("%.60q: 1 to 40 of a-z, 0-9, '.', '-' and '_'", label)
	}
	return ""
}

// HostChosen moves a quest to another host. No run of it may be alive.
type HostChosen struct {
	Host string // "": the server's own machine
	Why  string // in words
}

func (HostChosen) inputKind() {}

// MayMove reports whether the quest can go to another host now.
func (q *Quest) MayMove() bool { return !q.Over() && q.rooted() == nil }

// mayMove says why a quest cannot go to another host now.
func (q *Quest) mayMove(f HostChosen) error {
	switch {
	case q.Workplace.Host == f.Host:
		return errRepeat
	default:
		return q.rooted()
	}
}

// rooted says why a quest must stay where it is.
func (q *Quest) rooted() error {
	switch {
	case q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest work in the repository itself, which is on the server's own machine")
	case q.anyInHand():
		return conflict("a person works on a step of this quest, on %s", hostName(q.Workplace.Host))
	case q.anyLive():
		return conflict("a run of this quest is alive on %s", hostName(q.Workplace.Host))
	}
	return nil
}

// anyInHand reports whether a person has taken over a step: their work is in its tree.
func (q *Quest) anyInHand() bool {
	for _, s := range q.Steps.All() {
		if q.InHand(s.ID) {
			return true
		}
	}
	return false
}

func (q *Quest) anyLive() bool {
	return slices.ContainsFunc(q.OpenRuns(), (*Run).Live)
}

// move records that the quest works on another host from now on. Its branches go there; the
// sessions of its agents stay behind, and runs that would have resumed them begin fresh ones.
func (e *edit) move(f HostChosen) {
	from := e.q.Workplace.Host
	e.q.Workplace.Host, e.touched = f.Host, true
	e.q.Workplace.Moves++
	e.event(EventQuestMoved, "", "", "from", hostName(from), "host", hostName(f.Host), "why", f.Why)
}
