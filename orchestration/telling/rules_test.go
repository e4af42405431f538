package telling_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/telling"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// about is a closed message about quests that waits, with these failures.
func about(id string, tries int, quests ...string) record.Message {
	m := record.Message{ID: id, Closed: true, Tries: tries, Opened: noon, State: record.MessageWaits}
	for _, quest := range quests {
		m.Notices = append(m.Notices, orchestration.Notice{ID: id + quest, Quest: quest})
	}
	return m
}

func TestMessagesOfOneQuestAreSentInOrderButForThoseThatAreLate(t *testing.T) {
	t.Parallel()
	timing := telling.DefaultTiming
	later := func(m record.Message, by time.Duration) record.Message {
		m.Next = noon.Add(by)
		return m
	}
	gathering := about("open", 0, "a")
	gathering.Closed = false
	for name, c := range map[string]struct {
		waiting []record.Message
		sent    string
		next    time.Duration
	}{
		"nothing":                             {nil, "", 0},
		"the first":                           {[]record.Message{about("1", 0, "a"), about("2", 0, "a")}, "1", 0},
		"it waits, and so does what follows":  {[]record.Message{later(about("1", 1, "a"), time.Second), about("2", 0, "a")}, "", time.Second},
		"another quest does not":              {[]record.Message{later(about("1", 2, "a"), time.Second), about("2", 0, "b")}, "2", 0},
		"a bundle waits for each":             {[]record.Message{later(about("1", 1, "a"), time.Second), about("2", 0, "b", "a"), about("3", 0, "b")}, "", time.Second},
		"a late one holds nobody":             {[]record.Message{later(about("1", 3, "a"), time.Second), about("2", 0, "a")}, "2", 0},
		"what is of no quest holds nobody":    {[]record.Message{later(about("1", 1, ""), time.Second), about("2", 0, "")}, "2", 0},
		"it gathers for a minute":             {[]record.Message{gathering}, "", time.Minute},
		"the clock was set back":              {[]record.Message{later(about("1", 1, "a"), 48*time.Hour)}, "1", 0},
		"a late one waits for those before 1": {[]record.Message{later(about("1", 1, "a"), time.Second), about("2", 3, "a")}, "", time.Second},
	} {
		m, next := telling.Due(timing, record.Channel{}, c.waiting, time.Time{}, noon)
		sent := ""
		if m != nil {
			sent = m.ID
		}
		if sent != c.sent || c.next != 0 && !next.Equal(noon.Add(c.next)) {
			t.Errorf("%s: %q, next %s", name, sent, next)
		}
	}
}

func TestNothingIsSentInQuietHours(t *testing.T) {
	t.Parallel()
	c := record.Channel{Quiet: record.Quiet{From: 11 * 60, To: 13 * 60}}
	if m, next := telling.Due(telling.DefaultTiming, c, []record.Message{about("1", 0, "a")}, time.Time{}, noon); m != nil || !next.Equal(noon.Add(time.Hour)) {
		t.Errorf("%v, next %s", m, next)
	}
}

func TestAChannelGetsWhatItsLevelAndThatOfTheQuestAllow(t *testing.T) {
	t.Parallel()
	notices := []orchestration.Notice{{ID: "1", Quest: "a", Needs: true}, {ID: "2", Quest: "a"}, {ID: "3", Quest: "b", Needs: true}, {ID: "4", Quest: "c", Needs: true}, {ID: "5"}}
	levels := map[string]record.Level{"b": record.LevelNone, "c": record.LevelNeeds}
	for level, want := range map[record.Level]string{record.LevelAll: "[1 2 4 5]", "": "[1 2 4 5]", record.LevelNeeds: "[1 4]", record.LevelNone: "[]"} {
		var got []string
		for _, m := range telling.Sorted(record.Channel{Level: level}, levels, notices, nil, noon) {
			for _, n := range m.Notices {
				got = append(got, n.ID)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", level, got, want)
		}
	}
}

func TestWhatComesWithinAMinuteIsOneMessage(t *testing.T) {
	t.Parallel()
	var notices []orchestration.Notice
	for i := range 25 {
		notices = append(notices, orchestration.Notice{ID: fmt.Sprint(i)})
	}
	open := about("open", 0, "a")
	open.Closed, open.Seq = false, 7
	list := telling.Sorted(record.Channel{ID: "c"}, nil, notices, &open, noon)
	if len(list) != 2 || list[0].Seq != 7 || len(list[0].Notices) != 20 || len(list[1].Notices) != 6 || list[1].Closed || list[1].Channel != "c" {
		t.Errorf("%d messages: %+v", len(list), list)
	}
	if len(open.Notices) != 1 {
		t.Error("the message was written into")
	}
	apart := telling.Sorted(record.Channel{Apart: true}, nil, notices, nil, noon)
	if len(apart) != 25 || slices.ContainsFunc(apart, func(m record.Message) bool { return !m.Closed || len(m.Notices) != 1 }) {
		t.Errorf("apart: %d messages", len(apart))
	}
}

func TestAMessageIsTriedForADayAndThenFails(t *testing.T) {
	t.Parallel()
	timing, now := telling.DefaultTiming, noon
	m := about("1", 0, "a")
	fault := &telling.Fault{Why: "it answered 500"}
	for m.State == record.MessageWaits {
		was := now
		if m = telling.After(timing, m, fault, now, now); m.State == record.MessageWaits {
			now = m.Next
			if wait := now.Sub(was); wait < timing.Retry || wait > timing.RetryMost {
				t.Fatalf("try %d waits %s", m.Tries, wait)
			}
		}
	}
	if lasted := now.Sub(noon); lasted < 24*time.Hour || lasted > 24*time.Hour+timing.RetryMost || m.State != record.MessageFailed || m.Fault != "it answered 500" || m.Tries < 90 {
		t.Errorf("after %s and %d tries: %+v", lasted, m.Tries, m)
	}
}

func TestWhatAReceiverAsksForIsDone(t *testing.T) {
	t.Parallel()
	timing := telling.DefaultTiming
	if m := telling.After(timing, about("1", 0, "a"), &telling.Fault{Why: "429", After: time.Hour}, noon, noon); !m.Next.Equal(noon.Add(time.Hour)) || m.State != record.MessageWaits {
		t.Errorf("Retry-After: %+v", m)
	}
	long := telling.After(timing, about("1", 0, "a"), &telling.Fault{Why: "429", After: 30 * 24 * time.Hour}, noon, noon)
	if !long.Next.Equal(noon.Add(24*time.Hour)) || long.State != record.MessageWaits {
		t.Errorf("it asks for a month at the first try: %+v", long)
	}
	if m := telling.After(timing, long, &telling.Fault{Why: "429", After: time.Hour}, long.Next, long.Next); m.State != record.MessageFailed {
		t.Errorf("and again after a day: %+v", m)
	}
	for rest, sent := range map[time.Duration]bool{-time.Second: true, 0: true, time.Second: false, 24 * time.Hour: false, 25 * time.Hour: true} {
		m, next := telling.Due(timing, record.Channel{}, []record.Message{about("2", 0, "b")}, noon.Add(rest), noon)
		if (m != nil) != sent || !sent && !next.Equal(noon.Add(rest)) {
			t.Errorf("a rest of %s: %v, next %s", rest, m, next)
		}
	}
	if m := telling.After(timing, about("1", 0, "a"), &telling.Fault{Why: "410", Stop: true}, noon, noon); m.State != record.MessageFailed {
		t.Errorf("gone: %+v", m)
	}
	if m := telling.After(timing, about("1", 2, "a"), nil, noon, noon); m.State != record.MessageSent || !m.Ended.Equal(noon) || m.Late() {
		t.Errorf("sent: %+v", m)
	}
}
