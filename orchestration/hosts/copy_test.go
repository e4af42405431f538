package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// copied is a quest on a host, and what git does at both ends.
type copied struct {
	*hosts.Link
	q    *orchestration.Quest
	data string // of the host
	// again ends with the test, or when something is done once more that must be done once.
	again context.Context

	here  func(to io.Writer) error   // makes the pack on the host
	there func(to io.Writer) error   // makes the pack on the server
	got   func(from io.Reader) error // takes the pack on the host
	took  func(from io.Reader) error // takes the pack on the server
	full  atomic.Bool                // the server's disk
	room  chan struct{}              // closed when it has room again
	begin func() error               // the server makes the quest's branch
	tips  func() error               // the server lists its refs
}

// once returns f, which ends the test's context if it is called again.
func once[T any](end func(), f func(T) error) func(T) error {
	var calls atomic.Int32
	return func(with T) error {
		if calls.Add(1) > 1 {
			end()
		}
		return f(with)
	}
}

// copies connects a host with its server. It has the quest, or else gets it.
func copies(t *testing.T, has bool) (c *copied, end func()) {
	t.Helper()
	c = &copied{q: &orchestration.Quest{ID: "abc", Workspace: orchestration.WorkspaceWorktree, Workplace: orchestration.Workplace{Host: "forge"}}}
	discard := func(from io.Reader) error { _, err := io.Copy(io.Discard, from); return err }
	c.got, c.took, c.room = discard, discard, make(chan struct{})
	c.begin, c.tips = func() error { return nil }, func() error { return nil }
	pack := func(to io.Writer) error { _, err := io.WriteString(to, "a pack"); return err }
	c.here, c.there = pack, pack
	c.again, end = context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(end)
	c.data = t.TempDir()
	data := c.data
	if has {
		if err := errors.Join(os.MkdirAll(filepath.Join(data, "git", "abc"), 0o700), os.MkdirAll(filepath.Join(data, "hosts"), 0o700),
			os.WriteFile(filepath.Join(data, "hosts", "abc"), []byte("0"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	known := c.registry()
	known.Output = outputs(t)
	server := httptest.NewServer(known.Handler())
	t.Cleanup(server.CloseClientConnections)
	c.Link = hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Version: "1", Worker: "w", Data: data, Log: slog.New(slog.DiscardHandler),
		Load: func() float64 { return 0 }, Free: func() int64 { return 0 }, Full: func(context.Context) error { return nil }}, hereGit{noGit{}, c})
	c.Attach(engine.NewHost(engine.HostConfig{}, c.Link))
	go func() { _ = c.Run(t.Context()) }() // ends with the test
	return c, end
}

// outputs are those of a server whose hosts print nothing.
func outputs(t *testing.T) hosts.Output {
	t.Helper()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return hosts.NewOutput(logs)
}

func (c *copied) registry() *hosts.Registry {
	return &hosts.Registry{Engine: serving{settled{[]record.Host{{Name: "forge", KeyHash: hosts.HashKey("forge.1")}}}, c}, Version: "1",
		Times: hosts.TimesOf(hosts.DefaultLease), Git: thereGit{c: c}, Log: slog.New(slog.DiscardHandler)}
}

func (c *copied) saveWork() error {
	_, err := hosts.Synced{Workspace: saving{}, Link: c.Link}.SaveWork(c.again, c.q, &orchestration.Run{ID: "abc-r1"})
	return err
}

func (c *copied) merge() orchestration.MergeEnded {
	return hosts.Synced{Workspace: saving{}, Link: c.Link}.Merge(c.again, c.q, "step")
}

type serving struct {
	settled
	c *copied
}

func (s serving) Center() engine.Center { return servingCenter{c: s.c} }

type servingCenter struct {
	fullCenter
	c *copied
}

func (s servingCenter) Storable() bool                     { return !s.c.full.Load() }
func (s servingCenter) Newest(string) *orchestration.Quest { return s.c.q }

func (servingCenter) Post(string, orchestration.InputKind) <-chan bool {
	done := make(chan bool, 1)
	done <- true
	return done
}

// WaitStorable waits for a disk that is full until the caller loses patience.
func (s servingCenter) WaitStorable(ctx context.Context) bool {
	if !s.c.full.Load() {
		return false
	}
	select {
	case <-s.c.room:
		s.c.full.Store(false)
		return true
	case <-ctx.Done():
		return false
	}
}

func (servingCenter) Changed(string, string) {}

type saving struct{ engine.Workspace }

func (saving) SaveWork(context.Context, *orchestration.Quest, *orchestration.Run) (engine.SavedWork, error) {
	return engine.SavedWork{}, nil
}

func (saving) Merge(_ context.Context, _ *orchestration.Quest, step string) orchestration.MergeEnded {
	return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged}
}

type hereGit struct {
	noGit
	c *copied
}

func (hereGit) Heads(context.Context, *orchestration.Quest) ([]string, error)     { return nil, nil }
func (hereGit) Has(context.Context, *orchestration.Quest, []string) (bool, error) { return true, nil }
func (hereGit) Drop(context.Context, string) error                                { return nil }
func (hereGit) Tips(context.Context, *orchestration.Quest) (map[string]string, error) {
	return map[string]string{"refs/heads/quest": "2"}, nil
}

func (g hereGit) Pack(_ context.Context, _ *orchestration.Quest, _, _ []string, to io.Writer) error {
	return g.c.here(to)
}

func (g hereGit) Take(_ context.Context, _ *orchestration.Quest, _ map[string]string, pack io.Reader) error {
	return errors.Join(os.MkdirAll(filepath.Join(g.c.data, "git", "abc"), 0o700), g.c.got(pack))
}

type thereGit struct{ c *copied }

func (g thereGit) Begin(context.Context, *orchestration.Quest) error { return g.c.begin() }
func (g thereGit) Tips(context.Context, *orchestration.Quest) (map[string]string, error) {
	return map[string]string{"refs/heads/quest": "1"}, g.c.tips()
}

func (g thereGit) Pack(_ context.Context, _ *orchestration.Quest, _, _ []string, to io.Writer) error {
	return g.c.there(to)
}

func (g thereGit) Take(_ context.Context, _ *orchestration.Quest, _ map[string]string, pack io.Reader) error {
	return g.c.took(pack)
}

// half writes a part of a pack, and fails.
func half(to io.Writer) error {
	_, err := io.WriteString(to, strings.Repeat("half a pack ", 10_000))
	return errors.Join(err, errors.New("an object is damaged"))
}

// docs/limits.md: work that git cannot pack does not wait for a server that is there.
func TestAPackThatBreaksOnTheHostEndsTheCopy(t *testing.T) {
	t.Parallel()
	c, end := copies(t, true)
	c.here = once(end, half)
	if err := c.saveWork(); err == nil || err.Error() != "an object is damaged" {
		t.Errorf("saved with %v", err)
	}
	c, end = copies(t, true)
	c.here = once(end, half)
	if got := c.merge(); got.Outcome != orchestration.MergeBroke || got.Why != "an object is damaged" {
		t.Errorf("merged with %+v", got)
	}
}

func TestAPackThatBreaksOnTheServerEndsTheCopy(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]error{"and git sees it": errors.New("early EOF"), "and git does not see it": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, end := copies(t, false)
			c.there = once(end, half)
			c.got = func(from io.Reader) error {
				_, err := io.Copy(io.Discard, from)
				return errors.Join(err, got)
			}
			if err := c.saveWork(); err == nil || !strings.Contains(err.Error(), "an object is damaged") {
				t.Errorf("saved with %v", err)
			}
		})
	}
}

// A copy that the connection cut off is made again, and so is that of a server that ends.
func TestACopyThatIsCutOffIsMadeAgain(t *testing.T) {
	t.Parallel()
	c, _ := copies(t, false)
	var there, here, took atomic.Int32
	c.there = func(to io.Writer) error {
		if there.Add(1) == 1 {
			return errors.Join(half(to), fmt.Errorf("git: %w", engine.ErrStopped))
		}
		_, err := io.WriteString(to, "a pack")
		return err
	}
	c.here = func(to io.Writer) error {
		here.Add(1)
		for {
			if _, err := io.WriteString(to, strings.Repeat("a pack ", 10_000)); err != nil {
				return errors.New("signal: broken pipe") // as git says it
			}
			if here.Load() > 1 {
				return nil
			}
		}
	}
	c.took = func(from io.Reader) error {
		if took.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		_, err := io.Copy(io.Discard, from)
		return err
	}
	if err := c.saveWork(); err != nil || there.Load() != 2 || here.Load() != 2 || took.Load() != 2 {
		t.Errorf("saved with %v after %d fetches and %d pushes", err, there.Load(), took.Load())
	}
}

// docs/hosts.md#when-something-breaks: while the disk of the server is full, work on hosts waits.
func TestACopyWaitsForTheDiskOfTheServer(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(c *copied, full func() error){
		"its branch": func(c *copied, full func() error) { c.begin = full },
		"its refs":   func(c *copied, full func() error) { c.tips = full },
		"its pack": func(c *copied, full func() error) {
			c.there = func(to io.Writer) error {
				_, err := io.WriteString(to, strings.Repeat("half a pack ", 10_000))
				return errors.Join(err, full())
			}
		},
		"the host's pack": func(c *copied, full func() error) { c.took = func(io.Reader) error { return full() } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := copies(t, false)
			c.full.Store(true)
			var tries atomic.Int32
			fails(c, func() error {
				if tries.Add(1) > 1 {
					return nil
				}
				close(c.room)
				return errors.New("no space left on device")
			})
			if err := c.saveWork(); err != nil || tries.Load() < 2 {
				t.Errorf("saved with %v after %d tries", err, tries.Load())
			}
		})
	}
}

// The server does not hold a request for ever: it cannot see that a host is gone which still sends.
func TestARequestDoesNotOutlastAFullDisk(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"full": errors.New("no space left on device"), "ending": fmt.Errorf("git: %w", engine.ErrStopped)} {
		synctest.Test(t, func(t *testing.T) {
			c := &copied{q: &orchestration.Quest{ID: "abc", Workplace: orchestration.Workplace{Host: "forge"}}, room: make(chan struct{})}
			c.full.Store(name == "full")
			c.tips = func() error { return err }
			asked := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/hosts/quests/abc/tips", nil)
			asked.Header.Set("Questboard-Host-Key", "forge.1")
			asked.Header.Set("Questboard-Worker", "w")
			got, began := httptest.NewRecorder(), time.Now()
			c.registry().Handler().ServeHTTP(got, asked)
			if got.Code != http.StatusServiceUnavailable || time.Since(began) > time.Minute {
				t.Errorf("%s: %d after %v", name, got.Code, time.Since(began))
			}
		})
	}
}
