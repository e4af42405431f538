package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"questboard/orchestration"
)

// maxBatch is how many orders one commit takes at most: enough to share the
// price of a commit, few enough that nobody waits long for the answer.
const maxBatch = 64

// serverActor is who grants slots and reports processes.
const serverActor = "server"

// Engine owns the order of events. Its methods may be called from anywhere;
// what changes a quest goes through one goroutine, the loop.
type Engine struct {
	cfg Config

	inbox    inbox
	shelf    *shelf
	server   atomic.Pointer[Server]   // replaced whole, by the loop
	readOnly atomic.Pointer[ReadOnly] // set by the loop; nil: everything can be stored
	dispatch Dispatcher
	now      func() time.Time

	starting sync.Once
	stopping sync.Once
	begun    atomic.Bool
	quit     chan struct{} // closed: stop without waiting for processes
	done     chan struct{} // closed when the loop has ended

	// The rest is the loop's alone.
	active   map[string]*orchestration.Quest // not over, or with a run that has not ended
	wakeAt   map[string]time.Time            // by quest: its next backoff ends
	damaged  map[string]bool
	aside    map[string]time.Time // by quest: no grants before this
	doubtful map[string]bool      // to be read from the store again
	kept     []*order             // to be tried again
	retry    retry
	lookedAt time.Time // when the newest round was
	slowAt   time.Time // when a slow commit was last told
	draining bool
}

// New returns an engine that Start sets going.
func New(c Config) (*Engine, error) {
	c, err := c.checked()
	if err != nil {
		return nil, fmt.Errorf("set up the engine: %w", err)
	}
	e := &Engine{
		cfg: c, shelf: newShelf(), inbox: inbox{wake: make(chan struct{}, 1)},
		// Stored times carry no monotonic reading; in memory they are the same.
		now:  func() time.Time { return c.Clock().Round(0).UTC() },
		quit: make(chan struct{}), done: make(chan struct{}),
		active: map[string]*orchestration.Quest{}, wakeAt: map[string]time.Time{},
		damaged: map[string]bool{}, aside: map[string]time.Time{}, doubtful: map[string]bool{},
	}
	e.server.Store(&Server{})
	e.dispatch = newLocal(e)
	return e, nil
}

// Start loads the quests, ends what is left of runs from before a restart and
// begins to work. ctx bounds only that; the loop goes on until Stop.
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

// Stop ends the engine in two stages. At once no slot is given any more, and
// the runs that go on are interrupted: their sessions are kept, and the next
// Start resumes them. It returns when that is committed; if ctx ends before, it
// returns without waiting for processes, and the next Start sweeps them.
func (e *Engine) Stop(ctx context.Context) {
	if !e.begun.Load() {
		e.inbox.close()
		return
	}
	e.inbox.post(&order{alone: func() error {
		e.draining = true
		e.dispatch.Interrupt("", "the server was stopped")
		return nil
	}})
	select {
	case <-e.done:
	case <-ctx.Done():
		e.stopping.Do(func() { close(e.quit) })
		<-e.done
	}
}

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
		if e.draining && e.dispatch.Live("") == 0 && len(e.kept) == 0 && e.inbox.closeIf() {
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

// turn does one batch of what is pending, and gives out free slots. While
// nothing can be stored it only looks whether that is over.
func (e *Engine) turn() {
	orders := e.inbox.take(maxBatch)
	if len(orders) == 1 && orders[0].alone != nil {
		o := orders[0]
		err := guard("", o.alone)
		o.reply(e.shelf.get(o.quest), err)
		orders = nil
	}
	was := e.readOnly.Load()
	if was != nil && !e.probe() {
		e.park(orders)
		return
	}
	if len(e.kept) > 0 && e.retry.due(e.now()) {
		orders = append(e.kept, orders...)
		e.kept = nil
	}
	if e.settle(orders) && was != nil {
		e.recovered()
	}
}

// lookAgain is how long the loop sleeps at most: timers stand still while the
// computer sleeps, the clock does not.
const lookAgain = time.Minute

// untilNext is the time until a backoff, a hold or a retry is due.
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
		next = e.retry.at // all else waits for the disk
	}
	if next.IsZero() {
		return lookAgain
	}
	return min(max(next.Sub(e.now()), time.Millisecond), lookAgain)
}

// end answers what nobody will do any more, and lets go of the working trees
// before anybody else, say the next server, takes hold of them.
func (e *Engine) end() {
	e.dispatch.Close()
	for _, o := range append(e.kept, e.inbox.close()...) {
		o.reply(e.shelf.get(o.quest), ErrStopped)
	}
	idle := make(chan struct{})
	go func() { // ends with the last command of git
		defer close(idle)
		e.dispatch.Wait()
	}()
	select {
	case <-idle:
	case <-e.quit:
	}
	close(e.done)
}
