// Command server is Questboard: it carries a request through a party of coding
// agents. This package wires the others together; it holds no rules.
//
// main.go is the table of commands, config.go what they are told, app.go what
// a server is made of and how it ends; every command has a file of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"questboard/orchestration/service"
)

// Exit codes that people's scripts rely on (docs/interfaces.md#exit-codes).
const (
	exitOK    = 0
	exitFault = 1 // one line on standard error says what and what to do
	exitUsage = 2 // every bad flag is named on standard error
)

// world is what a command sees of the process that it runs in.
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
	args   string // of the usage line
	does   string
	hidden bool // ours alone: the arguments are not ours to read
	run    func(ctx context.Context, args []string, w world) error
}

// commands returns all of them, in the order of the help.
func commands() []command {
	return []command{
		{name: "serve", args: "[flags]", does: "start the server (also without a command)", run: serve},
		{name: "demo", args: "[flags]", does: "the same with a sample quest and agents without a model; needs no account", run: demo},
		{name: "doctor", args: "[flags]", does: "check whether a quest could run here", run: doctor},
		{name: "backup", args: "[-data DIR] FILE", does: "write a consistent copy of the database, also while serving", run: backup},
		{name: "restore", args: "[-data DIR] [FILE]", does: "put the newest backup, or FILE, in the place of the database; not while serving", run: restore},
		{name: "export", args: "[-data DIR] [-from BACKUP] QUEST", does: "write a quest as one JSON document to standard output", run: exportQuest},
		{name: "import", args: "[-data DIR] FILE", does: "take in a quest that was exported; not while serving", run: importQuest},
		{name: "version", does: "print the versions", run: printVersion},
		{name: "supervise", hidden: true, run: supervise},
		{name: "simulated-agent", hidden: true, run: simulatedAgent},
	}
}

// run carries out a command line and returns the exit code. It ends early,
// and orderly, when ctx does.
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
	return exitCode(list[at].run(ctx, rest, w), list[at], w)
}

// exited is the exit code of a command that has said everything itself.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitCode says on standard error what went wrong.
func exitCode(err error, c command, w world) int {
	var code exited
	var bad usageFaults
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
		fmt.Fprintf(w.stderr, "questboard: %s\n", service.OneLine(err.Error()))
		return exitFault
	}
}
