package harness_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"questboard/e2e/e2etest"
)

var (
	full  = flag.Bool("full", false, "play every pair with every seed, and go on where an earlier run stopped")
	write = flag.Bool("write", false, "write the tables into docs/process.md")
	from  = flag.String("results", "", "take the results of this file and play nothing")
)

// How many seeds there are: of the ways for which much is promised, and of the others.
const (
	everySeed = 25
	fewSeeds  = 5
)

// edition counts up when agents or arms change, so that no run goes on with results of others.
const edition = 2

// played plays all that is not played yet. The results so far lie below bin, by what they depend on.
func played(t *testing.T) results {
	t.Helper()
	if *from != "" {
		return stored(t, *from)
	}
	server, err := e2etest.Server()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	fmt.Fprintln(sum, edition, string(chancesFile))
	for _, p := range allPairs(t) {
		fmt.Fprintln(sum, p.name, p.files, p.tests, p.kind)
	}
	exe, err := os.Open(server)
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	if _, err := io.Copy(sum, exe); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "bin", "harness", hex.EncodeToString(sum.Sum(nil))[:12]+".jsonl")
	tell, closed, err := journal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	w, err := newWorld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.runParts(t.Context(), parts(arms(), fewSeeds, everySeed), allPairs(t), stored(t, file), tell); err != nil {
		t.Fatalf("%v\nrun it again: it goes on where it stopped", err)
	}
	return stored(t, file)
}

func stored(t *testing.T, file string) results {
	t.Helper()
	all, err := readResults(file)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
