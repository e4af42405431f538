package record_test

import (
	"testing"
	"time"

	"questboard/orchestration/record"
)

func TestQuietHoursMayPassMidnight(t *testing.T) {
	t.Parallel()
	night, noon := record.Quiet{From: 22 * 60, To: 7 * 60}, record.Quiet{From: 12 * 60, To: 13 * 60}
	day := func(hour, minute int) time.Time { return time.Date(2026, 11, 21, hour, minute, 0, 0, time.UTC) }
	for _, c := range []struct {
		quiet    record.Quiet
		at, want time.Time
	}{
		{night, day(21, 59), day(21, 59)}, {night, day(22, 0), day(31, 0)}, {night, day(6, 59), day(7, 0)}, {night, day(7, 0), day(7, 0)},
		{noon, day(12, 30), day(13, 0)}, {noon, day(13, 0), day(13, 0)}, {record.Quiet{}, day(0, 0), day(0, 0)},
	} {
		if got := c.quiet.End(c.at); !got.Equal(c.want) {
			t.Errorf("%+v at %s: %s, want %s", c.quiet, c.at, got, c.want)
		}
	}
}

func TestAChannelThatHasSentSinceItsLastFailureIsNotBroken(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		stands record.Standing
		broken bool
	}{
		"nothing":           {record.Standing{}, false},
		"it waits":          {record.Standing{Waiting: 1}, false},
		"it is tried again": {record.Standing{Waiting: 1, Retried: 1, Sent: at}, true},
		"failed last":       {record.Standing{Failed: 1, FailedAt: at, Sent: at.Add(-1)}, true},
		"sent since":        {record.Standing{Failed: 1, FailedAt: at, Sent: at.Add(1)}, false},
	} {
		if got := c.stands.Broken(); got != c.broken {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The secret of one place is not sent to another one: those who may change an address need
// not know it.
func TestAStoredSecretIsKeptOnlyForThePlaceThatItWasTypedFor(t *testing.T) {
	t.Parallel()
	stored := record.Channel{Kind: record.ChannelNtfy, Address: "https://ntfy.example/topic", Secret: "tk_1"}
	for name, c := range map[string]struct {
		address, typed string
		remove         bool
		secret         string
		refused        bool
	}{
		"the same":                 {"https://ntfy.example/topic", "", false, "tk_1", false},
		"another topic":            {"https://Ntfy.example/other", "", false, "tk_1", false},
		"another host":             {"https://other.example/topic", "", false, "", true},
		"a host below it":          {"https://ntfy.example.evil.example/topic", "", false, "", true},
		"the host as a user":       {"https://ntfy.example@evil.example/topic", "", false, "", true},
		"another port":             {"https://ntfy.example:8443/topic", "", false, "", true},
		"without encryption":       {"http://ntfy.example/topic", "", false, "", true},
		"no address":               {"https://ntfy.example:x/", "", false, "", true},
		"typed again":              {"https://other.example/topic", "tk_1", false, "tk_1", false},
		"removed":                  {"https://other.example/topic", "", true, "", false},
		"removed at the same host": {"https://ntfy.example/topic", "", true, "", false},
	} {
		now := stored
		now.Address = c.address
		if fault := now.SetSecret(c.typed, c.remove, stored); now.Secret != c.secret || fault != "" != c.refused {
			t.Errorf("%s: %q %q", name, now.Secret, fault)
		}
	}
	fresh := record.Channel{Address: "https://ntfy.example/topic"}
	if fault := fresh.SetSecret("", false, record.Channel{}); fault != "" || fresh.Secret != "" {
		t.Errorf("a new one: %q %q", fresh.Secret, fault)
	}
}
