package e2etest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files; review the difference")

// Golden compares a text with a file below testdata that a person has reviewed. With
// the flag -update it writes the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	GoldenFile(t, filepath.Join("testdata", name), got)
}

// GoldenFile is Golden for a file at another place, such as a document that has examples.
func GoldenFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update and review:\n%s", path, diff)
	}
}
