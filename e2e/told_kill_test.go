package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// everyStepAsks is an agent that asks at once, and never works.
const everyStepAsks = `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Which tide?, context: none}}
`

// tells is a server that is killed and started again while it tells two receivers, one of
// which gets bundles.
type tells struct {
	*mortal
	exe       string
	receivers map[string]*e2etest.Told
	quests    []string
	events    int
}

// startTelling starts a server, and quests that have so many questions in all: an agent asks
// in each of their steps.
func startTelling(t *testing.T, quests, steps int) *tells {
	t.Helper()
	exe, err := e2etest.Strikable() // it bundles and tries again within a second
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &tells{exe: exe, receivers: map[string]*e2etest.Told{}, events: quests * steps,
		mortal: &mortal{t: t, data: t.TempDir(), scenario: filepath.Join(t.TempDir(), "scenario.yaml"), repo: apiRepo(t), slots: 8}}
	write(t, s.scenario, everyStepAsks)
	routes := http.NewServeMux()
	for i, name := range []string{"apart", "bundled"} {
		s.receivers[name] = e2etest.NewTold(name, seed+uint64(i), func(n e2etest.ToldNotice) string { return n.Kind + " " + n.Question })
		routes.Handle("/"+name, s.receivers[name])
	}
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	if !s.up() {
		t.Fatalf("the server does not start\n%s", s.said.String())
	}
	for name := range s.receivers {
		s.post("/channels", fmt.Sprintf(`{"kind":"webhook","name":%q,"address":"%s/%s","secret":%q,"local":true,"level":"all","bundle":%t}`,
			name, server.URL, name, e2etest.ToldSecret(name), name == "bundled")).want(http.StatusCreated)
	}
	var plan []string
	for n := range steps {
		plan = append(plan, fmt.Sprintf(`{"id":"step-%d","title":"Step %d"}`, n, n))
	}
	for range quests {
		s.quests = append(s.quests, s.begin(s.repo, `,"workspace":"shared","slots":8,"plan":{"steps":[`+strings.Join(plan, ",")+`]}`))
	}
	return s
}

// up starts the server. It reports whether it lives.
func (s *tells) up(env ...string) bool {
	s.t.Helper()
	server, err := tryLaunch(s.t, s.exe, env, s.args()...)
	s.launched = server
	return err == nil
}

// die kills the server with everything that it does.
func (s *tells) die() {
	s.t.Helper()
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
}

// diesOfItself waits for the death of a server that is struck. It reports false, and kills the
// server, if everything is told before.
func (s *tells) diesOfItself() bool {
	s.t.Helper()
	died := make(chan error, 1)
	go func() { died <- s.cmd.Wait() }()
	for {
		select {
		case err := <-died:
			if err == nil || !strings.Contains(err.Error(), "killed") {
				s.t.Fatalf("%v\n%s", err, s.said.String())
			}
			return true
		case <-time.After(100 * time.Millisecond):
			if s.receivers["apart"].Has() >= s.events && s.receivers["bundled"].Has() >= s.events {
				_ = s.cmd.Process.Kill()
				<-died
				return false
			}
		}
	}
}

// asked are the ids of what people must be told of.
func (s *tells) asked() (ids []string) {
	s.t.Helper()
	for _, quest := range s.quests {
		for _, event := range objects(s.get("/quests/" + quest + "/events?n=1000&type=question.asked").want(http.StatusOK)["events"]) {
			ids = append(ids, fmt.Sprintf("%s-e%.0f", quest, event["seq"]))
		}
	}
	return ids
}

// finish waits until every step has asked and each receiver knows of it, and checks what was
// promised.
func (s *tells) finish(died int) {
	s.t.Helper()
	var ids []string
	poll(s.t, 5*time.Minute, func() bool {
		ids = s.asked()
		return len(ids) == s.events && s.receivers["apart"].HasAll(ids) && s.receivers["bundled"].HasAll(ids)
	}, func() string {
		return fmt.Sprintf("%d of %d questions; %s; %s", len(ids), s.events, s.receivers["apart"].Words(), s.receivers["bundled"].Words())
	})
	for name, receiver := range s.receivers {
		s.t.Logf("%s: %s; %d kills", name, receiver.Words(), died)
		for _, fault := range receiver.Faults() {
			s.t.Errorf("%s: %s", name, fault)
		}
	}
}

// The whole server is killed at random moments, while agents ask and two receivers fail half
// of the time. Each question is told at least once, always with one id; a message has the same
// notices at each try; and what happens in a quest is told in order, but for what is marked
// late. With QUESTBOARD_CHAOS there are 500 questions and 60 kills.
func TestAKilledServerTellsEverythingWithOneIdAndInOrder(t *testing.T) {
	t.Parallel()
	quests, steps, kills := 5, 12, 10
	if os.Getenv("QUESTBOARD_CHAOS") != "" {
		quests, steps, kills = 20, 25, 60
	}
	s := startTelling(t, quests, steps)
	for range kills {
		<-time.After(time.Duration(rand.IntN(500)) * time.Millisecond)
		s.die()
		if !s.up() {
			t.Fatalf("the server does not start\n%s", s.said.String())
		}
	}
	s.finish(kills)
}

// The server dies between the commit of an event and the sending, and between the sending and
// the mark that it was sent.
func TestAServerThatDiesAroundTheSendingTellsEverything(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"tell-before", "tell-after", "commit-after"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := startTelling(t, 2, 10)
			s.die()
			folder := t.TempDir()
			strikes := []string{place + "=crash@1", place + "=crash@2", place + "=crash@4"} // each in a server of its own
			for i, strike := range strikes {
				s.up("QUESTBOARD_FAILPOINTS=" + folder + "\n" + strike)
				if !s.diesOfItself() && i == 0 {
					t.Fatalf("%s did not strike\n%s", strike, s.said.String())
				}
			}
			if !s.up() {
				t.Fatalf("the server does not start\n%s", s.said.String())
			}
			s.finish(1 + len(strikes))
		})
	}
}
