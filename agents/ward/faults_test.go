package ward_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

var rewrite = flag.Bool("rewrite", false, "write what came out as what is wanted")

// play returns the output of a tool's n-th run. Everything that differs from run to run
// (times, places, addresses) depends on n. With more, something else failed as well.
func play(text, dir string, n int, more bool) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest, extra := strings.CutPrefix(line, "@more@")
		if !extra || more {
			b.WriteString(rest)
		}
	}
	text = regexp.MustCompile(`@(\d)\|(\d)@`).ReplaceAllStringFunc(b.String(), func(s string) string {
		if more {
			return s[3:4]
		}
		return s[1:2]
	})
	return strings.NewReplacer("@n@", fmt.Sprint(10+31*n), "@t@", fmt.Sprintf("%d.%02d", n, 7*n), "@x@", fmt.Sprintf("%x", 4096*n+171),
		"@pid@", fmt.Sprint(4000+n), "@DIR@", dir, "@esc@", "\x1b", "@bel@", "\a", "@cr@", "\r").Replace(text)
}

func (r rig) faults(t *testing.T, output string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "output")
	if err := os.WriteFile(file, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, _ := r.run(t, newSpec("cat '"+file+"'; exit 1"))
	if ended.End != orchestration.EndWardFailed {
		t.Fatalf("ended %+v", ended)
	}
	return ended.Exit.Faults
}

// The faults of every known tool are in a golden file that people have reviewed. They
// are the same in another tree at another time, and a further failure adds a fault.
func TestTheFaultsOfATool(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/faults/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			here, elsewhere := newRig(t), newRig(t)
			got := here.faults(t, play(string(text), here.dir, 1, false))
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if *rewrite {
				if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, "\n")+"\n" != string(want) {
				t.Errorf("faults:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
			}
			if again := elsewhere.faults(t, play(string(text), elsewhere.dir, 2, false)); !slices.Equal(got, again) {
				t.Errorf("another run of the same:\n%s\nfirst:\n%s", strings.Join(again, "\n"), strings.Join(got, "\n"))
			}
			more := elsewhere.faults(t, play(string(text), elsewhere.dir, 3, true))
			if len(more) <= len(got) {
				t.Errorf("one more fault is not seen:\n%s", strings.Join(more, "\n"))
			}
			for _, old := range got {
				if !slices.Contains(more, old) {
					t.Errorf("beside a new fault the old one reads otherwise: %s\nin\n%s", old, strings.Join(more, "\n"))
				}
			}
		})
	}
}

func TestFaultsAreNilWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"a check that passed":           "echo FAIL x",
		"a check that says nothing":     "exit 1",
		"a check that could not run":    "echo FAIL x; no-such-command",
		"more than a list holds":        `i=0; while [ $i -lt 501 ]; do echo "FAIL case-$i"; i=$((i+1)); done; exit 1`,
		"more bytes than a list holds":  `for i in $(seq 40); do echo "FAIL $i $(head -c 1990 /dev/zero | tr '\0' x)"; done; exit 1`,
		"much output without any fault": `i=0; while [ $i -lt 501 ]; do echo "widget $i"; i=$((i+1)); done; exit 1`,
		"one fault, over and over":      `i=0; while [ $i -lt 6000 ]; do echo "FAIL x"; i=$((i+1)); done; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := newRig(t).run(t, newSpec(command)); got.Exit.Faults != nil {
				t.Errorf("%d faults: %.100q", len(got.Exit.Faults), got.Exit.Faults)
			}
		})
	}
}

func TestFaultsAreFoundInAnOutputOfAnyLength(t *testing.T) {
	t.Parallel()
	got := newRig(t).faults(t, strings.Repeat("nothing to see here\n", 30_000)+"FAIL case\n"+strings.Repeat("x", 3<<20)+"\nFAIL other\n")
	if !slices.Equal(got, []string{"FAIL case", "FAIL other"}) {
		t.Errorf("faults %.200q", got)
	}
}

// Lines that mean different faults stay different.
func TestFaultsKeepWhatMeansSomething(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, pair := range [][2]string{
		{"2 failing", "1 failing"},
		{"FAIL case-1", "FAIL case-2"},
		{"FAILED a_test.py::test_x[1]", "FAILED a_test.py::test_x[2]"},
		{"Error: expected 3", "Error: expected 4"},
		{"a.c:3:5: error: x", "b.c:3:5: error: x"},
		{"panic: index out of range [3] with length 3", "panic: index out of range [4] with length 4"},
	} {
		one, two := r.faults(t, pair[0]), r.faults(t, pair[1])
		if len(one) != 1 || slices.Equal(one, two) {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], one)
		}
	}
}
