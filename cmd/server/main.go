// Command server is Questboard: it carries a request through a party of coding agents. It
// has the flags and the commands, and connects, starts and stops the other packages. The
// rules of quests are in package orchestration.
//
// main.go has the table of commands, package config reads their flags, and app.go has the parts
// of a server and how it ends. Every command has a file of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"questboard/cmd/server/client"
	"questboard/cmd/server/config"
	"questboard/orchestration/service"
)

// Exit codes that users' scripts rely on (docs/interfaces.md#exit-codes). Package client has
// those of commands that ask a running server.
const (
	exitOK    = 0
	exitFault = 1 // one line on standard error has the fault and its remedy
	exitUsage = 2 // standard error names every wrong flag
)

// machine is this machine as a command meets it: what the user set, and the process.
type machine struct {
	config.Config
	world
}

// world is what a command sees of the process.
type world struct {
	environ        []string
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], world{
		environ: os.Environ(), getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}))
}

// command is one subcommand.
type command struct {
	name   string
	flags  string // in the usage line, which has the arguments after them
	args   string // those in brackets may be missing
	does   string
	hidden bool // internal: it reads its own arguments
	run    func(ctx context.Context, c call) error
}

// call is one call of a command.
type call struct {
	machine
	args []string // those that the usage line names
}

// arg returns an argument, or "" if it was left out.
func (c call) arg(n int) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return ""
}

// commands returns all commands in the order of the help.
func commands() []command {
	return []command{
		{name: "serve", flags: "[flags]", does: "start the server (the default command)", run: serve},
		{name: "worker", flags: "[flags]", does: "carry out agents and checks for a server on another machine", run: worker},
		{name: "demo", flags: "[flags]", does: "start a server with a sample quest and simulated agents; needs no account", run: demo},
		{name: "doctor", flags: "[flags]", args: "[REPO]", does: "check whether a quest could run here, or in REPO", run: doctor},
		{name: "backup", flags: "[-data DIR]", args: "FILE", does: "write a consistent copy of the database; the server may be running",
			run: backup},
		{name: "restore", flags: "[-data DIR]", args: "[FILE]",
			does: "replace the database with the newest backup, or with FILE; the server must not be running", run: restore},
		{name: "migrate-db", flags: "[-data DIR] -db ADDRESS",
			does: "move the quests of a data directory into an empty PostgreSQL database; the server must not be running", run: migrateDB},
		{name: "export", flags: "[-data DIR] [-from BACKUP]", args: "QUEST", does: "write a quest as one JSON document to standard output",
			run: exportQuest},
		{name: "import", flags: "[-data DIR]", args: "FILE", does: "import an exported quest; the server must not be running", run: importQuest},
		{name: "status", flags: "[flags]", args: "[QUEST]", does: "print the quests of a running server, and what needs you", run: status},
		{name: "wait", flags: "[flags]", args: "QUEST", does: "wait until a quest is complete, or asks, or needs you otherwise", run: wait},
		{name: "answer", flags: "[flags]", args: "QUESTION [TEXT]",
			does: "answer a question of an agent; TEXT - reads standard input, and a decision needs none", run: answer},
		{name: "version", does: "print the versions", run: printVersion},
		{name: "supervise", hidden: true, run: supervise},
		{name: "simulated-agent", hidden: true, run: simulatedAgent},
	}
}

// run runs a command line, and returns the exit code. When ctx ends, the command stops
// early and cleanly.
func run(ctx context.Context, args []string, w world) int {
	name, rest := "serve", args
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		name, rest = args[0], args[1:]
	}
	if name == "help" || len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		usage(w.stdout)
		return exitOK
	}
	list := commands()
	at := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if at < 0 {
		fmt.Fprintf(w.stderr, "questboard: there is no command %q; `questboard help` lists them\n", name)
		return exitUsage
	}
	return exitCode(list[at].execute(ctx, rest, w), list[at], w)
}

// execute reads the rest of the command line, and runs the command.
func (c command) execute(ctx context.Context, args []string, w world) error {
	if c.hidden {
		return c.run(ctx, call{machine{world: w}, args})
	}
	cfg, rest, err := config.Parse(c.name, args, w.getenv)
	if err != nil {
		return err
	}
	if err := config.CheckArguments(rest, c.args); err != nil {
		return err
	}
	return c.run(ctx, call{machine{cfg, w}, rest})
}

// exited is the exit code of a command that has printed everything itself.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitCode prints an error to standard error and returns the exit code.
func exitCode(err error, c command, w world) int {
	var code exited
	var bad config.Faults
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, flag.ErrHelp):
		c.usage(w.stdout)
		return exitOK
	case errors.As(err, &bad):
		for _, fault := range bad {
			fmt.Fprintf(w.stderr, "questboard %s: %s\n", c.name, fault)
		}
		fmt.Fprintf(w.stderr, "`questboard %s -help` lists the flags\n", c.name)
		return exitUsage
	default:
		fmt.Fprintf(w.stderr, "questboard: %s\n", client.Line(service.OneLine(err.Error())))
		if own := (client.Fault{}); errors.As(err, &own) {
			return own.Code
		}
		return exitFault
	}
}
