package main

import (
	"context"
	"path/filepath"
	"time"

	"questboard/agents/process"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/orchestration/telling"
	"questboard/orchestration/telling/channel"
	"questboard/views"
)

// newTeller makes what tells people of what happens. run starts it.
func (a *app) newTeller(w world, redactor *redact.Redactor) error {
	exe, err := service.OwnExecutable()
	if err != nil {
		return err
	}
	data, err := filepath.Abs(a.cfg.Data)
	if err != nil {
		return err
	}
	sender := channel.Sender{
		Site: a.address(),
		Clean: func(ctx context.Context, quest, text string) string {
			hides := redactor
			if q, err := a.engine.Quest(ctx, quest); quest != "" && err == nil {
				hides = redactor.In(q.Repo)
			}
			return views.Visible(hides.Text(text))
		},
		Clock: time.Now, Process: process.Starter{Exe: exe}, Dir: data, Env: process.Environment(w.environ, a.cfg.AgentEnv, nil),
		HTTPLimit: channel.DefaultHTTPLimit, CommandLimit: channel.DefaultCommandLimit,
	}
	a.teller = telling.New(telling.Config{
		Outbox: a.store, Settings: a.engine, Send: sender.Send, Clock: time.Now, Log: a.log, Timing: telling.DefaultTiming,
		ReadOnly: func() error {
			if now := a.engine.ReadOnly(); now != nil {
				return now.Err
			}
			return nil
		},
	})
	a.backups.Failed = func(ctx context.Context, err error, at time.Time) {
		a.teller.Tell(ctx, orchestration.NewNotice(orchestration.NoticeBackup, err.Error(), at))
	}
	return nil
}
