package telling

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"questboard/failpoint"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Outbox keeps notices and messages.
type Outbox interface {
	// AddNotice stores a notice that no commit causes.
	AddNotice(ctx context.Context, n orchestration.Notice) error
	// Notices returns up to n notices that are in no message yet, oldest first, and the
	// number to pass to Put; 0: there are none.
	Notices(ctx context.Context, n int) (list []orchestration.Notice, through int64, err error)
	// Put stores messages and removes the notices up to through, all or nothing.
	Put(ctx context.Context, messages []record.Message, through int64) error
	// Waiting returns up to n messages of a channel that wait, oldest first.
	Waiting(ctx context.Context, channel string, n int) ([]record.Message, error)
	// Newest returns the newest message of a channel that waits; nil: there is none.
	Newest(ctx context.Context, channel string) (*record.Message, error)
	// GiveUpBehind ends the messages of a channel that wait behind the oldest n and were
	// opened at that time or before.
	GiveUpBehind(ctx context.Context, channel string, n int, opened time.Time, why string, at time.Time) error
	// GiveUp ends the waiting messages of all channels but these.
	GiveUp(ctx context.Context, but []string, why string, at time.Time) error
	// Forget removes messages that ended before a time.
	Forget(ctx context.Context, before time.Time) error
}

// Settings has the channels.
type Settings interface {
	Settings(ctx context.Context) (record.Settings, error)
	ChangeSettings(ctx context.Context, change func(*record.Settings)) error
}

// Fault says why a message did not arrive.
type Fault struct {
	Why string
	// After: the receiver asks to be left alone for so long; 0: it did not say.
	After time.Duration
	// Stop: the receiver wants nothing any more.
	Stop bool
}

// Error implements error.
func (f *Fault) Error() string { return f.Why }

// rest is how long the receiver is left alone.
func (f *Fault) rest() time.Duration { return min(f.After, giveUpAfter) }

// Config has what a Teller needs. Every field but ReadOnly is required.
type Config struct {
	Outbox   Outbox
	Settings Settings
	// Send sends one message and returns in limited time. Its error should be a *Fault.
	Send  func(ctx context.Context, c record.Channel, m record.Message) error
	Clock func() time.Time
	Log   *slog.Logger
	Timing
	// ReadOnly says why nothing can be stored; nil: everything can.
	ReadOnly func() error
}

// Teller sends what people are to be told.
type Teller struct {
	cfg  Config
	bell chan struct{}

	mu    sync.Mutex
	loose []orchestration.Notice // that could not be stored

	// The rest belongs to the loop.
	ended chan try
	busy  map[string]bool           // the channels with a message on its way
	owed  map[string]record.Message // those that are not stored as they are, by id
	rests map[string]time.Time      // by address: when a receiver that asked for a rest has had it
	known []string                  // the channels at the last look
	swept time.Time                 // when old messages were forgotten
	full  bool                      // people were told that nothing can be stored
}

// try is one message that was sent, or was not.
type try struct {
	channel record.Channel
	message record.Message
	begun   time.Time
	err     error
}

// New returns a Teller. Run starts it.
func New(c Config) *Teller {
	return &Teller{cfg: c, bell: make(chan struct{}, 1), ended: make(chan try), busy: map[string]bool{}, owed: map[string]record.Message{},
		rests: map[string]time.Time{}}
}

// QuestChanged implements engine.Notifier: there may be something to tell.
func (t *Teller) QuestChanged(string, []string) { t.ring() }

// Progressed implements engine.Notifier.
func (t *Teller) Progressed(string, string) {}

// Spending implements engine.Notifier.
func (t *Teller) Spending(map[string][]string) {}

// ReadOnlyChanged implements engine.Notifier.
func (t *Teller) ReadOnlyChanged() { t.ring() }

func (t *Teller) ring() {
	select {
	case t.bell <- struct{}{}:
	default: // it rings already
	}
}

// Tell tells people of something that no quest's history has. If it cannot be stored, it
// is told as long as this server lives.
func (t *Teller) Tell(ctx context.Context, n orchestration.Notice) {
	if err := t.cfg.Outbox.AddNotice(ctx, n); err != nil {
		t.mu.Lock()
		t.loose = append(t.loose, n)
		t.mu.Unlock()
	}
	t.ring()
}

// Test sends a test to a channel and returns what went wrong.
func (t *Teller) Test(ctx context.Context, c record.Channel) error {
	n := orchestration.NewNotice(orchestration.NoticeTest, "", t.cfg.Clock())
	return t.cfg.Send(ctx, c, record.Message{ID: n.ID, Channel: c.ID, Notices: []orchestration.Notice{n}, Closed: true})
}

// lookEvery is the longest time between two looks. A missed bell costs no more.
const lookEvery = time.Minute

// Run sends messages until ctx ends. What is on its way then counts as not tried, and is
// sent by the next server.
func (t *Teller) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	for ctx.Err() == nil {
		wait := time.NewTimer(t.look(ctx, &sending))
		select {
		case <-ctx.Done():
		case <-t.bell:
		case <-wait.C:
		case done := <-t.ended:
			t.settle(ctx, done)
		}
		wait.Stop()
	}
}

// look does all that is to be done now, and returns how long to wait.
func (t *Teller) look(ctx context.Context, sending *sync.WaitGroup) time.Duration {
	settings, err := t.cfg.Settings.Settings(ctx)
	if err != nil {
		t.cfg.Log.Warn("the channels cannot be read", "error", err)
		return lookEvery
	}
	now := t.cfg.Clock()
	open := slices.DeleteFunc(slices.Clone(settings.Channels), func(c record.Channel) bool { return c.Stopped != "" })
	if err := t.prepare(ctx, open, settings.Levels, now); err != nil {
		if t.cfg.ReadOnly == nil || t.cfg.ReadOnly() == nil {
			t.cfg.Log.Warn("notices cannot be stored", "error", err)
		}
	}
	wait := lookEvery
	for _, c := range open {
		if t.busy[c.ID] {
			continue
		}
		waiting, err := t.waiting(ctx, c.ID)
		if err != nil {
			t.cfg.Log.Warn("the messages of a channel cannot be read", "channel", c.Name, "error", err)
			continue
		}
		m, next := t.cfg.due(c, waiting, t.rests[c.Address], now)
		switch {
		case m != nil && t.close(ctx, m):
			t.busy[c.ID] = true
			sending.Go(func() { t.send(ctx, c, *m, now) })
		case !next.IsZero():
			wait = min(wait, max(next.Sub(now), time.Millisecond))
		}
	}
	return wait
}

// prepare brings notices into messages, and the outbox up to date.
func (t *Teller) prepare(ctx context.Context, open []record.Channel, levels map[string]record.Level, now time.Time) error {
	t.tellLoose(open, levels, now)
	for _, m := range t.owed {
		if m.Seq != 0 {
			if err := t.cfg.Outbox.Put(ctx, []record.Message{m}, 0); err != nil {
				return err
			}
			delete(t.owed, m.ID)
		}
	}
	var ids []string
	for _, c := range open {
		ids = append(ids, c.ID)
	}
	if t.swept.IsZero() || !slices.Equal(ids, t.known) {
		if err := t.cfg.Outbox.GiveUp(ctx, ids, "the channel was removed or stopped", now); err != nil {
			return err
		}
		t.known = ids
	}
	if now.Sub(t.swept) > time.Hour {
		if err := t.cfg.Outbox.Forget(ctx, now.Add(-keep)); err != nil {
			return err
		}
		t.swept = now
	}
	for {
		notices, through, err := t.cfg.Outbox.Notices(ctx, lookAhead)
		if err != nil || through == 0 {
			return err
		}
		var changed []record.Message
		for _, c := range open {
			newest, err := t.cfg.Outbox.Newest(ctx, c.ID)
			if err != nil {
				return err
			}
			if newest != nil && newest.Closed {
				newest = nil
			}
			changed = append(changed, sorted(c, levels, notices, newest, now)...)
		}
		if err := t.cfg.Outbox.Put(ctx, changed, through); err != nil {
			return err
		}
	}
}

// tellLoose makes messages of what cannot be stored.
func (t *Teller) tellLoose(open []record.Channel, levels map[string]record.Level, now time.Time) {
	t.mu.Lock()
	list := t.loose
	t.loose = nil
	t.mu.Unlock()
	if t.cfg.ReadOnly != nil {
		err := t.cfg.ReadOnly()
		if err != nil && !t.full {
			list = append(list, orchestration.NewNotice(orchestration.NoticeDisk, err.Error(), now))
		}
		t.full = err != nil
	}
	for _, c := range open {
		c.Apart = true
		for _, m := range sorted(c, levels, list, nil, now) {
			t.owed[m.ID] = m
		}
	}
}

// waiting returns the messages of a channel that wait, those that cannot be stored first.
func (t *Teller) waiting(ctx context.Context, channel string) ([]record.Message, error) {
	stored, err := t.cfg.Outbox.Waiting(ctx, channel, lookAhead)
	if err != nil && len(t.owed) == 0 {
		return nil, err
	}
	var list []record.Message
	for _, m := range stored {
		if newer, is := t.owed[m.ID]; is {
			m = newer
		}
		if m.State == record.MessageWaits {
			list = append(list, m)
		}
	}
	var loose []record.Message
	for _, m := range t.owed {
		if m.Seq == 0 && m.Channel == channel {
			loose = append(loose, m)
		}
	}
	slices.SortFunc(loose, func(a, b record.Message) int { return a.Opened.Compare(b.Opened) })
	return append(loose, list...), nil
}

// close ends the gathering of a message. Only then it may be sent.
func (t *Teller) close(ctx context.Context, m *record.Message) bool {
	if m.Closed {
		return true
	}
	m.Closed = true
	if err := t.cfg.Outbox.Put(ctx, []record.Message{*m}, 0); err != nil {
		t.cfg.Log.Warn("a message waits, because nothing can be stored", "error", err)
		return false
	}
	return true
}

// send sends one message and tells the loop. It ends with the try, or with ctx.
func (t *Teller) send(ctx context.Context, c record.Channel, m record.Message, begun time.Time) {
	failpoint.Pass(failpoint.TellBefore)
	err := t.cfg.Send(ctx, c, m)
	failpoint.Pass(failpoint.TellAfter)
	select {
	case t.ended <- try{c, m, begun, err}:
	case <-ctx.Done():
	}
}

// settle stores what became of a try.
func (t *Teller) settle(ctx context.Context, done try) {
	delete(t.busy, done.channel.ID)
	var fault *Fault
	if done.err != nil && !errors.As(done.err, &fault) {
		fault = &Fault{Why: done.err.Error()}
	}
	now := t.cfg.Clock()
	delete(t.rests, done.channel.Address)
	if fault != nil && fault.After > 0 {
		t.rests[done.channel.Address] = now.Add(fault.rest())
	}
	m := t.cfg.after(done.message, fault, done.begun, now)
	if m.State == record.MessageFailed && !fault.Stop {
		t.giveUpBehind(ctx, m)
	}
	switch {
	case m.Seq == 0 && m.State == record.MessageWaits:
		t.owed[m.ID] = m
	case m.Seq == 0:
		delete(t.owed, m.ID)
	default:
		t.owed[m.ID] = m
		if t.cfg.Outbox.Put(ctx, []record.Message{m}, 0) == nil {
			delete(t.owed, m.ID)
		}
	}
	if m.State == record.MessageFailed {
		t.cfg.Log.Warn("a message was given up", "channel", done.channel.Name, "tries", m.Tries, "error", m.Fault)
	}
	if fault != nil && fault.Stop {
		t.stop(ctx, done.channel, fault.Why)
	}
}

// giveUpBehind gives up what nobody looked at (lookAhead), because it has waited for at least
// as long as a message that was tried for a day. Else each hundred would be tried for a day
// after the one before, and a receiver that is away for long had a backlog without end.
func (t *Teller) giveUpBehind(ctx context.Context, m record.Message) {
	why := "it waited for a day behind others that failed: " + m.Fault
	if err := t.cfg.Outbox.GiveUpBehind(ctx, m.Channel, lookAhead, m.First, why, m.Ended); err != nil {
		t.cfg.Log.Warn("the messages behind one that was given up stay", "channel", m.Channel, "error", err)
	}
}

// stop stops a channel, unless its settings have changed since.
func (t *Teller) stop(ctx context.Context, c record.Channel, why string) {
	err := t.cfg.Settings.ChangeSettings(ctx, func(s *record.Settings) {
		if now, is := s.Channel(c.ID); is && now.Address == c.Address {
			now.Stopped = why
			s.SetChannel(now)
		}
	})
	if err != nil {
		t.cfg.Log.Warn("a channel cannot be stopped", "channel", c.Name, "error", err)
	}
}
