package handlerstest

import (
	"sync"
	"time"

	"questboard/orchestration/service"
)

// Doctor finds what tests say.
type Doctor struct {
	mu     sync.Mutex
	report service.DoctorReport
	// Asked is how often it was asked to look.
	Asked int
}

// Examine counts, and is done at once.
func (d *Doctor) Examine() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Asked++
	done := make(chan struct{})
	close(done)
	return done
}

// Find sets what is found.
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
