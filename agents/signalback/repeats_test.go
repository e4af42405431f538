package signalback_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"questboard/orchestration"
)

// losesAnswers stands between clients and the endpoint. It passes every request on, but
// loses some of the server's answers: it resets the connection.
type losesAnswers struct {
	mu   sync.Mutex
	dice dice
	lost atomic.Int64
}

func (l *losesAnswers) around(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, r)
		l.mu.Lock()
		lose := l.dice.IntN(3) == 0
		l.mu.Unlock()
		if !lose {
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		l.lost.Add(1)
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = c.Close()
		}
	})
}

// docs/hardening.md#stored-state, T3.5: the same signal comes 1 to 50 times at the same
// time, and some answers are lost. It counts once, and every client that gets an answer
// gets the same one. If two different signals race, one of them counts, and the sender
// of the other is told. QUESTBOARD_REPEATS sets the number of rounds.
func TestASignalThatComesAgainAndAgainCountsOnce(t *testing.T) {
	t.Parallel()
	rounds, seed := setting(t, "QUESTBOARD_REPEATS", 20), setting(t, "QUESTBOARD_REPEATS_SEED", int(time.Now().Unix()))
	t.Logf("seed %d", seed)
	d := dice{rand.New(rand.NewPCG(uint64(seed), 35))}
	proxy := &losesAnswers{dice: dice{rand.New(rand.NewPCG(uint64(seed), 36))}}
	w := newWorld(t, proxy.around)
	sent := 0
	for round := range rounds {
		a := w.bring(one(d, orchestration.PathSeeker, orchestration.Codeweaver, orchestration.Siegemaster, orchestration.Lawbringer, orchestration.Spiritmender))
		n, signals := 1+d.IntN(50), []string{d.right(a)}
		for d.IntN(2) == 0 && len(signals) < 3 {
			signals = append(signals, d.right(a))
		}
		sent += n
		w.race(t, fmt.Sprintf("round %d, %d times", round, n), a, n, signals)
		w.retire(a)
	}
	t.Logf("%d rounds, %d senders, %d answers lost", rounds, sent, proxy.lost.Load())
	if proxy.lost.Load() < int64(sent/10) {
		t.Error("hardly any answer was lost")
	}
}

// right returns a signal that the role may send.
func (d dice) right(a *agent) string {
	kinds := []string{`"needs-role-followup","targetRole":"pathseeker","reason":"r%d","context":"c","resume":true`}
	if a.spec.Role == orchestration.PathSeeker {
		kinds[0] = strings.Replace(kinds[0], "pathseeker", "codeweaver", 1)
	}
	if a.spec.Role != orchestration.Lawbringer {
		kinds = append(kinds, `"partially-complete","progress":"p%d","continuationPoint":"c"`)
	}
	if a.spec.Role != orchestration.Lawbringer && a.spec.Role != orchestration.Siegemaster {
		kinds = append(kinds, `"needs-user-input","question":"q%d","context":"c"`)
	}
	if a.spec.Role != orchestration.PathSeeker { // PathSeeker would have to store a plan first
		kinds = append(kinds, `"complete","summary":"s%d"`)
	}
	return `{"stepId":"one","signal":` + fmt.Sprintf(one(d, kinds...), d.IntN(1000)) + `}`
}

// race lets n clients send the signals. Each client sends one until it gets an answer.
func (w *world) race(t *testing.T, what string, a *agent, n int, signals []string) {
	t.Helper()
	before := w.settled(a.spec.QuestID)
	answers := make([]string, n)
	var clients sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		clients.Go(func() {
			<-start
			answers[i] = w.insist(t, a.spec.Token, signals[i%len(signals)])
		})
	}
	close(start)
	clients.Wait()

	stored := map[string]bool{} // the signals that were answered with "Stored"
	for i, answer := range answers {
		signal := signals[i%len(signals)]
		switch {
		case strings.Contains(answer, "Stored."):
			stored[signal] = true
			if answer != answers[i%len(signals)] {
				t.Errorf("%s: one heard %q and another %q", what, answers[i%len(signals)], answer)
			}
		case !strings.Contains(answer, "already signalled"):
			t.Errorf("%s: %s was answered with %q", what, signal, answer)
		}
	}
	if len(stored) != 1 {
		t.Errorf("%s: these are stored, each as the only one: %v", what, stored)
	}
	after := w.settled(a.spec.QuestID)
	accepted := 0
	for _, e := range w.stored(after) {
		if e.Run == a.spec.RunID && e.Type == orchestration.EventSignalAccepted {
			accepted++
		}
	}
	follow := after.Runs.Len() - before.Runs.Len() + after.Questions.Len() - before.Questions.Len()
	if accepted != 1 || follow != 1 {
		t.Errorf("%s: accepted %d times, followed by %d runs and questions; want one each", what, accepted, follow)
	}
}

// insist sends a signal until there is an answer.
func (w *world) insist(t *testing.T, token, arguments string) string {
	for range 200 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","arguments":`+arguments+`}}`))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			continue // the answer was lost
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil {
			return string(text)
		}
	}
	return "no answer in 200 tries"
}
