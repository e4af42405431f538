package main

import (
	"cmp"
	"context"
	"sync"
	"time"

	"questboard/handlers"
	"questboard/handlers/api"
)

// clinic is the doctor of a server that runs: the same checks, all at once, for
// the pages and the API.
type clinic struct {
	cfg   Config
	world world
	ready func(context.Context) error // of the data directory, which is ours
	// backups are made by this very server.
	backups *keeper

	mu   sync.Mutex
	last handlers.DoctorReport
	left int           // checks that go on
	done chan struct{} // closed when left is 0
}

// Report implements handlers.Doctor.
func (c *clinic) Report() handlers.DoctorReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.last
	r.Findings = append([]handlers.Finding(nil), r.Findings...)
	return r
}

// Examine implements handlers.Doctor: it begins, unless checks go on already.
func (c *clinic) Examine() { c.begin() }

func (c *clinic) begin() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		return c.done
	}
	all := checks()
	c.left, c.done = len(all), make(chan struct{})
	c.last = handlers.DoctorReport{At: time.Now(), Findings: make([]handlers.Finding, len(all))}
	for i, one := range all {
		c.last.Findings[i] = handlers.Finding{What: one.name, Running: true}
		switch one.name {
		case dataCheck:
			one.find = c.checkOpen
		case backupsCheck:
			one.find = c.checkKeeper
		}
		go c.examine(i, one) // ends after doctorTime at the latest
	}
	return c.done
}

func (c *clinic) examine(i int, one check) {
	began := time.Now()
	f := one.run(context.Background(), c.cfg, c.world)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last.Findings[i] = handlers.Finding{What: f.what, Says: f.says, Bad: f.bad, Idle: f.idle, Took: time.Since(began)}
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// checkOpen is checkData for the directory that this very server has open.
func (c *clinic) checkOpen(ctx context.Context, cfg Config, _ world) finding {
	const what = "data directory"
	if err := c.ready(ctx); err != nil {
		return wrong(what, "%s: %v; %s", cfg.Data, err, roomIn(cfg.Data))
	}
	return fine(what, "%s, can be written, %s", cfg.Data, roomIn(cfg.Data))
}

// checkKeeper adds to checkBackups what only this server knows.
func (c *clinic) checkKeeper(ctx context.Context, cfg Config, w world) finding {
	if newest, fault := c.backups.Newest(); fault != nil {
		since := "there is none"
		if !newest.IsZero() {
			since = "the newest is of " + newest.Local().Format("2006-01-02 15:04")
		}
		return wrong(backupsCheck, "the last one failed, and %s; work goes on, and it is tried again: %v", since, fault)
	}
	return checkBackups(ctx, cfg, w)
}

// apiDoctor answers once all is known.
type apiDoctor struct{ *clinic }

// Examine implements api.Doctor.
func (d apiDoctor) Examine(ctx context.Context) (time.Time, []api.Finding, error) {
	select {
	case <-d.begin():
	case <-ctx.Done():
		return time.Time{}, nil, ctx.Err()
	}
	report := d.Report()
	list := make([]api.Finding, len(report.Findings))
	for i, f := range report.Findings {
		list[i] = api.Finding{What: f.What, OK: !f.Bad, State: cmp.Or(f.Idle, "fine"), Says: f.Says, Seconds: f.Took.Seconds()}
		if f.Bad {
			list[i].State = "missing"
		}
	}
	return report.At, list, nil
}
