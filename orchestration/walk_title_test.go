package orchestration_test

import (
	"fmt"
	"strings"

	"questboard/orchestration"
)

// write lets ChaosWhisperer store the requirements, now and then with a title, and before
// that with one that is refused.
func (w *walk) write(r *orchestration.Run) {
	f := orchestration.RequirementsSet{Run: r.ID, Requirements: w.changedRequirements()}
	if w.one("no good title", 8) {
		bad := f
		title := []string{" ", strings.Repeat("long", 16), "two\nlines", "un\u200bseen"}[w.pick("title", 4)]
		if bad.Title = &title; w.apply(bad) == nil {
			w.rt.Fatalf("the title %q is accepted", title)
		}
		w.cov.add("refused: title")
	}
	if w.one("a title", 2) {
		title := fmt.Sprint("Title ", w.q.Version)
		f.Title = &title
		w.cov.add(map[bool]string{true: "title: the person's stays", false: "title: the agent's"}[w.m.titled])
	}
	w.must(f)
}

// entitled: the quest has the title of the user, or else the last one of ChaosWhisperer.
func (m *model) entitled(prev, q *orchestration.Quest, f orchestration.InputKind) error {
	want := prev.Title
	switch f := f.(type) {
	case orchestration.RequirementsSet:
		if f.Title != nil && !m.titled {
			want = *f.Title
		}
	case orchestration.QuestEdited:
		if f.Title != nil {
			want, m.titled = *f.Title, true
		}
	}
	if q.Title != want {
		return fmt.Errorf("the quest is called %q, want %q", q.Title, want)
	}
	return nil
}
