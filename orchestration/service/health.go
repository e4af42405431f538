package service

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// checkTime limits one check. A program that takes longer is reported as a fault.
const checkTime = 30 * time.Second

// Check looks at one thing that quests need.
type Check struct {
	Name    string
	Needed  bool                              // no quest can run without it
	Perform func(ctx context.Context) Finding // limited by ctx
}

// Run performs the check once.
func (c Check) Run(ctx context.Context) Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	f := c.Perform(ctx)
	f.Needed = c.Needed
	return f
}

// Passed returns the finding that all is well.
func Passed(what, format string, args ...any) Finding {
	return Finding{What: what, Says: OneLine(fmt.Sprintf(format, args...))}
}

// Failed returns the finding that a quest could not run, with the remedy.
func Failed(what, format string, args ...any) Finding {
	f := Passed(what, format, args...)
	f.Bad = true
	return f
}

// HealthChecks performs all checks at once while the server runs, for the pages and the
// API. It implements Doctor.
type HealthChecks struct {
	Checks []Check

	mu   sync.Mutex
	last DoctorReport
	left int           // number of checks in progress
	done chan struct{} // closed when left is 0
}

// Report implements Doctor.
func (h *HealthChecks) Report() DoctorReport {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.last
	r.Findings = append([]Finding(nil), r.Findings...)
	return r
}

// Examine implements Doctor.
func (h *HealthChecks) Examine() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left > 0 {
		return h.done
	}
	h.left, h.done = len(h.Checks), make(chan struct{})
	h.last = DoctorReport{At: time.Now(), Findings: make([]Finding, len(h.Checks))}
	for i, check := range h.Checks {
		h.last.Findings[i] = Finding{What: check.Name, Needed: check.Needed, Running: true}
		go h.examine(i, check) // ends after checkTime at the latest
	}
	return h.done
}

func (h *HealthChecks) examine(i int, check Check) {
	began := time.Now()
	f := check.Run(context.Background())
	f.Took = time.Since(began)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last.Findings[i] = f
	if h.left--; h.left == 0 {
		close(h.done)
	}
}
