package hosts_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// Runs of one quest end at the same time, and each sends what the host has then. If an older state
// arrived after a newer one, it would take the newer work away from the server.
func TestWhatAHostSendsOfAQuestArrivesInOrder(t *testing.T) {
	t.Parallel()
	q := &orchestration.Quest{ID: "q1", Workspace: orchestration.WorkspaceWorktree, Workplace: orchestration.Workplace{Host: "forge"}}
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "git", q.ID), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(data, "hosts"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "hosts", q.ID), []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := &sending{second: make(chan struct{})}
	known := &hosts.Registry{Engine: atWork{settled{[]record.Host{{Name: "forge", KeyHash: hosts.HashKey("forge.1")}}}, q}, Version: "1",
		Times: hosts.TimesOf(hosts.DefaultLease), Git: &receiving{from: one}, Output: outputs(t), Log: slog.New(slog.DiscardHandler)}
	server := httptest.NewServer(known.Handler())
	defer server.Close()
	link := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Version: "1", Worker: "w", Data: data, Log: slog.New(slog.DiscardHandler),
		Load: func() float64 { return 0 }, Free: func() int64 { return 0 }}, one)
	link.Attach(engine.NewHost(engine.HostConfig{}, link))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() { _ = link.Run(ctx) }() // ends with the test
	synced := hosts.Synced{Workspace: still{}, Link: link}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := synced.Release(ctx, q, "one"); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if one.mixed.Load() || one.looked.Load() != 2 {
		t.Errorf("%d sends, one began within another: %v", one.looked.Load(), one.mixed.Load())
	}
}

// sending is the git of a host, which notes whether two sends are under way.
type sending struct {
	noGit
	looked, under atomic.Int32
	mixed         atomic.Bool
	second        chan struct{} // closed once a second send has looked at what is here
}

func (*sending) Has(context.Context, *orchestration.Quest, []string) (bool, error) { return true, nil }

func (s *sending) Tips(context.Context, *orchestration.Quest) (map[string]string, error) {
	if s.under.Add(1) > 1 {
		s.mixed.Store(true)
	}
	n := s.looked.Add(1)
	if n == 2 {
		close(s.second)
	}
	return map[string]string{"refs/heads/quest/q1": fmt.Sprint(n)}, nil
}

func (*sending) Pack(_ context.Context, _ *orchestration.Quest, _, _ []string, to io.Writer) error {
	_, err := io.WriteString(to, "pack")
	return err
}

// receiving is the git of the server.
type receiving struct {
	hosts.ServerGit
	from *sending
}

func (*receiving) Tips(context.Context, *orchestration.Quest) (map[string]string, error) {
	return nil, nil
}

func (r *receiving) Take(_ context.Context, _ *orchestration.Quest, _ map[string]string, pack io.Reader) error {
	select {
	case <-r.from.second:
	case <-time.After(300 * time.Millisecond): // it waits for its turn
	}
	r.from.under.Add(-1)
	_, err := io.Copy(io.Discard, pack)
	return err
}

// atWork is a server with one quest.
type atWork struct {
	settled
	q *orchestration.Quest
}

func (a atWork) Center() engine.Center { return ofOne{storing{}, a.q} }

type ofOne struct {
	storing
	q *orchestration.Quest
}

func (o ofOne) Newest(string) *orchestration.Quest { return o.q }
func (ofOne) Changed(string, string)               {}

// still is a workspace in which nothing happens.
type still struct{ engine.Workspace }

func (still) Release(context.Context, *orchestration.Quest, string) error { return nil }

func outputs(t *testing.T) hosts.Output {
	t.Helper()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return hosts.NewOutput(logs)
}
