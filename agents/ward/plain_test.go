package ward_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"questboard/agents/ward"
	"questboard/orchestration"
)

// The first lines that say what failed are told as they were printed, each fault once.
func TestWhatFailedIsToldFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got, _ := r.run(t, newSpec(`echo fine; echo 'a.go:12:3: undefined: x'; echo '--- FAIL: TestA (0.01s)'; echo '    a_test.go:3: boom'; echo '--- FAIL: TestA (0.02s)'; printf '\033[31mFAIL\033[0m b.ts\n'; exit 1`))
	if want := []string{"a.go:12:3: undefined: x", "--- FAIL: TestA (0.01s)", "FAIL b.ts"}; !slices.Equal(got.Exit.Failing, want) || got.Exit.MoreFailing != 0 {
		t.Errorf("told %q, and %d more", got.Exit.Failing, got.Exit.MoreFailing)
	}
	if got.Exit.Took <= 0 {
		t.Errorf("it took %v", got.Exit.Took)
	}
	got, _ = r.run(t, newSpec(`i=0; while [ $i -lt 70 ]; do echo "--- FAIL: Test${i}`+strings.Repeat("x", 400)+`"; i=$((i+1)); done; exit 1`))
	if x := got.Exit; len(x.Failing) != 50 || x.MoreFailing != 20 || len(x.Failing[0]) > 310 {
		t.Errorf("told %d lines, and %d more; the first is %q", len(x.Failing), x.MoreFailing, x.Failing[0])
	}
	for command, end := range map[string]orchestration.End{"echo 'FAIL x'": orchestration.EndWardPassed, "echo; echo hm; exit 1": orchestration.EndWardFailed} {
		if got, _ := r.run(t, newSpec(command)); got.End != end || len(got.Exit.Failing) > 0 {
			t.Errorf("%s: %v told %q", command, got.End, got.Exit.Failing)
		}
	}
}

func TestTheOutputAsPlainText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := newSpec(`echo out; echo err >&2; printf '\377<\033[31mred\033[0m>\n\n'; head -c 3000000 /dev/zero | tr '\0' x; exit 3`)
	r.run(t, spec)
	path, err := r.logs.PlainText(spec.RunID, ward.PlainText)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := "out\nerr\n\uFFFD<red>\n\n" + strings.Repeat("x", 3_000_000) + "\n"; err != nil || string(text) != want {
		t.Errorf("%d bytes, %v: %.60q", len(text), err, text)
	}
}

func TestWhatACheckLeftOut(t *testing.T) {
	t.Parallel()
	output := strings.Join([]string{
		"ok", "=== RUN   TestA", "    --- SKIP: TestRoot (0.00s)", "        a_test.go:12: root may do everything", "--- SKIP: TestSilent (0.00s)", "PASS",
		"SKIPPED [2] tests/test_a.py:3: needs a network", "test_b (x.B) ... skipped 'no display'", "ok 3 - paint # SKIP no colours", "ok 4 - draw # SKIP",
		"test net::dials ... ignored, no network", "test net::quiet ... ignored", "skipped 3 tests",
	}, "\n")
	want := []string{"TestRoot: root may do everything", "SKIPPED [2] tests/test_a.py:3: needs a network", "test_b (x.B) ... skipped 'no display'",
		"ok 3 - paint # SKIP no colours", "test net::dials ... ignored, no network"}
	if got, err := ward.LeftOut(strings.NewReader(output)); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "SKIPPED [1] t.py:%d: %s\n", i, strings.Repeat("ä", 500))
	}
	if got, err := ward.LeftOut(strings.NewReader(many.String())); err != nil || len(got) != 20 || len(got[0]) > 310 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}
