package runlog_test

import (
	"sync"
	"testing"
	"time"
)

func TestAFollowerSeesALineWithin50Milliseconds(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	bell, stop := logs.Watch("q-r1")
	defer stop()
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 20 {
		appended := time.Now()
		if err := w.Append([]byte("line")); err != nil {
			t.Fatal(err)
		}
		for total := 0; total <= i; {
			select {
			case <-bell:
			case <-time.After(time.Minute):
				t.Fatalf("line %d: no ring", i)
			}
			if _, total, err = logs.Page("q-r1", 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		// The rule is flushAfter, 20 ms; a busy machine may take much longer.
		if took := time.Since(appended); took > 10*time.Second {
			t.Errorf("line %d was seen after %v", i, took)
		}
	}
}

func TestReadersAndTheWriterMayWorkAtOnce(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	lines := numbered(20_000)
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		bell, stop := logs.Watch("q-r1")
		all.Go(func() {
			defer stop()
			for next := 0; next < len(lines); {
				page, total, err := logs.Page("q-r1", next, 500)
				if err != nil {
					t.Errorf("Page: %v", err)
					return
				}
				for i, line := range page {
					if string(line) != lines[next+i] {
						t.Errorf("line %d = %q of %d", next+i, line, total)
						return
					}
				}
				if next += len(page); len(page) == 0 {
					<-bell
				}
			}
		})
	}
	for _, line := range lines {
		if err := w.Append([]byte(line)); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}
