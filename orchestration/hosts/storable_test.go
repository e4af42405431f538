package hosts_test

import (
	"log/slog"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// full is a server whose disk is full, or not.
type full struct {
	settled
	is atomic.Bool
}

func (f *full) Center() engine.Center { return fullCenter{nothing{}, f} }

type fullCenter struct {
	nothing
	f *full
}

func (c fullCenter) Storable() bool                   { return !c.f.is.Load() }
func (fullCenter) Settings() record.Settings          { return record.Settings{} }
func (fullCenter) Newest(string) *orchestration.Quest { return nil }

// A host knows whether its server can store something: from the beginning, and as that changes.
func TestAHostKnowsWhetherItsServerCanStore(t *testing.T) {
	t.Parallel()
	f := &full{settled: settled{[]record.Host{{Name: "forge", KeyHash: hosts.HashKey("forge.1")}}}}
	f.is.Store(true)
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	known := &hosts.Registry{Engine: f, Version: "1", Times: hosts.TimesOf(30 * time.Second), Output: hosts.NewOutput(logs), Log: slog.New(slog.DiscardHandler)}
	known.Times.Beat = 20 * time.Millisecond
	server := httptest.NewServer(known.Handler())
	defer server.Close()
	link := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Version: "1", Worker: "w", Log: slog.New(slog.DiscardHandler),
		Load: func() float64 { return 0 }, Free: func() int64 { return 0 }}, noGit{})
	link.Attach(engine.NewHost(engine.HostConfig{}, link))
	ended := make(chan error, 1)
	go func() { ended <- link.Run(t.Context()) }() // ends after the test
	until := func(what string, so func() bool) {
		t.Helper()
		for begun := time.Now(); !so(); time.Sleep(5 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("waited in vain for %s", what)
			}
		}
	}
	until("the connection", link.Connected)
	if link.Storable() {
		t.Error("storable from the beginning")
	}
	for _, is := range []bool{false, true, false} {
		f.is.Store(is)
		until("word of it", func() bool { return link.Storable() != is })
	}
}
