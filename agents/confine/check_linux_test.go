package confine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents/process"
)

var allDoors = []string{"the data directory", "a link called .git", "a repository that borrows objects",
	"files around our git", "the network of our git", "a filter that our git runs"}

// check tries the ways out of this place, and asserts that the trial left no files
// behind.
func (p *place) check() (shut []string, err error) {
	p.t.Helper()
	self, err := process.Self()
	if err != nil {
		p.t.Fatal(err)
	}
	p.sandbox.Process, p.sandbox.Path = process.Starter{Exe: self}, os.Getenv("PATH")
	shut, err = p.sandbox.Check(p.t.Context())
	for _, pattern := range []string{p.data + "/*sandbox-check*", p.data + "/*/*sandbox-check*"} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			p.t.Errorf("the check left %v", left)
		}
	}
	return shut, err
}

func TestAllDoorsAreTriedAndShut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.bubblewrap()
	began := time.Now()
	shut, err := p.check()
	if err != nil || !slices.Equal(shut, allDoors) {
		t.Errorf("%q %v", shut, err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The path of the data directory may contain a link.
func TestDoorsAreTriedBehindALink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.bubblewrap()
	if err := os.Symlink(p.data, p.root+"/link"); err != nil {
		t.Fatal(err)
	}
	p.sandbox.Data = p.root + "/link"
	if shut, err := p.check(); err != nil || !slices.Equal(shut, allDoors) {
		t.Errorf("%q %v", shut, err)
	}
}

// mounting is a faulty confine.Git: it gives worktrees the user's own git directory.
type mounting struct {
	layouts
	data string
}

func (m mounting) TreesGit(quest string) (string, error) {
	return filepath.Join(m.data, quest, "prepared", ".git"), nil
}

func TestAnOpenDoorIsNamed(t *testing.T) {
	t.Parallel()
	const unwrapped = `cd "$(echo "$*" | sed 's/.*--chdir \([^ ]*\).*/\1/')"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"`
	for name, c := range map[string]struct {
		script string // runs instead of bubblewrap; REAL is bubblewrap, DATA the data directory
		git    bool
		open   []string
	}{
		"nothing is confined":  {script: unwrapped, open: allDoors[:1]},
		"our git is not":       {script: `case " $* " in *" --unshare-net "*) ` + unwrapped + `;; esac; exec REAL "$@"`, open: allDoors[3:]},
		"our git is on line":   {script: `for a; do shift; [ "$a" = --unshare-net ] || set -- "$@" "$a"; done; exec REAL "$@"`, open: allDoors[4:5]},
		"a link does not stay": {script: `REAL "$@"; code=$?; rm -f "$(echo "$*" | sed 's/.*--chdir \([^ ]*\).*/\1/')/.git"; exit $code`, open: allDoors[1:2]},
		"it fails otherwise": {script: `REAL "$@"; code=$?; rm -f "$(echo "$*" | sed 's/.*--chdir \([^ ]*\).*/\1/')/.git"; for f in DATA/sandbox/*-shared*; do [ ! -f "$f" ] || echo x >"$f"; done; exit $code`,
			open: allDoors[1:2]},
		"git of the user's": {script: `exec REAL "$@"`, git: true, open: allDoors[2:3]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.bubblewrap()
			script := p.root + "/bwrap"
			p.write(script, "#!/bin/sh\n"+strings.NewReplacer("REAL", p.sandbox.Bwrap, "DATA", p.data).Replace(c.script)+"\n")
			if err := os.Chmod(script, 0o755); err != nil {
				t.Fatal(err)
			}
			p.sandbox.Bwrap = script
			if c.git {
				p.sandbox.Git = mounting{data: p.data}
			}
			shut, err := p.check()
			if err == nil || !strings.Contains(err.Error(), "start without -sandbox") {
				t.Fatalf("%q %v", shut, err)
			}
			for _, door := range allDoors {
				named := strings.Contains(err.Error(), door+": ") || door == allDoors[0] && strings.Contains(err.Error(), "could read "+p.data)
				if named != slices.Contains(c.open, door) || named && slices.Contains(shut, door) {
					t.Errorf("%q: named %v, shut %q: %v", door, named, shut, err)
				}
			}
		})
	}
}
