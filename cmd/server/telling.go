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
		Clean: cleaner(a.engine.Quest, func(ctx context.Context) *redact.Redactor {
			settings, _ := a.engine.Settings(ctx) // from memory
			return redactor.Also(settings.AgentSecrets())
		}),
		Clock: time.Now, Process: process.Starter{Exe: exe}, Dir: data, Env: process.Environment(w.environ, a.cfg.AgentEnv, nil),
		HTTPLimit: channel.DefaultHTTPLimit, CommandLimit: channel.DefaultCommandLimit,
	}
	a.teller = telling.New(telling.Config{
		Outbox: a.store, Settings: a.engine, Send: sender.Send, Clock: time.Now, Log: a.log, Timing: telling.BuildTiming(),
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

// cleaner makes texts fit to leave the server. The secrets of a quest's repository are known
// only with the quest. If it cannot be loaded, because it was deleted meanwhile, for example,
// nothing of its texts is told. If the repository does not answer, what was said is hidden whole.
func cleaner(load func(context.Context, string) (*orchestration.Quest, error),
	redactor func(context.Context) *redact.Redactor) func(ctx context.Context, quest, text string) string {
	return func(ctx context.Context, quest, text string) string {
		hides := redactor(ctx)
		if quest != "" {
			q, err := load(ctx, quest)
			if err != nil {
				return ""
			}
			hides = hides.In(ctx, q.Repo)
		}
		return views.Visible(hides.Text(text))
	}
}
