package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/process"
)

// minVersion is the oldest release that may run agents. Earlier ones let an agent out
// of its worktree (CVE-2026-55607).
const minVersion = "2.1.163"

// Found describes the CLI on this machine.
type Found struct {
	Path    string
	Version string // "" if the program is missing or is not Claude Code
	Old     bool   // before minVersion
	// LoggedIn is what the CLI says; it does not ask the service.
	LoggedIn bool
	// Fault is what is wrong, with the remedy; "" if agents can run.
	Fault string
}

// Probe asks the CLI for its version and its login. It makes no request to the service
// and costs nothing. The error means that the CLI could not be asked; faults of the CLI
// are in Found.Fault.
func (r *Runner) Probe(ctx context.Context) (Found, error) {
	found, err := r.identify(ctx)
	if err != nil || found.Version == "" {
		return found, err
	}
	status, _, err := r.ask(ctx, "auth", "status", "--json")
	if err != nil {
		return found, fmt.Errorf("probe login of %s: %w", r.cfg.Path, err)
	}
	found.LoggedIn = gjson.Get(status, "loggedIn").Bool()
	if !found.LoggedIn && found.Fault == "" {
		found.Fault = "Claude Code is not logged in: run `claude` once in a terminal and log in, or set ANTHROPIC_API_KEY."
	}
	return found, nil
}

// identify determines which program and release the CLI is.
func (r *Runner) identify(ctx context.Context) (Found, error) {
	found := Found{Path: r.cfg.Path}
	out, _, err := r.ask(ctx, "--version")
	if missing := (*process.StartError)(nil); errors.As(err, &missing) {
		found.Fault = fmt.Sprintf("%s could not be started: %s. Name the right path with -claude.", r.cfg.Path, missing.Reason)
		if errors.Is(err, fs.ErrNotExist) {
			found.Fault = fmt.Sprintf("%s was not found. %s", r.cfg.Path, install)
		}
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("probe %s: %w", r.cfg.Path, err)
	}
	version, ok := parseVersion(out)
	if !ok {
		found.Fault = r.cfg.Path + " is not Claude Code: it answers --version with something else. Name the right path with -claude."
		return found, nil
	}
	found.Version = version
	if found.Old = agents.Older(version, minVersion); found.Old {
		found.Fault = fmt.Sprintf("Claude Code %s is too old, %s is needed: run `claude update`.", version, minVersion)
	}
	return found, nil
}

// ask runs the CLI with these arguments and returns what it printed.
func (r *Runner) ask(ctx context.Context, args ...string) (string, int, error) {
	var out strings.Builder
	child, err := r.cfg.Sessions.Process.Start(process.Command{
		RunID: "probe", Argv: append([]string{r.cfg.Path}, args...), Env: r.environment(""),
		Dir:    "/", // where no other user leaves settings
		Output: func(in io.Reader) { _, _ = io.Copy(&out, io.LimitReader(in, 64<<10)) },
	})
	if err != nil {
		return "", 0, err
	}
	stop := context.AfterFunc(ctx, func() { child.End(0) })
	defer stop()
	exit := child.Wait()
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	return out.String(), exit.Code, nil
}

// parseVersion reads "2.1.329 (Claude Code)".
func parseVersion(out string) (string, bool) {
	version, rest, _ := strings.Cut(strings.TrimSpace(out), " ")
	if !strings.Contains(rest, "Claude Code") || len(agents.VersionNumbers(version)) != 3 {
		return "", false
	}
	return version, true
}
