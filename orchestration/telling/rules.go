package telling

import (
	"crypto/rand"
	"slices"
	"time"

	"questboard/failpoint"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

const (
	// bundleMost is how many notices one message has at most: people read them on a phone.
	bundleMost = 20
	// lookAhead is how many waiting messages of a channel are looked at.
	lookAhead = 100
	// giveUpAfter is how long a message is tried, and the longest rest of a receiver.
	giveUpAfter = 24 * time.Hour
	// keep is how long messages are kept after their end, for the page of the settings.
	keep = 7 * 24 * time.Hour
)

// Timing are the waits of a Teller.
type Timing struct {
	// Bundle is how long a message waits for further notices.
	Bundle time.Duration
	// Retry is the wait after the first failure. It doubles with each, up to RetryMost.
	Retry, RetryMost time.Duration
}

// DefaultTiming is what users get.
var DefaultTiming = Timing{Bundle: time.Minute, Retry: 5 * time.Second, RetryMost: 15 * time.Minute}

// BuildTiming is faster in a build that tests can strike: they kill it within seconds.
func BuildTiming() Timing {
	if failpoint.Enabled {
		return Timing{Bundle: 200 * time.Millisecond, Retry: 50 * time.Millisecond, RetryMost: 500 * time.Millisecond}
	}
	return DefaultTiming
}

// backoff is the wait after this many failures.
func (t Timing) backoff(tries int) time.Duration {
	return min(t.Retry<<min(tries-1, 20), t.RetryMost)
}

// sorted puts notices into a channel's messages: into open, the message that waits for
// more (nil: there is none), and into new ones. It returns what changed.
func sorted(c record.Channel, levels map[string]record.Level, notices []orchestration.Notice, open *record.Message,
	now time.Time) []record.Message {
	var changed []record.Message
	if open != nil {
		changed = append(changed, *open)
	}
	filled := false
	for _, n := range notices {
		if !c.Level.Tells(n.Needs) || !levels[n.Quest].Tells(n.Needs) {
			continue
		}
		filled = true
		if last := len(changed) - 1; last >= 0 && !changed[last].Closed && len(changed[last].Notices) < bundleMost {
			changed[last].Notices = append(slices.Clone(changed[last].Notices), n)
			continue
		}
		changed = append(changed, record.Message{ID: "msg_" + rand.Text(), Channel: c.ID, Notices: []orchestration.Notice{n},
			Opened: now, Closed: c.Apart, State: record.MessageWaits})
	}
	if !filled {
		return nil
	}
	return changed
}

// due returns the first of a channel's waiting messages that may be sent now. If there is
// none, it returns when there may be; zero: not before something else happens.
//
// Messages about one quest are sent in order. Only one that has failed several times lets
// those behind it pass. Nothing is sent before rest, when the receiver asked for that; a
// clock that was set back does not make it longer.
func (t Timing) due(c record.Channel, waiting []record.Message, rest, now time.Time) (m *record.Message, next time.Time) {
	if rest.After(now) && rest.Sub(now) <= giveUpAfter {
		return nil, rest
	}
	if quiet := c.Quiet.End(now); quiet.After(now) {
		return nil, quiet
	}
	held := map[string]bool{}
	for i := range waiting {
		m := &waiting[i]
		behind := slices.ContainsFunc(m.Notices, func(n orchestration.Notice) bool { return held[n.Quest] })
		if at := t.at(*m, now); !behind && !at.After(now) {
			return m, time.Time{}
		} else if !behind && (next.IsZero() || at.Before(next)) {
			next = at
		}
		for _, n := range m.Notices {
			held[n.Quest] = held[n.Quest] || n.Quest != "" && !m.Late()
		}
	}
	return nil, next
}

// at is when a message may be sent, apart from those before it. If the clock was set back,
// that is now.
func (t Timing) at(m record.Message, now time.Time) time.Time {
	at := m.Next
	if !m.Closed {
		at = m.Opened.Add(t.Bundle)
	}
	if at.Sub(now) > giveUpAfter {
		return now
	}
	return at
}

// after is the message after a try that began when the clock showed begun.
func (t Timing) after(m record.Message, fault *Fault, begun, now time.Time) record.Message {
	if m.First.IsZero() {
		m.First = begun
	}
	if fault == nil {
		m.State, m.Ended, m.Fault = record.MessageSent, now, ""
		return m
	}
	m.Tries++
	m.Fault, m.Next = fault.Why, now.Add(max(t.backoff(m.Tries), fault.rest()))
	if fault.Stop || now.Sub(m.First) >= giveUpAfter {
		m.State, m.Ended = record.MessageFailed, now
	}
	return m
}
