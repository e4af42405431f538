package signalback_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// docs/hardening.md#stored-state, T3.4: the endpoint answers everything that any role
// sends. A refused signal changes nothing: the quest stays the same in memory and in
// the database. QUESTBOARD_SIGNALS says how many signals are sent.
// QUESTBOARD_SIGNALS_SEED repeats a test.
func TestHostileSignalsAreAnsweredAndChangeNothing(t *testing.T) {
	t.Parallel()
	n, seed := setting(t, "QUESTBOARD_SIGNALS", 300), setting(t, "QUESTBOARD_SIGNALS_SEED", int(time.Now().Unix()))
	t.Logf("seed %d", seed)
	h := &hostile{world: newWorld(t, nil), dice: dice{rand.New(rand.NewPCG(uint64(seed), 34))}, counts: map[string]int{}}
	h.turn()
	heap, resident := memory(t)
	for i := range n {
		if i == n/20 { // all code is loaded and the caches are full
			heap, resident = memory(t)
		}
		p := h.payload(h.now, h.beside, h.old)
		if what := h.try(p); what != "" {
			t.Fatalf("payload %d, %s: %s\n%.2000q", i, p.what, what, p.body)
		}
	}
	h.compare()
	heapAfter, residentAfter := memory(t)
	t.Logf("%d payloads %v; heap %+.1f MiB, resident %+.1f MiB", n, h.counts, heapAfter-heap, residentAfter-resident)
	if heapAfter-heap > 50 || n >= 100_000 && residentAfter-resident > 50 {
		t.Errorf("heap grew by %.1f MiB to %.1f, resident memory by %.1f MiB", heapAfter-heap, heapAfter, residentAfter-resident)
	}
	for _, kind := range []string{"accepted", "tool error", "JSON-RPC error"} {
		if h.counts[kind]*200 < n {
			t.Errorf("only %d of %d were answered as %s: the payloads prove too little", h.counts[kind], n, kind)
		}
	}
}

// hostile sends signals to a quest in which the agents now and beside work. The quest
// of old is over.
type hostile struct {
	*world
	dice
	now, beside, old *agent
	ended            *orchestration.Quest // old's
	history          int                  // number of entries of now's quest when last compared
	counts           map[string]int
}

// turn starts again with another quest and another role.
func (h *hostile) turn() {
	h.t.Helper()
	if h.now != nil {
		h.compare()
		h.ended, h.old = h.retire(h.now), one(h.dice, h.now, h.beside) // an agent that signalled, or one that was stopped
	}
	for h.ended == nil { // at the first time
		h.old = h.bring(orchestration.Codeweaver)
		h.ended = h.retire(h.old)
	}
	h.now = h.bring(one(h.dice, orchestration.ChaosWhisperer, orchestration.PathSeeker, orchestration.Codeweaver,
		orchestration.Siegemaster, orchestration.Lawbringer, orchestration.Spiritmender))
	h.look()
}

func (h *hostile) look() {
	h.t.Helper()
	q := h.settled(h.now.spec.QuestID)
	h.beside = h.now
	if other := h.at(q, "two"); other != nil {
		h.beside = other
	}
	h.history = len(h.stored(q))
}

// compare checks that refusals have left no trace in the database.
func (h *hostile) compare() {
	h.t.Helper()
	if n := len(h.stored(h.settled(h.now.spec.QuestID))); n != h.history {
		h.t.Errorf("the history has %d entries more, and nothing was accepted", n-h.history)
	}
}

// try sends a payload and returns what is wrong with its effect; "" if nothing is.
func (h *hostile) try(p payload) string {
	h.t.Helper()
	before, err := h.Quest(h.t.Context(), h.now.spec.QuestID)
	if err != nil {
		return err.Error()
	}
	status, answer, err := h.send(p)
	if err != nil {
		return err.Error()
	}
	verdict, fault := judge(p, status, answer)
	h.counts[verdict]++
	if fault != "" {
		return fmt.Sprintf("%s; answered %d %.500s", fault, status, answer)
	}
	after, err := h.Quest(h.t.Context(), h.now.spec.QuestID)
	ended, err2 := h.Quest(h.t.Context(), h.old.spec.QuestID)
	switch {
	case err != nil || err2 != nil:
		return fmt.Sprint(err, err2)
	case ended != h.ended:
		return "a quest that is over has changed"
	case verdict != "accepted" || p.inert:
		if after != before { // a quest is never changed in place, so this compares the whole state
			return fmt.Sprintf("it was refused, and the quest has changed; answered %d %.500s", status, answer)
		}
		return ""
	}
	return h.accepted(before, after)
}

// accepted checks the effect of an accepted signal, and continues with the next run.
func (h *hostile) accepted(before, after *orchestration.Quest) string {
	h.t.Helper()
	run := h.now.spec.RunID
	s := after.Run(run).Signal
	if before.Run(run).Signal != nil || s == nil || s.StepID != h.now.spec.Step {
		return fmt.Sprintf("the run is told that its signal is stored; it was %v and is %v", before.Run(run).Signal, s)
	}
	signals := 0
	for _, e := range h.stored(h.settled(after.ID)) {
		if e.Run == run && e.Type == orchestration.EventSignalAccepted {
			signals++
		}
	}
	if signals != 1 {
		return fmt.Sprintf("the history has the signal %d times", signals)
	}
	if next := h.at(h.settled(after.ID), h.now.spec.Step); next != nil && h.IntN(2) == 0 {
		h.now = next // the continuation, or the role that was called
		h.look()
		return ""
	}
	h.history = len(h.stored(h.settled(after.ID)))
	h.turn()
	return ""
}

func (h *hostile) send(p payload) (status int, answer string, err error) {
	r, err := http.NewRequestWithContext(h.t.Context(), p.method, h.url, bytes.NewReader(p.body))
	if err != nil {
		return 0, "", err
	}
	for i := 0; i < len(p.header); i += 2 {
		r.Header.Set(p.header[i], p.header[i+1])
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", fmt.Errorf("no answer: %w", err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	return w.StatusCode, string(text), err
}

// judge classifies an answer. fault says what is wrong with it, if anything.
func judge(p payload, status int, answer string) (verdict, fault string) {
	var reply struct {
		JSONRPC string
		Result  *struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct{ Message string }
	}
	text := ""
	valid := json.Unmarshal([]byte(answer), &reply) == nil
	switch {
	case !valid && status/100 == 4:
		verdict = "HTTP " + strconv.Itoa(status)
	case !valid && status == http.StatusAccepted && answer == "":
		verdict = "notification"
	case reply.Error != nil:
		verdict, text = "JSON-RPC error", reply.Error.Message
	case reply.Result != nil:
		for _, c := range reply.Result.Content {
			text += c.Text
		}
		verdict = "result"
		if reply.Result.IsError {
			verdict = "tool error"
		} else if strings.HasPrefix(text, "Stored") {
			verdict = "accepted"
		}
	default:
		verdict, fault = "none", "that is no answer"
	}
	switch {
	case status >= 500:
		fault = "the server failed"
	case strings.Contains(text, "panic") || strings.Contains(text, "could not store"):
		fault = "the server failed"
	case p.wrong && verdict == "accepted":
		fault = "it was accepted"
	}
	return verdict, fault
}

// memory returns the memory of the process after a garbage collection, in MiB.
func memory(t *testing.T) (heap, resident float64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, _ := os.ReadFile("/proc/self/status") // without such a file resident is 0
	if _, rest, found := strings.Cut(string(status), "VmRSS:"); found {
		resident, _ = strconv.ParseFloat(strings.Fields(rest)[0], 64)
	}
	return float64(m.HeapAlloc) / (1 << 20), resident / 1024
}

func setting(t *testing.T, name string, standard int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// dice make all random choices, so that a seed repeats a test.
type dice struct{ *rand.Rand }

func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
