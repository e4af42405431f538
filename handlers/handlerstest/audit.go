package handlerstest

import (
	"context"
	"slices"
	"sync"

	"questboard/orchestration/record"
)

// Audit keeps the audit in memory.
type Audit struct {
	mu   sync.Mutex
	all  []record.AuditEntry
	fail error
}

// Fail makes Record fail with err. nil ends that.
func (a *Audit) Fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail = err
}

// Record stores an entry.
func (a *Audit) Record(_ context.Context, e record.AuditEntry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fail != nil {
		return a.fail
	}
	e.ID = int64(len(a.all) + 1)
	a.all = append(a.all, e)
	return nil
}

// Audit returns the entries that match the filter.
func (a *Audit) Audit(_ context.Context, f record.AuditFilter) ([]record.AuditEntry, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var chosen []record.AuditEntry
	for _, e := range a.all {
		if e.ID > f.After && (f.Before == 0 || e.ID < f.Before) && (f.Action == "" || f.Action == e.Action) &&
			(f.Quest == "" || f.Quest == e.Quest) {
			chosen = append(chosen, e)
		}
	}
	if f.Newest {
		slices.Reverse(chosen)
	}
	return chosen[:min(len(chosen), f.N)], nil
}
