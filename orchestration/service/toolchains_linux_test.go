package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"questboard/agents/confine"
)

// With a sandbox a program is asked where runs are: it does not see what they do not see.
func TestToolsAreAskedInTheSandbox(t *testing.T) {
	t.Parallel()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	home := t.TempDir()
	secret := filepath.Join(home, "secret")
	write(t, secret, "a secret\n")
	_, bin := tools(t, map[string]string{"go": `[ -r ` + secret + ` ] && read -r line <` + secret + `
		[ -e /proc/self/exe ] && echo "go version 1 $line."`})
	for _, c := range []struct {
		said    string
		confine func() []string
	}{
		{"go version 1 a secret.", nil},
		{"go version 1 .", (&confine.Sandbox{Bwrap: bwrap, Data: t.TempDir(), Home: home, Path: bin}).Probe},
	} {
		set, _ := tools(t, nil)
		set.Environ, set.Confine = []string{"PATH=" + bin}, c.confine
		if is := tool(t, set.Of(t.Context(), goAndNode, "/srv/shop"), "go"); is.Version != c.said {
			t.Errorf("%+v, want %q", is, c.said)
		}
	}
}
