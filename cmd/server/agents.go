package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/cmd/server/config"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// acpPrograms returns the programs that we know and that speak the Agent Client Protocol, by
// the names of the agents. Each is looked for on PATH.
func acpPrograms() map[string]acp.Program {
	return map[string]acp.Program{
		config.AgentCodex:    acp.Codex("codex-acp"),
		config.AgentGemini:   acp.Gemini("gemini"),
		config.AgentOpenCode: acp.OpenCode("opencode"),
	}
}

// ownAgent returns the program of an agent that the user has set.
func ownAgent(s record.Settings, name string) (acp.Program, bool) {
	short, _ := strings.CutPrefix(name, record.AgentPrefix)
	own, known := s.Agent(short)
	if !known || own.FullName() != name {
		return acp.Program{}, false
	}
	return acp.Program{
		Path: own.Command, Args: own.Args,
		Env:     func([]string, agents.Spec, bool) map[string]string { return own.Env },
		Install: "The settings name this program for " + name + ".",
		Login:   "sign in as its maker says, or set its key among its variables in the settings",
	}, true
}

// settingsReader returns the settings; on an error they are unknown.
type settingsReader func(context.Context) (record.Settings, error)

// storedSettings reads the settings from the database as a server does, which leaves one
// that it refuses as it is. If a server works there, it reads beside it.
func (m machine) storedSettings(ctx context.Context) (settings record.Settings, err error) {
	if m.DB == "" {
		if _, err := os.Stat(filepath.Join(m.Data, store.FileName)); errors.Is(err, os.ErrNotExist) {
			return settings, nil
		}
	}
	s, done, err := m.open(ctx)
	if err != nil {
		return settings, err
	}
	defer func() { err = errors.Join(err, done()) }()
	server, err := s.Server(ctx)
	return server.Settings, err
}

// open opens the database, or reads it beside the server that works with it.
func (m machine) open(ctx context.Context) (*store.Store, func() error, error) {
	if m.DB == "" {
		if s, err := store.Open(ctx, m.Data, store.Options{Readers: 1}); !errors.Is(err, store.ErrLocked) {
			return s, s.Close, err
		}
	}
	s, _, done, err := readBeside(ctx, m.Config)
	return s, done, err
}

// ownAgentsCheck asks every agent of the settings for its version and what it can do.
func (m machine) ownAgentsCheck(settings settingsReader) service.Check {
	const what = "own agents"
	return service.Check{Name: what, Perform: func(ctx context.Context) service.Finding {
		s, err := settings(ctx)
		if err != nil {
			return service.Failed(what, "%v", err)
		}
		if len(s.Agents) == 0 {
			return service.Finding{What: what, Idle: "none", Says: "the settings name no further program that speaks the Agent Client Protocol"}
		}
		found := make([]service.Finding, len(s.Agents))
		var all sync.WaitGroup
		for i, a := range s.Agents {
			all.Go(func() { found[i] = m.ownAgentCheck(a.FullName(), settings).Perform(ctx) })
		}
		all.Wait()
		var says []string
		bad := false
		for _, f := range found {
			says, bad = append(says, f.What+": "+f.Says), bad || f.Bad
		}
		f := service.Passed(what, "%s", strings.Join(says, "; "))
		f.Bad = bad
		return f
	}}
}

// ownAgentCheck asks one agent of the settings.
func (m machine) ownAgentCheck(name string, settings settingsReader) service.Check {
	return service.Check{Name: "agent", Needed: true, Perform: func(ctx context.Context) service.Finding {
		s, err := settings(ctx)
		if err != nil {
			return service.Failed(name, "%v", err)
		}
		own, known := ownAgent(s, name)
		if !known {
			return service.Failed(name, "the settings name no such agent: add it there, or start with another -agent")
		}
		return service.CheckACP(name, acp.Config{Program: own, Environ: m.environ, Extra: m.AgentEnv}).Perform(ctx)
	}}
}
