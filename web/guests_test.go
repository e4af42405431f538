package web_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// visited is a door on a real port that counts its requests.
type visited struct {
	*door
	*httptest.Server
	asked atomic.Int64
}

func newVisited(t testing.TB) *visited {
	t.Helper()
	v := &visited{door: newDoor(t, nil)}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.asked.Add(1)
		r.Host = host
		v.door.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { v.CloseClientConnections(); v.Close() })
	return v
}

// slowly requests a page and reads nothing of it.
func (v *visited) slowly(t testing.TB, path string) {
	t.Helper()
	conn, err := net.Dial("tcp", v.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
}

// crowd attacks through one link: ten clients request an output and read nothing, and
// many more repeat their requests all the time.
func (v *visited) crowd(t testing.TB, run string) {
	t.Helper()
	path := v.link(t, "output=true") + "/runs/" + run + "/output.txt"
	for range 10 {
		v.slowly(t, path)
	}
	const further = 250
	before := v.asked.Load()
	ctx, cancel := context.WithCancel(context.Background())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: further}}
	var asking sync.WaitGroup
	t.Cleanup(func() { cancel(); asking.Wait(); client.CloseIdleConnections() })
	for range further {
		asking.Go(func() {
			for ctx.Err() == nil {
				_, _ = ask(ctx, client, v.URL+path, nil)
			}
		})
	}
	for end := time.Now().Add(time.Minute); v.asked.Load() < before+further; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("only %d requests were sent", v.asked.Load()-before)
		}
	}
}

func ask(ctx context.Context, client *http.Client, url string, change func(*http.Request)) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	if change != nil {
		change(r)
	}
	w, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer w.Body.Close()
	_, err = io.Copy(io.Discard, w.Body)
	return w.StatusCode, err
}

// owners requests the owner's pages n times, and returns the time within which 99 of 100
// were answered.
func (v *visited) owners(t testing.TB, n int) time.Duration {
	t.Helper()
	quest := "/quests/" + v.party.Quest
	pages := []string{"/quests", quest, quest + "/steps/form", quest + "/diff", quest + "/history.csv", "/slots", "/api/v1/quests", "/login"}
	var took []time.Duration
	for i := range n {
		begun := time.Now()
		path := pages[i%len(pages)]
		if status, err := ask(t.Context(), http.DefaultClient, v.URL+path, owned); err != nil || status >= http.StatusBadRequest {
			t.Fatalf("the owner's %s: %d, %v", path, status, err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// long returns a run whose output is larger than all buffers.
func (v *visited) long(t testing.TB) (run string) {
	t.Helper()
	run = v.runOf(t, "form")
	line := said(strings.Repeat("word ", 4000))
	for range 400 {
		v.output.Write(run, line)
	}
	return run
}

// One link cannot keep the owner out, whether its clients read slowly or wait.
func TestAGuestTakesNoneOfTheOwnersPlaces(t *testing.T) {
	v := newVisited(t)
	run := v.long(t)
	alone := v.owners(t, 100)
	v.crowd(t, run)
	beside := v.owners(t, 100)
	t.Logf("the owner's pages: %v alone, %v beside the guest", alone, beside)
	if beside > 20*alone+time.Second { // docs promise twice the time, on a machine that does nothing else
		t.Errorf("the owner's pages take %v alone, and %v beside the guest", alone, beside)
	}
}

// The time within which 99 of 100 of the owner's requests are answered during such an
// attack.
func BenchmarkTheOwnersPages(b *testing.B) {
	v := newVisited(b)
	run := v.long(b)
	measure := func(b *testing.B) {
		n := max(b.N, 400)
		v.owners(b, n/2) // until all that have to wait do
		b.ReportMetric(float64(v.owners(b, n).Microseconds()), "µs-p99")
	}
	b.Run("alone", measure)
	b.Run("beside a guest", func(b *testing.B) {
		v.crowd(b, run)
		measure(b)
	})
}
