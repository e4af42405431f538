package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"questboard/cmd/server/config"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// The page and the command line run the same checks. About its own data directory and
// backups a server knows more.
func TestAServerLooksAtAllThatTheDoctorDoes(t *testing.T) {
	t.Parallel()
	m := machine{config.Config{Agent: config.AgentSimulated, Data: "/data"}, world{environ: []string{"PATH=/usr/bin:/bin"}}}
	health := &service.HealthChecks{Checks: m.whileServing(func(context.Context) error { return errors.New("the disk is full") },
		func() (time.Time, error) { return time.Time{}, errors.New("no room") },
		func(context.Context) (record.Settings, error) { return record.Settings{}, nil })}
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
		switch f.What {
		case "sandbox":
			idle = "off"
		case "own agents":
			idle = "none"
		}
		if bad := f.What == dataCheck || f.What == backupsCheck; f.Bad != bad || f.Idle != idle || f.Says == "" || f.Running || m.checks()[i].Name != f.What {
			t.Errorf("%+v", f)
		}
	}
}
