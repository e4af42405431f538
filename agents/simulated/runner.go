package simulated

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/session"
)

// Command is the subcommand of our own binary that calls Main.
const Command = "simulated-agent"

const sessionsFolder = "sessions"

// Config is what the adapter needs to know about its server.
type Config struct {
	// Binary is our own executable.
	Binary string
	// Scenario is a scenario file, absolute, or the name of a built-in one (see Open).
	Scenario string
	// Dir is a folder of our own below the data directory, for sessions and for the MCP
	// configuration of runs in progress.
	Dir string
	// Environ is the server's environment, Extra the names of variables that agents may
	// see beyond the allow-list.
	Environ, Extra []string
	// Sessions starts the process.
	Sessions session.Starter
}

// Runner starts simulated agents. It implements agents.Runner.
type Runner struct{ config Config }

// New returns a Runner.
func New(config Config) *Runner { return &Runner{config: config} }

// Start implements agents.Runner.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	mcp, err := r.writeMCP(spec)
	if err != nil {
		return nil, err
	}
	sessions := filepath.Join(r.config.Dir, sessionsFolder, spec.QuestID)
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of sessions: %w", err)
	}
	argv := []string{r.config.Binary, Command, "--mcp-config=" + mcp, "--sessions=" + sessions}
	needs := confine.Needs{Read: []string{r.config.Binary, mcp}, Binds: []confine.Bind{{From: sessions, At: sessions, Write: true}}}
	if r.config.Scenario != "" {
		if !Builtin(r.config.Scenario) {
			needs.Read = append(needs.Read, r.config.Scenario)
		}
		argv = append(argv, "--scenario="+r.config.Scenario)
	}
	switch {
	case spec.Resume:
		argv = append(argv, "--resume="+spec.SessionID)
	case spec.ForkOf != "":
		argv = append(argv, "--resume="+spec.ForkOf, forkFlag, "--session-id="+spec.SessionID)
	default:
		argv = append(argv, "--session-id="+spec.SessionID)
	}
	if spec.Cap.USD > 0 {
		argv = append(argv, capFlag+"="+strconv.FormatFloat(spec.Cap.USD, 'f', -1, 64))
	}
	return r.config.Sessions.Start(ctx, spec, session.Program{
		Argv:   argv,
		Needs:  needs,
		Env:    process.Environment(r.config.Environ, r.config.Extra, nil),
		System: spec.System,
		Remedy: "Build questboard again: its own binary is gone.",
		Clean:  func() { _ = os.Remove(mcp) }, // it contains the token of a run that is over
	}, observer)
}

// Forget removes the sessions of a deleted quest; dir is Config.Dir.
func Forget(dir, quest string) error {
	if !filepath.IsLocal(quest) || filepath.Base(quest) != quest {
		return fmt.Errorf("remove the sessions of quest %q: no plain name", quest)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the quest never ran here
	}
	if err != nil {
		return fmt.Errorf("remove the sessions of %s: %w", quest, err)
	}
	defer func() { _ = root.Close() }()
	if err := root.RemoveAll(filepath.Join(sessionsFolder, quest)); err != nil {
		return fmt.Errorf("remove the sessions of %s: %w", quest, err)
	}
	return nil
}

// writeMCP writes the file with the server's address and the run's token. It is a file
// of mode 0600, because everybody can read argv.
func (r *Runner) writeMCP(spec agents.Spec) (string, error) {
	if !filepath.IsLocal(spec.RunID) || filepath.Base(spec.RunID) != spec.RunID {
		return "", fmt.Errorf("write MCP config of run %q: no plain name", spec.RunID)
	}
	dir := filepath.Join(r.config.Dir, "mcp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make folder of MCP configs: %w", err)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"quest": map[string]any{
		"type": "http", "url": spec.MCPURL, "alwaysLoad": true,
		"headers": map[string]string{"Authorization": "Bearer " + spec.Token},
	}}})
	if err != nil {
		return "", fmt.Errorf("encode MCP config: %w", err)
	}
	path := filepath.Join(dir, spec.RunID+".json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		return "", fmt.Errorf("write MCP config: %w", err)
	}
	return path, nil
}
