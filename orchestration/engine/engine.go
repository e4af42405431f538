package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"questboard/orchestration"
)

// maxBatch is the largest number of requests in one commit: large enough to share the
// price of a commit, small enough that nobody waits long.
const maxBatch = 64

// serverActor is the actor that grants slots and reports on processes.
const serverActor = "server"

// Engine owns the order of events. Its methods may be called from any goroutine. All
// changes of quests go through one goroutine, the loop.
type Engine struct {
	cfg Config

	inbox    inbox
	cache    *cache
	server   atomic.Pointer[Server]   // replaced whole, by the loop
	readOnly atomic.Pointer[ReadOnly] // set by the loop; nil: the disk accepts everything
	dispatch Dispatcher
	now      func() time.Time
	spending spending
	// committing is when the commit began that is being made; nil: none is.
	committing atomic.Pointer[time.Time]

	starting sync.Once
	stopping sync.Once
	begun    atomic.Bool
	quit     chan struct{} // closed to stop without waiting for processes
	done     chan struct{} // closed when the loop has ended
	// superseded is closed when another server works with the database.
	superseded chan struct{}

	// Only the loop uses the rest.
	active   map[string]*orchestration.Quest // not over, or with a run that has not ended
	wakeAt   map[string]time.Time            // by quest: when its next backoff ends
	damaged  map[string]bool
	untold   []orchestration.Notice // of damaged quests; the next commit stores them
	behind   map[string]bool        // quests that waited for those of a higher priority at the last ring
	budgets  []string               // what boards said at the last ring of the budgets that all quests share
	aside    map[string]time.Time   // by quest: nothing that nobody asks for before this
	doubtful map[string]bool        // must be read from the store again
	unsure   bool                   // so must the server's rows
	kept     []*request             // requests to try again
	retry    retry
	lookedAt time.Time // time of the newest batch
	slowAt   time.Time // time of the last log line about a slow commit
	draining bool
	lost     bool // superseded is closed
}

// New returns an engine. Start makes it work.
func New(c Config) (*Engine, error) {
	c, err := c.checked()
	if err != nil {
		return nil, fmt.Errorf("set up the engine: %w", err)
	}
	e := &Engine{
		cfg: c, cache: newCache(), inbox: inbox{wake: make(chan struct{}, 1)},
		// Stored times have no monotonic reading, so times in memory have none either.
		now:  func() time.Time { return c.Clock().Round(0).UTC() },
		quit: make(chan struct{}), done: make(chan struct{}), superseded: make(chan struct{}),
		active: map[string]*orchestration.Quest{}, wakeAt: map[string]time.Time{},
		damaged: map[string]bool{}, aside: map[string]time.Time{}, doubtful: map[string]bool{},
	}
	e.server.Store(&Server{})
	e.dispatch = dispatchers{c.here(c.HostConfig, center{e}), e}
	return e, nil
}

// Start loads the quests, ends the processes that are left from before a restart, and
// begins to work. ctx limits only the start; the loop runs until Stop.
func (e *Engine) Start(ctx context.Context) error {
	err := fmt.Errorf("the engine was started before")
	e.starting.Do(func() {
		if err = e.recover(ctx); err != nil {
			err = fmt.Errorf("start the engine: %w", err)
			return
		}
		e.begun.Store(true)
		go e.loop()
	})
	return err
}

// Stop ends the engine in two stages. It gives out no more slots and interrupts the
// running processes; their sessions are kept, and the next Start resumes them. Stop
// returns when that is committed. If ctx ends first, it returns without waiting for
// processes, and the next Start sweeps them. It does not wait for a commit that hangs
// either: if the database carries it out, the next Start finds it.
func (e *Engine) Stop(ctx context.Context) {
	if !e.begun.Load() {
		e.inbox.close()
		return
	}
	e.inbox.post(&request{alone: func() error {
		e.draining = true
		e.dispatch.Interrupt("", "the server was stopped")
		return nil
	}})
	select {
	case <-e.done:
	case <-ctx.Done():
		e.stopping.Do(func() { close(e.quit) })
		select {
		case <-e.done:
		case <-time.After(lastCommit):
			e.cfg.Log.Error("the database does not answer: the next start finds out whether the last change was stored")
		}
	}
}

// lastCommit is how long a commit may take at the end.
const lastCommit = 2 * time.Second

// loop is the one goroutine that changes quests. Stop ends it.
func (e *Engine) loop() {
	defer e.end()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.quit:
			return
		default:
		}
		e.turn()
		if e.draining && e.idle() && e.inbox.closeIf() {
			return
		}
		timer.Reset(e.untilNext())
		select {
		case <-e.inbox.wake:
		case <-timer.C:
		case <-e.quit:
			return
		}
	}
}

// idle reports whether no run is alive, and nothing waits to be stored.
func (e *Engine) idle() bool {
	agents, checks := e.dispatch.Live("")
	return agents+checks == 0 && (len(e.kept) == 0 || e.lost)
}

// turn carries out one batch of pending requests and gives out free slots. While
// nothing can be stored it only checks whether that is over.
func (e *Engine) turn() {
	requests := e.inbox.take(maxBatch)
	if len(requests) == 1 && requests[0].alone != nil {
		o := requests[0]
		err := guard("", o.alone)
		o.reply(e.cache.get(o.quest), err)
		requests = nil
	}
	was := e.readOnly.Load()
	if was != nil && !e.probe() {
		e.park(requests)
		return
	}
	if len(e.kept) > 0 && e.retry.due(e.now()) {
		requests = append(e.kept, requests...)
		e.kept = nil
	}
	if e.commitRequests(requests) && was != nil {
		e.recovered()
	}
}

// lookAgain is the longest sleep of the loop: timers stand still while the computer
// sleeps, but the clock does not.
const lookAgain = time.Minute

// untilNext returns the time until a backoff, a hold or a retry is due.
func (e *Engine) untilNext() time.Duration {
	var next time.Time
	look := func(at time.Time) {
		if at.After(e.lookedAt) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	look(e.retry.at)
	for _, at := range e.wakeAt {
		look(at)
	}
	for _, h := range e.server.Load().Holds {
		look(h.Until)
	}
	if e.readOnly.Load() != nil {
		next = e.retry.at // everything else waits for the disk
	}
	if next.IsZero() {
		return lookAgain
	}
	return min(max(next.Sub(e.now()), time.Millisecond), lookAgain)
}

// end answers the requests that will not be carried out. It also lets go of the working
// trees, before for example the next server uses them.
func (e *Engine) end() {
	e.dispatch.Close()
	for _, o := range append(e.kept, e.inbox.close()...) {
		o.reply(e.cache.get(o.quest), ErrStopped)
	}
	idle := make(chan struct{})
	go func() { // ends with the last git command
		defer close(idle)
		e.dispatch.Wait("")
	}()
	select {
	case <-idle:
	case <-e.quit:
	}
	close(e.done)
}
