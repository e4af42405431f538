package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// hangingChannels is how many channels hang at once.
const hangingChannels = 20

// pageTimes opens pages one after the other, and returns what each took, the shortest first.
func (s *apiServer) pageTimes(quest string, n int) []time.Duration {
	s.t.Helper()
	pages := []string{"/quests/" + quest, "/questions", "/today", "/settings/channels", "/quests/" + quest + "/steps/hello"}
	took := make([]time.Duration, n)
	for i := range n {
		begun := time.Now()
		if a := s.send(http.MethodGet, pages[i%len(pages)], ""); a.status != http.StatusOK {
			s.t.Fatalf("%s: %d", a.asked, a.status)
		}
		took[i] = time.Since(begun)
	}
	slices.Sort(took)
	return took
}

// While messages are on their way to 20 addresses that take them and never answer, pages come
// as without: none waits for the sender. With QUESTBOARD_QUIET the pages are 4,000, and p99 is
// compared with that of the same server before.
func TestNoPageWaitsForAChannelThatHangs(t *testing.T) {
	t.Parallel()
	n := 200
	if e2etest.Quiet() {
		n = 4000
	}
	s, over, came := startAPI(t, printed), make(chan struct{}), make(chan struct{}, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		came <- struct{}{}
		<-over
	}))
	t.Cleanup(func() { close(over); receiver.Close() })
	quest := s.begin(apiRepo(t), `,"approve":[],"plan":{"steps":[{"id":"hello","title":"The only step"}]}`)
	s.until(quest, "the question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	for i := range hangingChannels {
		s.post("/channels", `{"kind":"webhook","name":"`+strconv.Itoa(i)+`","address":"`+receiver.URL+`","local":true,"bundle":false}`).want(http.StatusCreated)
	}
	s.pageTimes(quest, n/10) // so that everything is warm
	without := s.pageTimes(quest, n)
	s.begin(apiRepo(t), `,"approve":[],"plan":{"steps":[{"id":"hello","title":"The only step"}]}`)
	for i := range hangingChannels {
		select {
		case <-came:
		case <-time.After(time.Minute):
			t.Fatalf("only %d channels send", i)
		}
	}
	beside := s.pageTimes(quest, n)
	p99 := func(of []time.Duration) time.Duration { return of[len(of)*99/100] }
	t.Logf("%d pages: p50 %v, p99 %v, longest %v; beside %d channels that hang p50 %v, p99 %v, longest %v: p99 × %.2f", n, without[n/2], p99(without), without[n-1],
		hangingChannels, beside[n/2], p99(beside), beside[n-1], float64(p99(beside))/float64(p99(without)))
	if longest := beside[n-1]; longest > e2etest.Room(time.Second) { // a try takes 15 s
		t.Errorf("a page took %v", longest)
	}
	if e2etest.Quiet() && p99(beside) > 3*p99(without) {
		t.Errorf("p99 grew from %v to %v", p99(without), p99(beside))
	}
}
