package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The page and the command line look at the same things; of its own data
// directory a server knows more.
func TestTheClinicLooksAtAllThatTheDoctorDoes(t *testing.T) {
	t.Parallel()
	c := &clinic{cfg: Config{Agent: agentSimulated, Data: "/data"}, world: world{environ: []string{"PATH=/usr/bin:/bin"}},
		ready:   func(context.Context) error { return errors.New("the disk is full") },
		backups: &keeper{fault: errors.New("no room")}}
	if !c.Report().At.IsZero() {
		t.Error("it looked before it was asked to")
	}
	at, found, err := apiDoctor{c}.Examine(t.Context())
	if err != nil || time.Since(at) > time.Minute || len(found) != len(checks()) {
		t.Fatalf("%v, %v, %v", at, found, err)
	}
	for i, f := range found {
		bad := f.What == dataCheck || f.What == backupsCheck
		state := "fine"
		if bad {
			state = "missing"
		} else if f.What == "sandbox" {
			state = "off"
		}
		if f.OK == bad || f.State != state || f.Says == "" || checks()[i].name != f.What {
			t.Errorf("%+v", f)
		}
	}
	for _, f := range c.Report().Findings {
		if f.Running {
			t.Errorf("%s is still looked at", f.What)
		}
	}
}
