//go:build soak

package repomap_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/repomap"
	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// Every file has a path of its own, in 100,000 folders.
func TestAMapOfTwoMillionFilesIsBounded(t *testing.T) {
	const blobs, files = 1000, 2_000_000
	dir := imported(t, func(w io.Writer) {
		for n := range blobs {
			text := strings.Repeat("// a line of a program\n", n%97+1)
			fmt.Fprintf(w, "blob\nmark :%d\ndata %d\n%s\n", n+1, len(text), text)
		}
		commit(w)
		for n := range files {
			fmt.Fprintf(w, "M 100644 :%d d%03d/e%03d/file%d.go\n", n%blobs+1, n%500, n/500%200, n)
		}
	})
	began := time.Now()
	m := read(t, dir)
	took := time.Since(began)
	t.Logf("%v\n%.500s", took, m.Text)
	checkLines(t, m.Text)
	if took > time.Minute { // it gives up after 20 s, and a busy machine needs some more
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(m.Text, "2000000 files in") && !strings.Contains(m.Text, "counting was ended here") {
		t.Errorf("%.300s", m.Text)
	}
}

// More names than git may print are cut off, and the map says so.
func TestMoreThanGitMayListIsCut(t *testing.T) {
	dir := imported(t, func(w io.Writer) {
		commit(w)
		file(w, "a.go", "package a\n")
	})
	exe := filepath.Join(t.TempDir(), "git")
	script := "#!/bin/sh\ncase \"$*\" in *ls-tree*) git \"$@\"; exec yes " + strings.Repeat("n", 10_000) + ";; *) exec git \"$@\";; esac\n"
	if err := e2etest.WriteProgram(exe, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	g := workspace.Git{Dir: t.TempDir()}
	g.Exe = exe
	c, err := g.HeadContents(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.List(t.Context(), func(workspace.Entry) {}); !errors.Is(err, workspace.ErrMany) {
		t.Errorf("%v", err)
	}
	m, err := repomap.ReadWithin(t.Context(), c, time.Minute, time.Minute)
	if err != nil || !strings.Contains(m.Text, "1 file in 0 folders") || !strings.Contains(m.Text, "counting was ended here") {
		t.Errorf("%+v, %v", m, err)
	}
}
