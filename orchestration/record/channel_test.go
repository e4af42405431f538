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
