package runlog_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"questboard/agents/runlog"
)

// until polls: the writer tries again every 250 ms.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// A disk that is full or fails slows a run down. No line is lost or doubled, whatever
// the disk refuses and accepts.
func TestAFullDiskSlowsARunAndLosesNoLine(t *testing.T) {
	t.Parallel()
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		t.Run(err.Error(), func(t *testing.T) {
			t.Parallel()
			logs, _ := open(t)
			var rings atomic.Int64
			logs.OnRefusal = func() { rings.Add(1) }
			w, fault := logs.Create("q-r1")
			if fault != nil {
				t.Fatal(fault)
			}
			disk := &runlog.Disk{}
			w.On(disk)
			disk.Room(100_000, err) // ends within a line, and later within an index entry
			const lines = 40_000    // 4 MB
			var printed atomic.Int64
			done := make(chan error, 1)
			go func() { // ends with the last line
				for i := range lines {
					if err := w.Append(fmt.Appendf(nil, "%d %s", i, strings.Repeat("x", 90))); err != nil {
						done <- err
						return
					}
					printed.Add(1)
				}
				done <- w.Close()
			}()
			until(t, "the disk never was full", logs.Slowed)
			if !errors.Is(logs.Refused(), err) || rings.Load() == 0 {
				t.Errorf("refused: %v after %d rings", logs.Refused(), rings.Load())
			}
			stopped := printed.Load()
			if stopped > lines/2 {
				t.Errorf("%d of %d lines were taken by a full disk", stopped, lines)
			}
			for room := 1; logs.Refused() != nil && room < 50_000; room *= 37 { // a little at a time
				disk.Room(room, err)
				time.Sleep(10 * time.Millisecond)
			}
			disk.Room(1<<60, nil)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			got, total, err := logs.Page("q-r1", 0, lines)
			if err != nil || total != lines {
				t.Fatalf("%d lines, %v; want %d", total, err, lines)
			}
			for i, line := range got {
				if !strings.HasPrefix(string(line), fmt.Sprint(i, " ")) {
					t.Fatalf("line %d is %.40q", i, line)
				}
			}
			if kept, lag := logs.Lines(); logs.Refused() != nil || kept != lines || lag != 0 {
				t.Errorf("at the end: refused %v, %d lines kept, lag %v", logs.Refused(), kept, lag)
			}
		})
	}
}

// A run is silent or over while the disk is full. What it printed is written later,
// although no other line comes.
func TestALastLineIsWrittenOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	disk := &runlog.Disk{}
	w.On(disk)
	disk.Room(3, syscall.ENOSPC)
	if err := w.Append([]byte("the last line")); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- w.Close() }() // ends when there is room
	until(t, "the disk never was full", func() bool { return logs.Refused() != nil })
	select {
	case err := <-closed:
		t.Fatalf("closed without the line: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	disk.Room(1<<60, nil)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	wantPage(t, logs, "q-r1", 0, 10, []string{"the last line"}, 1)
}

// The server's end does not wait for the disk, and the error says what is lost.
func TestTheEndOfTheServerWaitsForNoDisk(t *testing.T) {
	t.Parallel()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	disk := &runlog.Disk{}
	w.On(disk)
	disk.Room(0, syscall.ENOSPC)
	waits := make(chan error, 1)
	go func() { waits <- w.Append(make([]byte, 2<<20)) }() // ends with Close
	until(t, "the disk never was full", func() bool { return logs.Refused() != nil })
	if err := logs.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "2097153 bytes of the output of q-r1 are lost") {
		t.Errorf("close: %v", err)
	}
	if err := <-waits; err != nil {
		t.Errorf("append: %v", err)
	}
}

// An error that concerns only one file must not stop a run forever.
func TestAFileThatIsBrokenHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	disk := &runlog.Disk{}
	w.On(disk)
	disk.Room(0, syscall.EFBIG)
	for range 40 {
		_ = w.Append(make([]byte, 1<<20))
	}
	if logs.Refused() != nil {
		t.Error("a broken file counts as a full disk")
	}
	disk.Room(1<<60, nil)
	if err := w.Close(); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("close: %v", err)
	}
	page, _, err := logs.Page("q-r1", 0, 1)
	if err != nil || len(page) != 1 || !strings.Contains(string(page[0]), `"subtype":"lost"`) {
		t.Errorf("the hole is not marked: %.80q, %v", page, err)
	}
}
