package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration"
	"questboard/orchestration/questfile"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// A list shows a part of many quests, and of a long history, so it takes as long as with few.
// A search reads all titles, and what waits for a person is shown whole: these pages may grow
// with the quests, but no faster. Two servers are asked in turns.
func TestPagesOfManyQuestsAndALongHistoryTakeNoLonger(t *testing.T) {
	t.Parallel()
	const few, short = 60, 200
	many, long, more := 240, 10_000, 10.0
	if e2etest.Quiet() {
		many, long, more = 1000, 100_000, 3.0
	}
	file := questOfTheDemo(t)
	small, large := serverWithQuests(t, file, few, short, false, ""), serverWithQuests(t, file, many, long, false, "")
	t.Logf("%d quests and %d entries beside %d and %d", many, long, few, short)
	board, history := "/quests/"+nameOf(0), "/quests/"+nameOf(0)+"/history"
	for page, limit := range map[string]float64{
		"/quests": more, "/quests?status=complete": more, board: more, history: more, history + "?before=150": more,
		"/quests?q=nothing+like+it": more * float64(many) / few, "/today": more * float64(many) / few, "/questions": more * float64(many) / few,
	} {
		least := [2]time.Duration{time.Hour, time.Hour}
		for range 15 {
			least[0], least[1] = min(least[0], small.pageTime(page)), min(least[1], large.pageTime(page))
		}
		ratio := float64(least[1]) / float64(least[0])
		t.Logf("%-40s %6.1f ms beside %6.1f: %.2f x", page, float64(least[1].Microseconds())/1000, float64(least[0].Microseconds())/1000, ratio)
		if ratio > limit {
			t.Errorf("%s takes %.1f times as long (limit %.1f)", page, ratio, limit)
		}
	}
}

// Pages, and the start of an agent of a new quest, take as long beside many runs that are over as
// beside few.
func TestManyRunsThatAreOverMakeNothingSlower(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			if !e2etest.Quiet() {
				t.Parallel()
			}
			var cluster *storetest.Cluster
			if name == "PostgreSQL" {
				cluster = storetest.NewSyncedCluster(t)
			}
			manyRunsAreOver(t, cluster)
		})
	}
}

func manyRunsAreOver(t *testing.T, cluster *storetest.Cluster) {
	few, many, more, times := 300, 1_200, 10.0, 3
	if e2etest.Quiet() {
		many, more, times = 100_000, 1.3, 15
	}
	file := questOfTheDemo(t)
	q, _, err := questfile.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	runs := q.Runs.Len()
	var servers []*launched
	for _, n := range []int{few, many} {
		db := ""
		if cluster != nil {
			db = cluster.Database(t)
		}
		servers = append(servers, serverWithQuests(t, file, n/runs, 0, true, db))
		if cluster != nil {
			cluster.Analyze(t, db)
		}
	}
	began := time.Now()
	for _, s := range servers { // their beginning is another subject
		used := time.Duration(-1)
		poll(t, time.Minute, func() bool {
			before := used
			used = cpuOf(s.cmd.Process.Pid)
			<-time.After(300 * time.Millisecond)
			return used == before
		}, func() string { return "a server that has nothing to do" })
	}
	t.Logf("at rest after %v", time.Since(began))
	small, large := servers[0], servers[1]
	t.Logf("%d quests with %d runs beside %d with %d", many/runs, many, few/runs, few)
	repos := [2]string{apiRepo(t), apiRepo(t)}
	for what, measure := range map[string]func(s *launched, repo string) time.Duration{
		"/quests":                 func(s *launched, _ string) time.Duration { return s.pageTime("/quests") },
		"/quests?status=complete": func(s *launched, _ string) time.Duration { return s.pageTime("/quests?status=complete") },
		"a board":                 func(s *launched, _ string) time.Duration { return s.pageTime("/quests/" + nameOf(0)) },
		"a history":               func(s *launched, _ string) time.Duration { return s.pageTime("/quests/" + nameOf(0) + "/history") },
		"an agent starts":         (*launched).startTime,
	} {
		var took [2][]time.Duration
		for range times {
			took[0], took[1] = append(took[0], measure(small, repos[0])), append(took[1], measure(large, repos[1]))
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		here, beside := took[1][times/2], took[0][times/2]
		ratio := float64(here) / float64(beside)
		t.Logf("%-25s p50 %6.1f ms beside %6.1f: %.2f x", what, float64(here.Microseconds())/1000, float64(beside.Microseconds())/1000, ratio)
		if ratio > more {
			t.Errorf("%s takes %.1f times as long (limit %.1f)", what, ratio, more)
		}
	}
}

// startTime returns how long it takes from the request for a quest until its first agent has a
// process.
func (s *launched) startTime(repo string) time.Duration {
	s.t.Helper()
	begun := time.Now()
	quest := s.begin(repo, `,"approve":[],"plan":{"steps":[{"id":"one","title":"One","files":["a"]}]}`)
	var took time.Duration
	s.until(quest, "an agent works", func(q object) bool {
		for _, r := range objects(q["runs"]) {
			if r["role"] == "codeweaver" && r["startedAt"] != nil && took == 0 {
				took = time.Since(begun)
			}
		}
		return took > 0
	})
	s.post("/quests/"+quest+"/abandon", "{}").want(200)
	return took
}

func nameOf(n int) string { return fmt.Sprintf("quest%05d", n) }

// questOfTheDemo returns the quest file of a short quest that is over, under the name of the
// first one.
func questOfTheDemo(t *testing.T) []byte {
	t.Helper()
	data := t.TempDir()
	d := startDemo(t, "-scenario", "errand", "-data", data)
	id, _ := d.untilComplete()["id"].(string)
	exported := command(t, serverBinary(t), nil, "export", "-data", data, id)
	if exported.code != 0 {
		t.Fatal(exported.stderr)
	}
	d.end()
	return bytes.ReplaceAll([]byte(exported.stdout), []byte(id), []byte(nameOf(0)))
}

// serverWithQuests starts a server with so many copies of a quest, of which the first has a
// history of so many entries. If the quests are not delivered, they wait for a person.
func serverWithQuests(t *testing.T, file []byte, quests, entries int, delivered bool, db string) *launched {
	t.Helper()
	data := t.TempDir()
	s, err := store.Open(t.Context(), data, store.Options{Postgres: db})
	if err != nil {
		t.Fatal(err)
	}
	var all []orchestration.Transition
	for n := range quests {
		q, events, err := questfile.Decode(bytes.ReplaceAll(file, []byte(nameOf(0)), []byte(nameOf(n))))
		if err != nil {
			t.Fatal(err)
		}
		for n == 0 && len(events) < entries {
			next := events[len(events)-1]
			next.Seq++
			events = append(events, next)
		}
		q.Seq = events[len(events)-1].Seq
		q.EndedAt = q.EndedAt.Add(time.Duration(n) * time.Second)
		for _, r := range q.Runs.All() {
			r.EndedAt = r.EndedAt.Add(time.Duration(n) * time.Second)
		}
		if delivered { // what waits for a person is shown whole, and is another subject
			q.Delivered = &orchestration.Delivery{How: "merge", Branch: "master", Commit: strings.Repeat("0", 40), At: q.EndedAt}
		}
		arrival, err := service.Arrival(q, events, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, arrival...)
	}
	for part := range slices.Chunk(all, 1000) {
		if err := s.Commit(t.Context(), part, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return launch(t, []string{"QUESTBOARD_DB=" + db}, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated")
}

// pageTime returns how long a page takes, to its last byte.
func (s *launched) pageTime(page string) time.Duration {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+page, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+apiToken)
	begun := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if took := time.Since(begun); err == nil && answer.StatusCode == http.StatusOK && n > 1000 {
		return took
	}
	s.t.Fatalf("%s: %s, %d bytes (%v)", page, answer.Status, n, err)
	return 0
}
