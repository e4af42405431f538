package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// meeting is two steps whose changes meet when the second one, late, is merged.
type meeting struct {
	early, late string // the files that they write
	ward        string
	mended      bool              // spiritmender has to help
	want        map[string]string // the files of the quest's branch in the end, lines sorted
}

// In each file every line is there once.
const lineByLine = `! grep -q '<<<' *.txt && for f in *.txt; do test -z "$(sort "$f" | uniq -d)" || exit 1; done`

var meetings = map[string]meeting{
	"update": {early: "early.txt", late: "late.txt", ward: lineByLine,
		want: map[string]string{"early.txt": "early\n", "late.txt": "late\n"}},
	"conflict": {early: "list.txt", late: "list.txt", ward: lineByLine, mended: true,
		want: map[string]string{"list.txt": "early\nlate\n"}},
	// Each is green by itself, both together are not.
	"red": {early: "early.txt", late: "late.txt", mended: true,
		ward: lineByLine + ` && { ! test -e early.txt || ! test -e late.txt || test -e both.txt; }`,
		want: map[string]string{"early.txt": "early\n", "late.txt": "late\n", "both.txt": "both\n"}},
}

// meetingScenario lets late do its work, but signal only when there is a file "go".
const meetingScenario = `
- role: codeweaver
  step: early
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS; echo early >>EARLY
    - tool: {name: signal-back, input: {signal: complete, summary: early}}
- role: codeweaver
  step: late
  do:
    - run: echo $QUESTBOARD_RUN_ID >>RUNS; grep -qx late LATE || echo late >>LATE; until test -e '%s/go'; do sleep 0.02; done
    - tool: {name: signal-back, input: {signal: complete, summary: late}}
- {role: siegemaster, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
- {role: lawbringer, do: [{run: echo $QUESTBOARD_RUN_ID >>RUNS}, {tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
- role: spiritmender
  do:
    - run: >
        echo $QUESTBOARD_RUN_ID >>RUNS;
        if test -e list.txt; then grep -v '^[<=>|]' list.txt >kept.tmp; mv kept.tmp list.txt; else echo both >both.txt; fi
    - tool: {name: signal-back, input: {signal: complete, summary: both}}
`

// kill is one moment of a meeting at which the server dies.
type kill struct {
	kind string
	plan
}

// always are the moments that every run of the tests tries, some of them with a second
// death soon after.
var always = []kill{
	{"update", plan{" commit-tree ", 1, "instead", 9}},              // the work is in the files alone, and told to be complete
	{"update", plan{" read-tree -m -u ", 1, "meanwhile", 0}},        // git goes on when the next server is there
	{"update", plan{"questboard: bring", 2, "instead", 0}},          // merged, and not remembered
	{"update", plan{"questboard: merge late", 1, "after", 5}},       // the quest's branch has moved, its files have not
	{"conflict", plan{" read-tree -m -u ", 1, "after", 0}},          // markers in the files, and nobody knows
	{"conflict", plan{"questboard: commit", 2, "instead", 12}},      // what spiritmender made is in the files alone
	{"conflict", plan{"questboard: merge late", 1, "meanwhile", 0}}, // the branch moves when the next server is there
	{"conflict", plan{"questboard: remove", 1, "after", 0}},         // the tree is gone
	{"update", plan{" index-pack ", 1, "after", 0}},                 // the user's repository has the work, and no branch leads to it
	{"update", plan{"questboard: publish", 1, "instead", 0}},        // merged, and not published
}

// The server is killed at one call of git after the other, from the moment when an
// agent has signalled that its work is done until the work is merged and its tree is
// removed. The next server continues and leaves nothing behind. A few calls are always
// tried. With QUESTBOARD_CHAOS all of them are, and most of the next servers die as
// well.
func TestAMergeSurvivesTheDeathOfItsServerAtAnyCallOfGit(t *testing.T) {
	t.Parallel()
	if os.Getenv("QUESTBOARD_CHAOS") == "" {
		for _, k := range always {
			t.Run(fmt.Sprintf("%s/%s/%d/%s", k.kind, k.words, k.nth, k.how), func(t *testing.T) {
				t.Parallel()
				if _, died := meet(t, k); !died {
					t.Error("there was no such call of git")
				}
			})
		}
		return
	}
	var deaths, calls atomic.Int64
	t.Run("all", func(t *testing.T) {
		for kind := range meetings {
			n := 0
			t.Run(kind+"/undisturbed", func(t *testing.T) { n, _ = meet(t, kill{kind: kind}) })
			calls.Add(int64(n))
			for i := range 3 * n {
				how := []string{"instead", "meanwhile", "after"}[i%3]
				t.Run(fmt.Sprintf("%s/%d/%s", kind, 1+i/3, how), func(t *testing.T) {
					t.Parallel()
					if _, died := meet(t, kill{kind, plan{nth: 1 + i/3, how: how, again: i % 20}}); died {
						deaths.Add(1)
					}
				})
			}
		}
	})
	t.Logf("the server died %d times at %d calls of git in %d kinds of merge", deaths.Load(), calls.Load(), len(meetings))
	if deaths.Load() < 2*calls.Load() {
		t.Error("there were too few calls of git")
	}
}

// meet plays a meeting with at most one death (none if nth is 0). It returns the number
// of calls of git, and whether the server died.
func meet(t *testing.T, k kill) (calls int, died bool) {
	m := meetings[k.kind]
	a := startAssassinated(t, strings.NewReplacer("EARLY", m.early, "LATE", m.late).Replace(meetingScenario))
	a.repo = busyUser(t)
	users := usersOwn(t, a.repo)
	a.quest = a.begin(a.repo, fmt.Sprintf(`,"workspace":"worktree","ward":%q,"plan":{"steps":[{"id":"early","title":"E","files":[%q]},{"id":"late","title":"L","files":[%q]}]}`,
		m.ward, m.early, m.late))
	done := func(q object, step string) bool {
		_, err := os.Stat(filepath.Join(treesGit(a.data, a.quest), "refs", "heads", "quest-steps", a.quest, step)) // goes last
		return named(q["steps"], step)["stage"] == "done" && errors.Is(err, fs.ErrNotExist)
	}
	a.until(a.quest, "early is merged, and late is at work", func(q object) bool { return done(q, "early") && goesOn("codeweaver", "late")(q) })
	over := func(q object) bool { return done(q, "late") }
	died = a.strike(k.plan, over)
	q := a.untilStatus(a.quest, "complete")
	a.assertTidy()
	a.assertGreen(q)
	a.assertOnce(q)
	assertUntouched(t, a.repo, users)
	for name, want := range m.want {
		lines := strings.SplitAfter(onBranch(t, a.repo, a.quest, name), "\n")
		if slices.Sort(lines); strings.Join(lines, "") != want {
			t.Errorf("%s on the quest's branch: %q; want %q", name, lines, want)
		}
	}
	if mended := len(ofStep(q, "spiritmender", "late")) > 0; mended != m.mended {
		t.Errorf("a spiritmender ran: %v; want %v", mended, m.mended)
	}
	return a.calls(), died
}
