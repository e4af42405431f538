package telling_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
	"questboard/orchestration/telling"
	"questboard/orchestration/telling/channel"
)

// The child of a test: a process that commits events and tells of them, until it is
// killed.
const (
	childDir    = "QUESTBOARD_TEST_TELL_DIR"
	childURL    = "QUESTBOARD_TEST_TELL_URL"
	childEvents = "QUESTBOARD_TEST_TELL_EVENTS"
)

// questsTold is how many quests have events.
const questsTold = 5

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := commitAndTell(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// commitAndTell goes on where the killed one stopped.
func commitAndTell(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	var channels []record.Channel
	for _, name := range []string{"apart", "bundled"} {
		channels = append(channels, record.Channel{ID: name, Kind: record.ChannelWebhook, Address: os.Getenv(childURL) + "/" + name,
			Secret: e2etest.ToldSecret(name), Local: true, Apart: name == "apart"})
	}
	sender := channel.Sender{Site: "https://board.example", Clean: func(_ context.Context, _, text string) string { return text }, Clock: time.Now, HTTPLimit: 10 * time.Second}
	t := telling.New(telling.Config{Outbox: s, Settings: &settings{now: record.Settings{Channels: channels}}, Send: sender.Send, Clock: time.Now,
		Log: slog.New(slog.DiscardHandler), Timing: telling.Timing{Bundle: 20 * time.Millisecond, Retry: 40 * time.Millisecond, RetryMost: 200 * time.Millisecond}})
	go t.Run(ctx) // until the process is killed
	events, err := strconv.Atoi(os.Getenv(childEvents))
	for n := 0; n < events && err == nil; n++ {
		err = commitOne(ctx, s, fmt.Sprintf("quest%d", n%questsTold), int64(n/questsTold+1))
		t.QuestChanged("", nil)
	}
	if err != nil {
		return err
	}
	select {}
}

// commitOne commits the event of a quest that has this number, unless it is stored.
func commitOne(ctx context.Context, s engine.Store, quest string, seq int64) error {
	q, err := s.Quest(ctx, quest)
	if seq == 1 && err != nil {
		q = &orchestration.Quest{ID: quest, Title: quest, Repo: "/repo", Agent: "simulated", Phase: orchestration.PhaseSteps, Version: 1}
		for i, step := range orchestration.QuestWideSteps {
			q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: step}, N: -1, Stage: orchestration.StageDone}
		}
		q = orchestration.Restore(q)
		err = s.Commit(ctx, []orchestration.Transition{{Quest: q, Changed: orchestration.Changed{Requirements: true, Whole: []int{0, 1, 2, 3}}}}, nil)
	}
	if err != nil || q.Seq >= seq {
		return err
	}
	next := *q
	next.Version, next.Seq = q.Version+1, seq
	return s.Commit(ctx, []orchestration.Transition{{Before: q.Version, Quest: &next, Events: []orchestration.Event{{Seq: seq, At: time.Now(), Type: orchestration.EventQuestionAsked,
		Data: map[string]string{"question": quest + "-q1", "text": strconv.FormatInt(seq, 10)}}}}}, nil)
}

// The process that tells is killed at random moments, and the receivers fail half of the
// time. Each event arrives at least once, always with the same id; a message has the same
// notices at each try; and events of a quest come in order, but for those that are marked
// late. One channel bundles and one does not. With QUESTBOARD_CHAOS there are 500 events.
func TestKillsAndFailuresLoseNothingAndDoubleNothing(t *testing.T) {
	t.Parallel()
	events, kills := 60, 6
	if os.Getenv("QUESTBOARD_CHAOS") != "" {
		events, kills = 500, 100
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	receivers, url := twoReceivers(t, seed)
	dir, died := t.TempDir(), 0
	missing := func() bool { return receivers["apart"].Has() < events || receivers["bundled"].Has() < events }
	for deadline := time.Now().Add(5 * time.Minute); missing() || died < kills; died++ {
		if time.Now().After(deadline) {
			t.Fatalf("after %d kills: %d and %d of %d events", died, receivers["apart"].Has(), receivers["bundled"].Has(), events)
		}
		child := startTelling(t, os.Args[0], dir, url, events)
		wait := time.Duration(30+random.IntN(400)) * time.Millisecond
		if died >= kills {
			wait = 30 * time.Second // it may finish
		}
		over := time.After(wait)
		for alive := true; alive && (missing() || died < kills); {
			select {
			case <-over:
				alive = false
			case <-receivers["apart"].Bell:
			case <-receivers["bundled"].Bell:
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	for name, receiver := range receivers {
		for _, fault := range receiver.Faults() {
			t.Errorf("%s: %s", name, fault)
		}
		t.Logf("%s: %s; %d kills", name, receiver.Words(), died)
	}
}

func twoReceivers(t *testing.T, seed uint64) (map[string]*e2etest.Told, string) {
	t.Helper()
	receivers, routes := map[string]*e2etest.Told{}, http.NewServeMux()
	for i, name := range []string{"apart", "bundled"} {
		receivers[name] = e2etest.NewTold(name, seed+uint64(i), func(n e2etest.ToldNotice) string { return n.Quest + "-e" + n.Text })
		routes.Handle("/"+name, receivers[name])
	}
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	return receivers, server.URL
}

func startTelling(t *testing.T, exe, dir, url string, events int, env ...string) *exec.Cmd {
	t.Helper()
	child := exec.Command(exe)
	child.Env = append(append(os.Environ(), childDir+"="+dir, childURL+"="+url, childEvents+"="+strconv.Itoa(events)), env...)
	child.Stderr, child.Stdout = os.Stderr, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	return child
}

// A kill between the commit and the sending, and one between the sending and the mark that
// it was sent.
func TestAKillAroundTheSendingLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "strikable.test")
	if out, err := exec.Command("go", "test", "-c", "-tags", "failpoints", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, place := range []string{"tell-before", "tell-after", "commit-after", "commit-written"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			const events = 20
			seed := uint64(time.Now().UnixNano())
			receivers, url := twoReceivers(t, seed)
			dir, marks := t.TempDir(), t.TempDir()
			strikes := []string{place + "=crash@3", place + "=crash@7", place + "=crash@4"} // each in a process of its own
			for _, strike := range strikes {
				child := startTelling(t, exe, dir, url, events, "QUESTBOARD_FAILPOINTS="+marks+"\n"+strike)
				if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("%s: %v", strike, err)
				}
			}
			child := startTelling(t, exe, dir, url, events)
			deadline := time.After(time.Minute)
			for receivers["apart"].Has() < events || receivers["bundled"].Has() < events {
				select {
				case <-receivers["apart"].Bell:
				case <-receivers["bundled"].Bell:
				case <-deadline:
					t.Fatalf("%d and %d of %d events", receivers["apart"].Has(), receivers["bundled"].Has(), events)
				}
			}
			_ = child.Process.Kill()
			_ = child.Wait()
			for name, receiver := range receivers {
				if faults := receiver.Faults(); len(faults) > 0 || receiver.Has() != events {
					t.Errorf("%s: %s, %v", name, receiver.Words(), faults)
				}
			}
		})
	}
}
