package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"questboard/failpoint"
	"questboard/orchestration"
)

// A strike waits for an event or effect by the name of its type, so that a type
// that is renamed would never be struck.
func TestFailpointsNameTypesThatExist(t *testing.T) {
	t.Parallel()
	var names []string
	for _, passed := range []any{
		orchestration.ProcessStarted{}, orchestration.SessionOpened{}, orchestration.SignalReceived{}, orchestration.RunExited{}, orchestration.MergeEnded{},
		orchestration.StartRun{}, orchestration.EndRun{}, orchestration.MergeStep{}, orchestration.ReleaseStep{},
	} {
		_, name, _ := strings.Cut(fmt.Sprintf("%T", passed), ".")
		names = append(names, name)
	}
	var struck []string
	for _, place := range failpoint.Places() {
		for _, point := range []failpoint.Point{failpoint.Stored, failpoint.Effect} {
			if kind, is := strings.CutPrefix(place.Name, string(point)+" "); is {
				struck = append(struck, kind)
			}
		}
	}
	slices.Sort(names)
	slices.Sort(struck)
	if !slices.Equal(struck, names) {
		t.Errorf("failpoints wait for %v, the types are %v", struck, names)
	}
}
