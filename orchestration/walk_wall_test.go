package orchestration_test

import (
	"pgregory.net/rapid"

	"questboard/orchestration"
)

// wall lets Siegemaster and Lawbringer name the wall at which they ask. Without one, or
// with a word that is no wall, they are refused; any other role is refused with one.
func (w *walk) wall(r *orchestration.Run, s *orchestration.Signal) {
	walls := []orchestration.Wall{"network", "tool", "port", "credential", "other"}
	judge := r.Role == orchestration.Siegemaster || r.Role == orchestration.Lawbringer
	if w.one("the wrong wall", 3) {
		wrong := *s
		switch {
		case !judge:
			wrong.Wall = rapid.SampledFrom(walls).Draw(w.rt, "wall")
		case w.one("no word for a wall", 2):
			wrong.Wall = "no idea"
		}
		if err := w.apply(orchestration.SignalReceived{Run: r.ID, Signal: wrong}); err == nil {
			w.rt.Fatalf("%s asked with the wall %q", r.Role, wrong.Wall)
		}
		w.cov.add(map[bool]string{true: "refused: no wall", false: "refused: a wall"}[judge])
	}
	if judge {
		s.Wall = rapid.SampledFrom(walls).Draw(w.rt, "wall")
		w.cov.add("asks: at a wall")
	}
}
