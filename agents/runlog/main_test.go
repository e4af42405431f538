package runlog_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/runlog"
)

func open(t testing.TB) (*runlog.Logs, string) {
	t.Helper()
	dir := t.TempDir()
	logs, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	})
	return logs, filepath.Join(dir, "runs")
}

func write(t testing.TB, logs *runlog.Logs, run string, lines ...string) {
	t.Helper()
	w, err := logs.Create(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := w.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", i%90))
	}
	return lines
}

func wantPage(t testing.TB, logs *runlog.Logs, run string, from, n int, want []string, wantTotal int) {
	t.Helper()
	got, total, err := logs.Page(run, from, n)
	if err != nil || total != wantTotal || len(got) != len(want) {
		t.Fatalf("Page(%d, %d) = %d lines of %d, %v; want %d of %d", from, n, len(got), total, err, len(want), wantTotal)
	}
	for i := range got {
		if string(got[i]) != want[i] {
			t.Fatalf("line %d = %.100q, want %.100q", from+i, got[i], want[i])
		}
	}
}
