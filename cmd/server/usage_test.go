package main

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"testing"
)

// environment is getenv for a map, with a HOME.
func environment(values map[string]string) func(string) string {
	home := map[string]string{"HOME": "/home/quest"}
	return func(name string) string { return cmp.Or(values[name], home[name]) }
}

// said returns everything that a command line prints, with its exit code.
func said(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), args, world{getenv: environment(nil), stdout: &out, stderr: &out})
	return out.String(), code
}

// The program is installed as questboard, so messages must use that name.
func TestHelpAndRefusalsNameTheProgramThatPeopleStart(t *testing.T) {
	t.Parallel()
	other := regexp.MustCompile("(?m)^server|: server|`server")
	lines := [][]string{{"help"}, {"quest"}, {"serve", "-nonsense"}, {"export", "-data", t.TempDir(), "q1"}}
	for _, c := range commands() {
		if !c.hidden {
			lines = append(lines, []string{c.name, "-help"})
		}
	}
	for _, line := range lines {
		text, _ := said(t, line...)
		if found := other.FindString(text); found != "" || !strings.Contains(text, "questboard") {
			t.Errorf("%q says %q in:\n%.300s", line, found, text)
		}
	}
}

func TestTheDemosHelpTellsItsOwnDefaults(t *testing.T) {
	t.Parallel()
	text, code := said(t, "demo", "-help")
	for _, part := range []string{"(default simulated)", "(default a temporary one)"} {
		if !strings.Contains(text, part) {
			t.Errorf("exit %d, %q is missing", code, part)
		}
	}
	if text, _ := said(t, "serve", "-help"); !strings.Contains(text, "(default claude)") || !strings.Contains(text, "(default $XDG_DATA_HOME/questboard)") {
		t.Error("serve does not tell its own defaults")
	}
}
