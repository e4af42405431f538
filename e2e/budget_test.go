package e2e_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// thrifty is a scenario whose agents send a message now and then. A model's next message comes
// later than its words for the server, so the stand-in pauses, too.
const thrifty = `
- role: codeweaver
  visit: 1
  do:` + thriftyTurns + thriftyTurns + thriftyEnd + `
- role: codeweaver
  do:` + thriftyTurns + thriftyEnd + `
- {role: siegemaster, do: [{sleep: 500ms}, {tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
- {role: lawbringer, do: [{sleep: 500ms}, {tool: {name: signal-back, input: {signal: complete, summary: fits}}}]}
`

const (
	thriftyTurns = "\n    - run: 'true'\n    - sleep: 500ms\n    - run: 'true'\n    - sleep: 500ms"
	thriftyEnd   = "\n    - tool: {name: signal-back, input: {signal: complete, summary: written}}"
)

// What one message of the stand-in costs, as far as it tells that while it works: what it wrote is
// told at its end. And how long a run may go on at its share of the
// time: five seconds for its result, and what a busy machine takes to notice.
var aMessage = map[string]float64{"Usd": 0.0015, "Tokens": 1201, "Hours": (5 + 20) / 3600.0}

// docs/state-machine.md#budgets: with real processes no budget is exceeded by more than one
// message of each live run, whatever it measures and whether it is of a quest, of the day or of
// the server. What was ended goes on in the same session, and when the budget is raised, so does
// the quest. `make soak-budgets` plays a thousand.
func TestRealProcessesKeepTheirBudgets(t *testing.T) {
	t.Parallel()
	quests := 10
	if text := os.Getenv("QUESTBOARD_BUDGETS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		quests = n
	}
	for of, part := range map[string]float64{"quest": 0.7, "day": 0.15, "server": 0.15, hours: 0.01} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			b := &budgeted{apiServer: startAPI(t, opening[of]+thrifty, "-slots", fmt.Sprint(slotsOfAll)), repo: apiRepo(t), of: of, sessions: map[string]bool{}, counts: map[string]int{}}
			b.play(int(math.Ceil(part * float64(quests))))
		})
	}
}

const (
	slotsOfAll = 12
	// hours are those of a quest, apart from its other measures: the least budget of time is 36 s,
	// and only agents of many steps use that up in a moment.
	hours = "hours of a quest"
)

// opening is put before the scenario: first visits that go on until they are ended.
var opening = map[string]string{hours: "- {role: codeweaver, visit: 1, do: [{say: I look.}, {sleep: 1m}]}"}

// budgeted is a server whose quests have budgets, or that has one itself.
type budgeted struct {
	*apiServer
	repo string
	of   string // quest, day, server

	mu       sync.Mutex
	quests   []string
	measure  string         // of the shared budget
	shared   float64        // the shared budget
	before   float64        // what was used of it when it was set
	already  int            // the messages that were printed by then
	counts   map[string]int // of the messages of ended runs
	runs     int            // of agents that ended
	capped   int
	pauses   int
	seen     int             // runs whose tokens were told while they worked
	beyond   float64         // the most beyond a budget, in messages
	sessions map[string]bool // that were resumed
}

var measures = []string{"Usd", "Tokens"}

// play plays so many quests, a few at a time.
func (b *budgeted) play(quests int) {
	if b.ofAll() {
		b.share("Usd", 6*aMessage["Usd"])
	}
	var playing sync.WaitGroup
	slots := make(chan struct{}, slotsOfAll)
	if b.of == hours { // each needs all slots
		slots = make(chan struct{}, 1)
	}
	for seed := range quests {
		slots <- struct{}{}
		playing.Go(func() {
			defer func() { <-slots }()
			b.quest(uint64(seed))
		})
	}
	playing.Wait()
	b.t.Logf("%d quests: %d runs of agents, %d reached their caps, %d sessions resumed, %d pauses, %d runs told their tokens while they worked, at most %.1f messages beyond a budget",
		quests, b.runs, b.capped, len(b.sessions), b.pauses, b.seen, b.beyond)
	if b.capped == 0 || b.pauses == 0 || b.seen == 0 || len(b.sessions) == 0 {
		b.t.Error("that proves little")
	}
}

// ofAll reports whether all quests share the budget.
func (b *budgeted) ofAll() bool { return b.of == "day" || b.of == "server" }

// share sets the budget that all quests have together, of one measure alone.
func (b *budgeted) share(measure string, most float64) {
	b.measure, b.shared = measure, most
	budget := object{"usd": 0, "tokens": 0, "hours": 0}
	budget[strings.ToLower(measure)] = json.RawMessage(amountText(measure, most))
	b.send(http.MethodPatch, "/api/v1/settings", jsonText(object{b.of + "Budget": budget})).want(http.StatusOK)
}

// amountText writes what a budget has: tokens are whole.
func amountText(measure string, n float64) string {
	if measure == "Tokens" {
		n = math.Round(n)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// quest plays one quest to its end, and raises its budget, or the shared one, when it waits.
func (b *budgeted) quest(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 21))
	steps := make([]object, 1+rng.IntN(2))
	for i := range steps {
		steps[i] = object{"id": fmt.Sprint("s", i), "title": fmt.Sprint("Part ", i)}
	}
	measure, slots := measures[seed%2], 1+rng.IntN(3)
	if b.of == hours {
		measure, slots = "Hours", slotsOfAll
		steps = make([]object, slotsOfAll)
		for i := range steps {
			steps[i] = object{"id": fmt.Sprint("s", i), "title": fmt.Sprint("Part ", i)}
		}
	}
	fields := fmt.Sprintf(`,"siege":"end","slots":%d,"plan":%s`, slots, jsonText(object{"steps": steps}))
	most := aMessage[measure] * (2 + 5*rng.Float64())
	if b.of == hours {
		most = 0.01
	}
	if !b.ofAll() {
		fields += fmt.Sprintf(`,"budget%s":%s`, measure, amountText(measure, most))
	}
	id := b.begin(b.repo, fields)
	b.mu.Lock()
	b.quests = append(b.quests, id)
	b.mu.Unlock()
	told := map[string]bool{}
	q := b.until(id, "complete", func(q object) bool {
		for _, r := range objects(q["runs"]) {
			if spending, is := r["spending"].(object); is && spending["tokens"].(object)["input"].(float64) > 0 {
				told[r["id"].(string)] = true
			}
		}
		wait, waits := q["wait"].(object)
		switch {
		case b.ofAll():
			b.raiseShared(rng)
		case waits && wait["kind"] == "budget":
			b.keeps(q, measure, most, slots)
			most *= 1.5 + rng.Float64()
			b.mu.Lock()
			b.pauses++
			b.mu.Unlock()
			b.send(http.MethodPatch, "/api/v1/quests/"+id, fmt.Sprintf(`{"budget%s":%s}`, measure, amountText(measure, most))).want(http.StatusOK)
		}
		return q["status"] == "complete"
	})
	if !b.ofAll() {
		b.keeps(q, measure, most, slots)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen += len(told)
	byID := map[string]object{}
	for _, r := range objects(q["runs"]) {
		byID[r["id"].(string)] = r
		if r["role"] == "ward" {
			continue
		}
		b.runs++
		if r["outcome"] == "capped" {
			b.capped++
		}
		before, resumed := byID[fmt.Sprint(r["resumedFrom"])]
		if resumed && before["outcome"] == "capped" {
			b.sessions[r["sessionId"].(string)] = true
			if r["sessionId"] != before["sessionId"] {
				b.t.Errorf("%s goes on in the session %v, not %v", r["id"], r["sessionId"], before["sessionId"])
			}
		}
	}
	for id, r := range byID { // nothing that was ended at its share is left behind
		if r["outcome"] == "capped" && !resumedIn(byID, id) {
			b.t.Errorf("%s reached its cap, and nobody goes on", id)
		}
	}
}

func resumedIn(runs map[string]object, id string) bool {
	for _, r := range runs {
		if r["resumedFrom"] == id {
			return true
		}
	}
	return false
}

// keeps compares what the quest's processes really printed with its budget.
func (b *budgeted) keeps(q object, measure string, most float64, slots int) {
	b.t.Helper()
	messages, live := 0, false
	for _, r := range objects(q["runs"]) {
		live = live || r["spending"] != nil
		if r["role"] != "ward" {
			messages += b.messages(r["id"].(string))
		}
	}
	spent := float64(messages) * aMessage[measure]
	if measure == "Hours" {
		spent = q["used"].(object)["hours"].(float64)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.beyond = max(b.beyond, (spent-most)/aMessage[measure])
	if may := mayBeBeyond(slots); spent > most+may*aMessage[measure]*1.001 {
		b.t.Errorf("%s: %v %s of %v are used, and %v messages of %v may be beyond", q["id"], spent, measure, most, may, aMessage[measure])
	}
	if told := q["cost"].(float64); measure == "Usd" && !live && math.Abs(told-spent) > 1e-6 {
		b.t.Errorf("%s: it says that it cost %v, and its messages cost %v", q["id"], told, spent)
	}
}

// mayBeBeyond returns how many messages may be printed beyond a budget: one of each live run. A
// stand-in sends the next one half a second later, and beside other tests its end may take longer
// than that.
func mayBeBeyond(slots int) float64 {
	if os.Getenv("QUESTBOARD_BUDGETS") == "" {
		return 2 * float64(slots)
	}
	return float64(slots)
}

// messages counts what a run printed.
func (b *budgeted) messages(run string) (n int) {
	for line := range strings.Lines(b.get("/runs/" + run + "/output.jsonl").text) {
		var of struct{ Type string }
		if json.Unmarshal([]byte(line), &of) == nil && of.Type == "assistant" {
			n++
		}
	}
	return n
}

// raiseShared raises the shared budget to one of the next measure, when it is spent and the last
// agent has ended: a run at work keeps the cap with which it began. It compares what the
// processes printed meanwhile with the budget.
func (b *budgeted) raiseShared(rng *rand.Rand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.usedByAll()[b.measure] < b.shared || b.atWork() {
		return
	}
	printed := b.printed()
	spent := b.before + float64(printed-b.already)*aMessage[b.measure]
	if may := mayBeBeyond(slotsOfAll); spent > b.shared+may*aMessage[b.measure]*1.001 {
		b.t.Errorf("%v %s of %v are used, and %v messages may be beyond", spent, b.measure, b.shared, may)
	}
	b.beyond = max(b.beyond, (spent-b.shared)/aMessage[b.measure])
	b.pauses++
	next := measures[b.pauses%2]
	b.before, b.already = b.usedByAll()[next], printed
	b.share(next, b.before+aMessage[next]*(20+20*rng.Float64()))
}

// printed counts the messages of all runs so far. A run that was ended at a cap of tokens does not
// tell what it cost; the next one of its session does.
func (b *budgeted) printed() (n int) {
	for _, id := range b.quests {
		for _, r := range objects(b.get("/quests/" + id).want(http.StatusOK)["runs"]) {
			run := r["id"].(string)
			if _, counted := b.counts[run]; !counted && r["role"] != "ward" && r["state"] == "ended" {
				b.counts[run] = b.messages(run)
			}
		}
	}
	for _, messages := range b.counts {
		n += messages
	}
	return n
}

// usedByAll returns what all quests used, by measure.
func (b *budgeted) usedByAll() map[string]float64 {
	b.t.Helper()
	ledger := b.get("/settings").want(http.StatusOK)["used"].(object)
	used := ledger[map[string]string{"day": "today", "server": "all"}[b.of]].(object)
	return map[string]float64{"Usd": used["usd"].(float64), "Tokens": used["tokens"].(float64)}
}

// atWork reports whether an agent works.
func (b *budgeted) atWork() bool {
	b.t.Helper()
	slots := b.get("/slots").want(http.StatusOK)["slots"].([]any)
	return slices.ContainsFunc(slots, func(slot any) bool { return slot != nil })
}
