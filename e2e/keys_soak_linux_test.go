//go:build soak

package e2e_test

import (
	"fmt"
	"testing"
)

// One by one, so that no key hides another.
func TestEveryKeyOfGitsConfigurationByItself(t *testing.T) {
	t.Parallel()
	a := newKeyPrograms(t)
	good, refused := a.acceptable(a.settings())
	all := append(good, refused...)
	for name, flags := range map[string][]string{"plain": nil, "sandbox": {"-sandbox"}} {
		if flags != nil {
			needSandbox(t)
		}
		for first := 0; first < len(all); first += 40 {
			part := all[first:min(first+40, len(all))]
			t.Run(fmt.Sprintf("%s/%s", name, part[0].key), func(t *testing.T) {
				s := startTraced(t, keysScenario, append(flags, "-slots", "4")...)
				for _, one := range part {
					if complaints := s.keyed(t, a, []setting{one}); len(complaints) > 0 {
						t.Logf("%s = %s: %v", one.key, one.values[0], complaints)
					}
				}
				found, ours := s.strangers(keysCheck)
				t.Logf("%d keys, %d calls of git", len(part), ours)
				report(t, found)
			})
		}
	}
}
