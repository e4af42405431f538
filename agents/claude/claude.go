// Package claude runs the Claude Code CLI. It makes the command line and the MCP
// configuration, decides what an agent sees of the repository's own configuration, and
// checks the installed CLI. Package session runs the process, and package transcript
// reads its output.
package claude

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/session"
	"questboard/orchestration"
)

// Config is what a Runner needs.
type Config struct {
	// Path is the CLI: a path, or a name to look up in PATH.
	Path string
	// Model and Args are passed through for every agent (-model, -claude-args).
	Model string
	Args  []string
	// Environ is the server's environment. Extra names variables that agents may see
	// beyond the allow-list (-agent-env).
	Environ, Extra []string
	// RunsDir holds a folder for every run; only we can read it.
	RunsDir string
	// Sessions starts the process.
	Sessions session.Starter
}

// Runner implements agents.Runner with the Claude Code CLI.
type Runner struct {
	cfg     Config
	release release
}

// New returns a runner. A relative path is relative to the server's working directory,
// not to the repositories that agents work in.
func New(cfg Config) *Runner {
	if filepath.Base(cfg.Path) != cfg.Path {
		if abs, err := filepath.Abs(cfg.Path); err == nil {
			cfg.Path = abs
		}
	}
	return &Runner{cfg: cfg}
}

// install is the advice when the CLI is missing.
const install = "Install Claude Code (npm install -g @anthropic-ai/claude-code), or name its path with -claude."

// Start implements agents.Runner.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	if err := r.fit(ctx); err != nil {
		return nil, err
	}
	files, err := r.WriteFiles(spec)
	if err != nil {
		return nil, err
	}
	if files.Conversation, err = r.copyConversation(spec); err != nil {
		files.remove()
		return nil, err
	}
	needs, err := r.needs(spec, files)
	if err != nil {
		files.remove()
		return nil, err
	}
	return r.cfg.Sessions.Start(ctx, spec, session.Program{
		Needs:  needs,
		Argv:   r.Argv(spec, files),
		Env:    r.environment(spec.Role),
		Remedy: install,
		System: files.system,
		Clean:  files.remove,
	}, observer)
}

// Files are the files that one run's command line names.
type Files struct {
	// MCP is the MCP configuration; it contains the run's token.
	MCP string
	// System is what we add to the system prompt: what all runs of the quest are told,
	// and the repository's CLAUDE.md under our own heading, unless the CLI reads it
	// itself; "": nothing.
	System string
	system string // the text of that file
	// Login is the user's login without the right to renew it; "": there is none, or
	// the run is not confined.
	Login string
	// Conversation is a copy of the conversation that the session begins with, where the
	// CLI looks for it; "": it begins an empty one, or the conversation is there already.
	Conversation string
}

func (f Files) remove() {
	for _, name := range []string{f.MCP, f.System, f.Login, f.Conversation} {
		if name != "" {
			_ = os.Remove(name) // at worst it stays: the token in it is no longer valid
		}
	}
}

// WriteFiles writes the files that the command line names (see Files) into the run's
// folder.
func (r *Runner) WriteFiles(spec agents.Spec) (Files, error) {
	if !filepath.IsLocal(spec.RunID) || filepath.Base(spec.RunID) != spec.RunID {
		return Files{}, fmt.Errorf("write files of run %q: no plain name", spec.RunID)
	}
	dir := filepath.Join(r.cfg.RunsDir, spec.RunID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Files{}, fmt.Errorf("write files of run %s: %w", spec.RunID, err)
	}
	var files Files
	config, err := mcpConfig(spec)
	if err == nil {
		files.MCP = filepath.Join(dir, "mcp.json")
		err = writeSecret(files.MCP, config)
	}
	if system := systemPart(spec); err == nil && system != "" {
		files.System, files.system = filepath.Join(dir, "system.md"), system
		err = writeSecret(files.System, []byte(system))
	}
	if login := r.login(); err == nil && login != nil {
		files.Login = filepath.Join(dir, "login.json")
		err = writeSecret(files.Login, login)
	}
	if err != nil {
		files.remove()
		return Files{}, fmt.Errorf("write files of run %s: %w", spec.RunID, err)
	}
	return files, nil
}

// writeSecret writes a file that only we can read. It replaces any earlier file.
func writeSecret(name string, data []byte) error {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// maxRetries sets how often the CLI itself repeats a refused request. By default it does
// so 10 times, which takes minutes (seen in 2.1.329); four times take some 8 seconds.
// After that our own backoff waits, which occupies no slot.
const maxRetries = "CLAUDE_CODE_MAX_RETRIES"

func (r *Runner) environment(role orchestration.Role) []string {
	add := map[string]string{
		// A run is one process: nothing continues in the background, and an interim
		// result cannot be mistaken for the last one.
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
		// An update during a quest would change the agents' program.
		"DISABLE_AUTOUPDATER": "1",
	}
	if !slices.ContainsFunc(r.cfg.Environ, func(entry string) bool { return strings.HasPrefix(entry, maxRetries+"=") }) {
		add[maxRetries] = "4"
	}
	maps.Copy(add, agents.GitVariables(role))
	return process.Environment(r.cfg.Environ, slices.Clone(r.cfg.Extra), add)
}
