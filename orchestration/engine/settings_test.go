package engine_test

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

func TestSettingsChangeInOnePieceAndOutliveARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		repos := []orchestration.RepoSettings{{Path: "/z", Setup: "npm ci"}, {Path: "/a", Links: []string{"node_modules"}, Copies: []string{".env"}}}
		if err := r.ChangeSettings(t.Context(), func(s *orchestration.Settings) {
			s.Slots, s.Editor, s.Repos = 7, "vscode://file{path}", repos
		}); err != nil {
			t.Fatal(err)
		}
		err := r.ChangeSettings(t.Context(), func(s *orchestration.Settings) { s.Editor, s.Slots = "", 65 })
		if orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("65 slots: %v, want a refusal", err)
		}
		r.stop()
		r.start()
		defer r.stop()
		s, err := r.Settings(t.Context())
		if err != nil || s.Slots != 7 || r.Slots() != 7 || s.Editor != "vscode://file{path}" {
			t.Errorf("%+v, %v: want what was set, and nothing of what was refused", s, err)
		}
		if len(s.Repos) != 2 || s.Repos[0].Path != "/a" || !slices.Equal(s.Repos[0].Copies, []string{".env"}) || s.Repos[1].Setup != "npm ci" {
			t.Errorf("repositories %+v, want both, by path", s.Repos)
		}
		s.Repos[0].Path = "/changed by a reader"
		if again, _ := r.Settings(t.Context()); again.Repos[0].Path != "/a" {
			t.Error("a reader changed the settings")
		}
	})
}
