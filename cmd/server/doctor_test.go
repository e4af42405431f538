package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"questboard/orchestration/service"
)

// The page and the command line run the same checks. About its own data directory and
// backups a server knows more.
func TestAServerLooksAtAllThatTheDoctorDoes(t *testing.T) {
	t.Parallel()
	m := machine{Config{Agent: agentSimulated, Data: "/data"}, world{environ: []string{"PATH=/usr/bin:/bin"}}}
	health := &service.HealthChecks{Checks: m.whileServing(func(context.Context) error { return errors.New("the disk is full") },
		func() (time.Time, error) { return time.Time{}, errors.New("no room") })}
	if !health.Report().At.IsZero() {
		t.Error("it looked before it was asked to")
	}
	<-health.Examine()
	report := health.Report()
	if time.Since(report.At) > time.Minute || len(report.Findings) != len(m.checks()) {
		t.Fatalf("%+v", report)
	}
	for i, f := range report.Findings {
		idle := ""
		if f.What == "sandbox" {
			idle = "off"
		}
		if bad := f.What == dataCheck || f.What == backupsCheck; f.Bad != bad || f.Idle != idle || f.Says == "" || f.Running || m.checks()[i].Name != f.What {
			t.Errorf("%+v", f)
		}
	}
}
