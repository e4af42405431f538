package telling_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
	"questboard/orchestration/telling"
)

// settings keeps settings in memory.
type settings struct {
	mu  sync.Mutex
	now record.Settings
}

func (s *settings) Settings(context.Context) (record.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, nil
}

func (s *settings) ChangeSettings(_ context.Context, change func(*record.Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
	return nil
}

// quick are waits for tests.
var quick = telling.Timing{Bundle: 50 * time.Millisecond, Retry: time.Millisecond, RetryMost: 20 * time.Millisecond}

// rig is a Teller with a real database. Each try waits until the test takes it and says
// how it ends.
type rig struct {
	t        *testing.T
	store    *store.Store
	settings settings
	teller   *telling.Teller
	tries    chan sent
	readOnly func() error
	clock    func() time.Time
}

type sent struct {
	channel record.Channel
	message record.Message
	end     chan error
}

// newRig returns a rig whose Teller works.
func newRig(t *testing.T, channels ...record.Channel) *rig {
	t.Helper()
	r := restingRig(t, channels...)
	r.start(r.store)
	return r
}

// restingRig returns a rig without a Teller.
func restingRig(t *testing.T, channels ...record.Channel) *rig {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, store: s, tries: make(chan sent), clock: time.Now}
	r.settings.now.Channels = channels
	return r
}

// start starts a Teller that ends with the test.
func (r *rig) start(outbox telling.Outbox) {
	r.teller = telling.New(telling.Config{Outbox: outbox, Settings: &r.settings, Clock: r.clock, Log: slog.New(slog.DiscardHandler), Timing: quick,
		ReadOnly: func() error {
			if r.readOnly == nil {
				return nil
			}
			return r.readOnly()
		},
		Send: func(ctx context.Context, c record.Channel, m record.Message) error {
			try := sent{c, m, make(chan error, 1)}
			select {
			case r.tries <- try:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case err := <-try.end:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}})
	ctx, end := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { // the clean-up ends it
		defer close(over)
		r.teller.Run(ctx)
	}()
	r.t.Cleanup(func() {
		end()
		<-over
		_ = r.store.Close()
	})
}

// next takes the next try.
func (r *rig) next() sent {
	r.t.Helper()
	select {
	case try := <-r.tries:
		return try
	case <-time.After(20 * time.Second):
		r.t.Fatal("nothing is sent")
		return sent{}
	}
}

// tell tells of something, with the texts as ids.
func (r *rig) tell(texts ...string) {
	r.t.Helper()
	for i, text := range texts {
		n := orchestration.NewNotice(orchestration.NoticeBackup, text, time.Now().Add(time.Duration(i)))
		n.ID = text
		r.teller.Tell(r.t.Context(), n)
	}
}

// until waits for how a channel does.
func (r *rig) until(channel string, holds func(record.Standing) bool) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		s, err := r.store.Standing(r.t.Context(), channel)
		if err != nil {
			r.t.Fatal(err)
		}
		if holds(s) {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("%s: %+v", channel, s)
		}
	}
}

func ids(m record.Message) string {
	var list []string
	for _, n := range m.Notices {
		list = append(list, n.ID)
	}
	return strings.Join(list, " ")
}

func TestEachChannelGetsAMessageAndAnotherTryAfterAFailure(t *testing.T) {
	t.Parallel()
	r := newRig(t, record.Channel{ID: "phone", Apart: true})
	r.tell("one")
	first := r.next()
	first.end <- &telling.Fault{Why: "it answered 500"}
	second := r.next()
	if ids(second.message) != "one" || second.message.ID != first.message.ID || second.message.Tries != 1 || second.message.Fault != "it answered 500" {
		t.Errorf("%+v", second.message)
	}
	second.end <- nil
	r.until("phone", func(s record.Standing) bool { return s.Waiting == 0 && !s.Sent.IsZero() && s.Fault == "" })
}

// A bundle is closed before it is sent: what comes later is in the next one, even if the
// first one fails.
func TestABundleThatWasSentOnceHasTheSameNoticesAtEachTry(t *testing.T) {
	t.Parallel()
	r := newRig(t, record.Channel{ID: "phone"})
	r.tell("one", "two")
	first := r.next()
	if ids(first.message) != "one two" {
		t.Fatalf("the bundle: %s", ids(first.message))
	}
	r.tell("three")
	first.end <- errors.New("the connection was lost")
	again := r.next()
	if again.message.ID != first.message.ID || ids(again.message) != "one two" {
		t.Errorf("again: %s", ids(again.message))
	}
	again.end <- nil
	third := r.next()
	if ids(third.message) != "three" || third.message.ID == first.message.ID {
		t.Errorf("then: %s", ids(third.message))
	}
	third.end <- nil
}

func TestAChannelThatHangsDelaysNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, record.Channel{ID: "a", Apart: true}, record.Channel{ID: "b", Apart: true})
	r.tell("one")
	hangs := r.next()
	for _, text := range []string{"", "two", "three"} {
		if text != "" {
			r.tell(text)
		}
		other := r.next()
		if other.channel.ID == hangs.channel.ID {
			t.Fatalf("%s has two tries at once", other.channel.ID)
		}
		other.end <- nil
	}
	hangs.end <- nil
}

// Another quest's message is another one, but the receiver is the same.
func TestAReceiverThatAsksForARestGetsNothingMeanwhile(t *testing.T) {
	t.Parallel()
	const rest = 300 * time.Millisecond
	r := newRig(t, record.Channel{ID: "phone", Apart: true, Address: "https://a.example"}, record.Channel{ID: "desk", Apart: true, Address: "https://b.example"})
	r.tell("one", "two")
	asked := time.Time{}
	for of := map[string]int{}; of["phone"] < 2 || of["desk"] < 2; {
		try := r.next()
		of[try.channel.ID]++
		switch {
		case try.channel.ID == "phone" && asked.IsZero():
			asked = time.Now()
			try.end <- &telling.Fault{Why: "it answered 429", After: rest}
			continue
		case try.channel.ID == "phone" && time.Since(asked) < rest:
			t.Errorf("%s came after %s", ids(try.message), time.Since(asked))
		}
		try.end <- nil
	}
}

func TestAReceiverThatIsGoneStopsItsChannel(t *testing.T) {
	t.Parallel()
	r := newRig(t, record.Channel{ID: "phone", Apart: true})
	r.tell("one", "two")
	r.next().end <- &telling.Fault{Why: "it answered 410 Gone", Stop: true}
	r.until("phone", func(s record.Standing) bool { return s.Waiting == 0 && s.Failed == 2 })
	now, _ := r.settings.Settings(t.Context())
	if c, _ := now.Channel("phone"); c.Stopped != "it answered 410 Gone" {
		t.Errorf("%+v", c)
	}
	r.tell("three") // nobody gets it, and nobody waits for it
	r.until("phone", func(s record.Standing) bool {
		list, _, err := r.store.Notices(t.Context(), 10)
		return err == nil && len(list) == 0 && s.Waiting == 0
	})
}

func TestTheNextServerSendsWhatWasOnItsWay(t *testing.T) {
	t.Parallel()
	r := newRig(t, record.Channel{ID: "phone", Apart: true})
	r.tell("one")
	first := r.next() // and its server never hears how it ended
	r.start(r.store)
	second := r.next()
	if second.message.ID != first.message.ID || ids(second.message) != "one" {
		t.Errorf("%+v", second.message)
	}
	second.end <- nil
}

// full is an outbox that cannot store anything.
type full struct{ *store.Store }

func (full) AddNotice(context.Context, orchestration.Notice) error {
	return errors.New("the disk is full")
}
func (full) Put(context.Context, []record.Message, int64) error {
	return errors.New("the disk is full")
}

func TestThatNothingCanBeStoredIsToldWithoutStoringIt(t *testing.T) {
	t.Parallel()
	r := restingRig(t, record.Channel{ID: "phone"})
	r.readOnly = func() error { return errors.New("the disk is full") }
	r.start(full{r.store})
	r.teller.ReadOnlyChanged()
	first := r.next()
	if n := first.message.Notices[0]; n.Kind != orchestration.NoticeDisk || n.Text != "the disk is full" || len(first.message.Notices) != 1 {
		t.Errorf("%+v", first.message)
	}
	first.end <- errors.New("no network")
	second := r.next()
	if second.message.ID != first.message.ID || second.message.Tries != 1 {
		t.Errorf("again: %+v", second.message)
	}
	second.end <- nil
	r.tell("no backup")
	if third := r.next(); ids(third.message) != "no backup" {
		t.Errorf("then: %+v", third.message)
	} else {
		third.end <- nil
	}
}
