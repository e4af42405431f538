package handlerstest

import (
	"sync"
	"time"

	"questboard/handlers"
)

// Doctor finds what tests say.
type Doctor struct {
	mu     sync.Mutex
	report handlers.DoctorReport
	// Asked is how often it was asked to look.
	Asked int
}

// Examine counts.
func (d *Doctor) Examine() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Asked++
}

// Find sets what is found.
func (d *Doctor) Find(at time.Time, findings ...handlers.Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report = handlers.DoctorReport{At: at, Findings: findings}
}

// Report implements handlers.Doctor.
func (d *Doctor) Report() handlers.DoctorReport {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.report
}
