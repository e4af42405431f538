package service

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"questboard/agents/acp"
	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/session"
	"questboard/agents/workspace"
)

// OwnExecutable returns the path of our own binary, which also acts as supervisor and
// as simulated agent.
func OwnExecutable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the own executable: %w", err)
	}
	return exe, nil
}

// CheckClaude looks for Claude Code as runs would find it. It fills in Sessions itself.
func CheckClaude(cfg claude.Config) Check {
	return Check{Name: "agent", Needed: true, Perform: func(ctx context.Context) Finding {
		exe, err := OwnExecutable()
		if err != nil {
			return Failed("claude", "%v", err)
		}
		cfg.Sessions = session.Starter{Process: process.Starter{Exe: exe}}
		found, err := claude.New(cfg).Probe(ctx)
		switch {
		case err != nil:
			return Failed("claude", "%v", err)
		case found.Fault != "":
			return Failed("claude", "%s", found.Fault)
		default:
			return Passed("claude", "%s at %s, logged in", found.Version, found.Path)
		}
	}}
}

// CheckACP asks a program for its version and whether it can work with us.
func CheckACP(name string, cfg acp.Config) Check {
	return Check{Name: "agent", Needed: true, Perform: func(ctx context.Context) Finding {
		exe, err := OwnExecutable()
		if err != nil {
			return Failed(name, "%v", err)
		}
		cfg.Sessions.Process.Exe = exe
		found, err := acp.New(cfg).Probe(ctx)
		if err != nil {
			return Failed(name, "%v", err)
		}
		return Passed(name, "%s; version 1 of the protocol: yes; MCP over HTTP: yes; whether you are signed in shows at the first run",
			cmp.Or(found, "it tells no version"))
	}}
}

// CheckGit looks for git.
func CheckGit(environ []string) Check {
	return Check{Name: "git", Needed: true, Perform: func(ctx context.Context) Finding {
		path, err := exec.LookPath("git")
		if err != nil {
			return Failed("git", "not found on PATH: install it (apt-get install git, or xcode-select --install)")
		}
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.Env = process.Environment(environ, nil, nil)
		out, err := cmd.Output()
		if err != nil {
			return Failed("git", "%s does not run: %v: install it again", path, err)
		}
		return Passed("git", "%s at %s", strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), path)
	}}
}

// CheckProcesses reports what contains the processes of runs. It starts a program as
// runs are started, and the kernel says where the program ran.
func CheckProcesses(environ []string) Check {
	const what = "processes"
	const tell = `while read -r line; do echo "$line"; done </proc/self/cgroup` // using no other program
	return Check{Name: what, Perform: func(ctx context.Context) Finding {
		exe, err := OwnExecutable()
		if err != nil {
			return Failed(what, "%v", err)
		}
		var said []byte
		child, err := process.Starter{Exe: exe}.Start(process.Command{RunID: "doctor", Argv: []string{"/bin/sh", "-c", tell}, Dir: "/",
			Env: process.Environment(environ, nil, nil), Output: func(out io.Reader) { said, _ = io.ReadAll(out) }})
		if err != nil {
			return Failed(what, "no program can be started under a supervisor: %v", err)
		}
		deadline, _ := ctx.Deadline()
		child.End(time.Until(deadline))
		child.Wait()
		if strings.Contains(string(said), "/questboard-doctor-") {
			return Passed(what, "each run has a supervisor and a cgroup of its own: nothing of a run outlives it")
		}
		none := "programs cannot be started in one"
		if err := process.Groups(); err != nil {
			none = err.Error()
		}
		return Passed(what, "each run has a supervisor, which ends all its processes. There is no cgroup for it: %s", OneLine(none))
	}}
}

// CheckWard looks for the shell that runs a project's check. Which commands the check
// uses is known only in its repository.
func CheckWard(environ []string) Check {
	const what = "check command"
	return Check{Name: what, Perform: func(ctx context.Context) Finding {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exit 0")
		cmd.Env = process.Environment(environ, nil, nil)
		if err := cmd.Run(); err != nil {
			return Failed(what, "/bin/sh does not run: %v: a project's check needs it", err)
		}
		return Passed(what, "/bin/sh runs it in the quest's repository")
	}}
}

// CheckRepository looks at a repository: whether a quest can work there, and what its own
// file says at the commit that is checked out. Whether the user trusts that file is known
// to the server alone.
func CheckRepository(git workspace.Git, dir string) Check {
	const what = "repository"
	return Check{Name: what, Perform: func(ctx context.Context) Finding {
		full, err := filepath.Abs(dir)
		if err != nil {
			return Failed(what, "%s: %v", dir, err)
		}
		repo, err := NewRepositories(git).Look(ctx, full)
		if err != nil {
			return Failed(what, "%s: %v", full, err)
		}
		if repo.Fault != "" {
			return Failed(what, "%s", repo.Fault)
		}
		file, err := repoFileOf(ctx, git, repo.Path, "")
		switch faults := file.Config.Faults; {
		case err != nil:
			return Failed(what, "%v", err)
		case len(faults) > 0:
			return Failed(what, "%s: its own file does not count before this is corrected and committed: %s", repo.Path, strings.Join(faults, "; "))
		case file.File == nil:
			return Passed(what, "%s; its commit has no .questboard/config.yaml, so quests there ask for everything", repo.Path)
		}
		return Passed(what, "%s; its own file at %.10s sets %s", repo.Path, file.File.Commit, strings.Join(repoFileSets(file.File), ", "))
	}}
}
