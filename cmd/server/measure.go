package main

import (
	"context"
	"time"

	"questboard/agents/signalback"
	"questboard/handlers/metrics"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/web"
)

func newMetrics() *metrics.Metrics {
	v := versionOf()
	return metrics.New(metrics.Build{Version: v.Version, Commit: v.Commit, SQLite: v.SQLite})
}

// measure connects the metrics to their sources.
func (a *app) measure(refused func() map[string]int64) {
	a.hub.Tell(a.metrics)
	a.metrics.Read(metrics.Sources{Quests: a.engine, Clock: time.Now, Refused: refused,
		Sockets: func() (int, int64) { return a.hub.Clients(), a.hub.Backlog() }, Lines: a.logs.Lines,
		Database: func() (int64, error) { return a.store.Size(context.Background()) },
		Hosts: func() (list []metrics.Host) {
			for _, h := range a.hosts.List() {
				list = append(list, metrics.Host{Name: h.Name, Up: h.Connected, Slots: h.Slots, Agents: h.Agents, Checks: h.ChecksNow, Load: h.Load,
					Free: h.Free})
			}
			return list
		},
		Backup: a.backups.Newest, ReadOnly: func() bool { return a.engine.ReadOnly() != nil }})
}

// measuredStore is a store that measures its commits.
type measuredStore struct {
	engine.Store
	metrics *metrics.Metrics
}

// Commit implements engine.Store.
func (s measuredStore) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	begun := time.Now()
	err := s.Store.Commit(ctx, transitions, server)
	s.metrics.Committed(time.Since(begun), err)
	return err
}

// measuredSignals counts the results of agents' signals.
type measuredSignals struct {
	signalback.Quests
	metrics *metrics.Metrics
}

// RunOf implements signalback.Quests. It marks the connection of a running run as known,
// so that strangers cannot replace it.
func (s measuredSignals) RunOf(ctx context.Context, token string) (*orchestration.Quest, *orchestration.Run, error) {
	q, r, err := s.Quests.RunOf(ctx, token)
	if err == nil && r != nil && r.Live() {
		web.Welcome(ctx)
	}
	return q, r, err
}

// Submit implements signalback.Quests.
func (s measuredSignals) Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	q, err := s.Quests.Submit(ctx, quest, actor, input)
	if _, is := input.(orchestration.SignalReceived); is {
		code := orchestration.CodeOf(err)
		s.metrics.Signalled(err, code != "" && code != orchestration.CodeUnavailable)
	}
	return q, err
}
