package e2e_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The march is a quest of thirty steps in three chains, each step in its own tree. A
// step writes a file with its name and looks for that of the step before it. Three
// pairs of neighbours write into the same file, so that there are conflicts.
const marchSteps = 30

var marchScenario = `
- role: codeweaver
  do:
    - run: >
        ` + begins("codeweaver") + `; step=$(basename "$PWD"); before=$(printf 's%02d' $((1${step#s} - 103)));
        case $step in s00|s01|s02) ;; *) test -e $before || echo "$QUESTBOARD_RUN_ID lacks-$before codeweaver $step" >>'RUNS' ;; esac;
        echo $step >$step;
        case $step in s?0|s?1) grep -qsx $step both-${step%?} || echo $step >>both-${step%?} ;; esac; ` + ends("codeweaver") + `
    - sleep: 30ms
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
` + approvingReview("siegemaster") + approvingReview("lawbringer") + `
- role: spiritmender
  do:
    - run: >
        ` + begins("spiritmender") + `; for f in both-*; do grep -v '^[<=>|]' $f >kept.tmp; mv kept.tmp $f; done; ` + ends("spiritmender") + `
    - tool: {name: signal-back, input: {signal: complete, summary: both}}
`

// approvingReview returns the entry of a role that reviews and finds nothing.
func approvingReview(role string) string {
	return `
- role: ` + role + `
  do:
    - run: ` + begins(role) + "; " + ends(role) + `
    - tool: {name: signal-back, input: {signal: complete, summary: good}}`
}

// marchFiles returns the plan, and what the quest's branch must contain in the end,
// with the lines of each file sorted.
func marchFiles() (plan string, want map[string]string) { return marchOf(marchSteps) }

func marchOf(n int) (plan string, want map[string]string) {
	want = map[string]string{}
	var steps []string
	for i := range n {
		id, after, files := fmt.Sprintf("s%02d", i), "", fmt.Sprintf("%q", fmt.Sprintf("s%02d", i))
		want[id] = id + "\n"
		if i >= 3 {
			after = fmt.Sprintf(`"s%02d"`, i-3)
		}
		if i%10 < 2 {
			both := "both-" + id[:2]
			want[both] += id + "\n"
			files += fmt.Sprintf(",%q", both)
		}
		steps = append(steps, fmt.Sprintf(`{"id":%q,"title":"S","files":[%s],"dependsOn":[%s]}`, id, files, after))
	}
	return `,"plan":{"steps":[` + strings.Join(steps, ",") + `]}`, want
}

// The server is killed again and again, at random moments, until the quest is done.
// QUESTBOARD_RESTART_ROUNDS sets the least number of kills, and QUESTBOARD_RESTART_SEED
// repeats a march.
func TestAQuestSurvivesTheDeathOfItsServerAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds, seed := number(t, "QUESTBOARD_RESTART_ROUNDS", 8), number(t, "QUESTBOARD_RESTART_SEED", int(time.Now().Unix()))
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	plan, want := marchFiles()
	m := startMortal(t, marchScenario)
	m.slots = 3
	var users map[string]string
	begin := func() {
		m.repo = busyUser(t)
		users = usersOwn(t, m.repo)
		m.quest = m.begin(m.repo, plan+`,"workspace":"worktree","ward":"! grep -qs '^<<<' both-*"`)
	}
	begin()
	quests, deaths, cut, told := 1, 0, 0, 0
	check := func() {
		m.awaitLedger(math.MaxInt) // cheaper than reading the whole quest again and again
		q := m.untilStatus(m.quest, "complete")
		told += m.assertLedger(t, q)
		cut += m.assertOnce(q)
		m.assertTidy()
		m.assertBranch(want)
		assertUntouched(t, m.repo, users)
		if left := alive(t, m.quest); len(left) > 0 {
			t.Errorf("processes of %v live", left)
		}
	}
	// A quest without a death writes some 130 lines into the ledger: the few deaths of a short test are all in one.
	spread := min(max(180/rounds, 6), 22)
	for deaths < rounds {
		m.awaitLedger(len(m.ledger()) + 1 + random.IntN(spread))
		before := m.whole()
		if before["status"] == "complete" {
			check()
			begin()
			quests++
			continue
		}
		<-time.After(time.Duration(random.IntN(200)) * time.Millisecond) // a random moment
		m.dies(before)
		deaths++
	}
	check()
	t.Logf("%d deaths amid %d quests of %d steps: %d runs interrupted, %d signals told to be stored; the longest start took %v",
		deaths, quests, marchSteps, cut, told, m.longest.Round(time.Millisecond))
}

// awaitLedger waits until the ledger has that many lines or the last line of the quest.
func (m *mortal) awaitLedger(lines int) {
	m.t.Helper()
	var text []byte
	poll(m.t, 2*time.Minute, func() bool {
		text, _ = os.ReadFile(m.runs)
		return bytes.Count(text, []byte("\n")) >= lines || bytes.HasSuffix(text, []byte(" end lawbringer review\n"))
	}, func() string { return fmt.Sprintf("line %d of\n%s", lines, text) })
}

// assertBranch checks that the quest's branch contains these files. The order of their
// lines does not matter.
func (m *mortal) assertBranch(want map[string]string) {
	m.t.Helper()
	for name, text := range want {
		lines := strings.SplitAfter(onBranch(m.t, m.repo, m.quest, name), "\n")
		if slices.Sort(lines); strings.Join(lines, "") != text {
			m.t.Errorf("%s on the quest's branch: %q; want %q", name, lines, text)
		}
	}
}
