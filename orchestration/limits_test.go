package orchestration_test

import (
	"reflect"
	"testing"

	"questboard/orchestration"
)

// A new limit is in the type, and can be forgotten where the limits are gone through.
func TestALimitThatIsNotSetIsTakenFromOthers(t *testing.T) {
	t.Parallel()
	for i := range reflect.TypeFor[orchestration.Limits]().NumField() {
		name := reflect.TypeFor[orchestration.Limits]().Field(i).Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(n int64) (l orchestration.Limits) {
				reflect.ValueOf(&l).Elem().Field(i).SetInt(n)
				return l
			}
			if got := (orchestration.Limits{}).Or(of(7)); got != of(7) {
				t.Errorf("without a limit, beside 7 of others: %+v; add it to each (budget.go)", got)
			}
			if got := of(3).Or(of(7)); got != of(3) {
				t.Errorf("with 3, beside 7 of others: %+v", got)
			}
			if got := of(7).Without(of(7)); got != of(0) {
				t.Errorf("7 without the 7 that others have, too: %+v", got)
			}
			n := newQuest()
			n.Limits = of(-1)
			if _, err := orchestration.Create(n); orchestration.CodeOf(err) != orchestration.CodeInvalid {
				t.Errorf("a quest with a limit of -1: %v, want it refused", err)
			}
		})
	}
}
