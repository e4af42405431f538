package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

// seekBytes is what one search may read.
const seekBytes = 512 << 20

func TestSeekReadsOnlySoMuchForAllEvidenceTogether(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	dir := sow(t, map[string]string{"a.go": strings.Repeat("a", size-10) + "\nTestGreet"})
	for _, e := range []orchestration.Evidence{
		{Kind: orchestration.ByPlace, How: "a.go:2"}, {Kind: orchestration.ByTest, How: "a.go::TestGreet"},
	} {
		evidence := make([]orchestration.Evidence, 2000)
		for i := range evidence {
			evidence[i] = e
		}
		read := 0
		for i, f := range workspace.Seek(t.Context(), dir, evidence) {
			if f.Is {
				read += size
			} else if !strings.Contains(f.Why, "took too long or had to read too much") {
				t.Fatalf("the %s %d: %s", e.Kind, i, f.Why)
			}
		}
		if read == 0 || read > seekBytes {
			t.Errorf("the %s was read from %d MiB", e.Kind, read>>20)
		}
	}
}

// The name fits at every byte of the file, and nowhere as a word.
func TestSeekEndsWithItsTime(t *testing.T) {
	t.Parallel()
	calls := 0
	text := []byte(strings.Repeat("a", 4<<20))
	if workspace.Holds(text, strings.Repeat("a", 1000), endsAfter(&calls, 50)) || calls != 51 {
		t.Errorf("the text has the word, or the search went on: %d calls", calls)
	}
	dir := sow(t, map[string]string{"a.go": "TestGreet\n"})
	for _, how := range []string{"a.go::TestGreet", "TestGreet"} {
		ended, end := context.WithCancel(t.Context())
		end()
		found := workspace.Seek(ended, dir, []orchestration.Evidence{
			{Kind: orchestration.ByTest, How: how}, {Kind: orchestration.ByPlace, How: "a.go:1"},
		})
		for i, f := range found {
			if f.Is || !strings.Contains(f.Why, "took too long") {
				t.Errorf("evidence[%d] with %s: %+v", i, how, f)
			}
		}
	}
}

func TestSeekReadsAFolderInParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir, "f", 5000)
	calls := 0
	if n, whole := workspace.Files(dir, endsAfter(&calls, 2)); n != 2000 || whole {
		t.Errorf("when the time was over it had listed %d files; whole: %v", n, whole)
	}
	calls = 0
	if n, whole := workspace.Files(dir, endsAfter(&calls, 1000)); n != 5000 || !whole {
		t.Errorf("it listed %d files of 5000; whole: %v", n, whole)
	}
	if os.Getenv("QUESTBOARD_TREES") == "" { // `make soak-trees`
		return
	}
	fill(t, dir, "g", 295_000)
	calls = 0
	if n, whole := workspace.Files(dir, endsAfter(&calls, 1<<20)); n != 200_000 || whole || calls > 210 {
		t.Errorf("it listed %d files of 300,000 in %d parts; whole: %v", n, calls, whole)
	}
}

func TestSeekKeepsOnlySoManyBytesOfPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat(strings.Repeat("d", 245)+"/", 15))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal("no long paths here:", err)
	}
	fill(t, deep, "f", 9500)
	calls, path := 0, len(deep)-len(dir)
	if n, whole := workspace.Files(dir, endsAfter(&calls, 1000)); n == 0 || n*path > 32<<20 || whole {
		t.Errorf("it keeps %d files with paths of %d bytes; whole: %v", n, path, whole)
	}
}

// endsAfter returns what ends a search after so many calls.
func endsAfter(calls *int, most int) func() error {
	return func() error {
		if *calls++; *calls > most {
			return os.ErrDeadlineExceeded
		}
		return nil
	}
}

// fill puts so many empty files into a folder.
func fill(t *testing.T, dir, prefix string, count int) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for n := range count {
		f, err := root.Create(fmt.Sprint(prefix, n))
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
}
