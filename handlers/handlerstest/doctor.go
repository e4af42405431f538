package handlerstest

import (
	"sync"
	"time"

	"questboard/orchestration/service"
)

// Doctor reports findings that a test sets.
type Doctor struct {
	mu     sync.Mutex
	report service.DoctorReport
	// Asked is how often Examine was called.
	Asked int
}

// Examine counts the call, and is done at once.
func (d *Doctor) Examine() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Asked++
	done := make(chan struct{})
	close(done)
	return done
}

// Find sets the findings.
func (d *Doctor) Find(at time.Time, findings ...service.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report = service.DoctorReport{At: at, Findings: findings}
}

// Report implements service.Doctor.
func (d *Doctor) Report() service.DoctorReport {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.report
}
