package simulated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// maxPrompt is the longest prompt that is read, in bytes.
const maxPrompt = 16 << 20

// Main is the program `questboard simulated-agent`. args are the arguments after its
// name. It reads the prompt from stdin, plays the matching entry in the working directory
// and returns the exit code. TERM ends it with 143, like the real CLI.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	runtime.GOMAXPROCS(1) // it does one thing at a time, and there may be many agents
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	code, err := play(ctx, args, stdin, stdout, stderr, getenv)
	if err != nil {
		// If standard error cannot be written either, nothing more can be done.
		_, _ = fmt.Fprintln(stderr, err)
		return failed
	}
	return code
}

func play(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) (int, error) {
	a, err := parseArguments(args)
	if err != nil {
		return 0, err
	}
	scenario, err := Open(a.Scenario)
	if err != nil {
		return 0, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, fmt.Errorf("find working directory: %w", err)
	}
	if a.Session == "" {
		a.Session = uuid.NewString()
	}
	out := &stream{out: stdout, session: a.Session, dir: dir, begun: time.Now()}
	session := &memory{Dir: dir}
	if a.Resume != "" {
		session, err = recall(a.Sessions, a.Resume)
		if err == nil && session.Dir != dir && !a.Fork { // a copy may begin elsewhere
			err = errUnknownSession
		}
		if errors.Is(err, errUnknownSession) {
			words := "No conversation found with session ID: " + a.Resume
			out.unknownSession(words)
			return 0, errors.New(words)
		}
		if err != nil {
			return 0, err
		}
	}
	prompt, err := io.ReadAll(io.LimitReader(stdin, maxPrompt))
	if err != nil {
		return 0, fmt.Errorf("read prompt: %w", err)
	}
	j, err := parseJob(string(prompt))
	if err != nil {
		return 0, err
	}
	session.Dir = dir
	// Store the session before doing anything, so that a killed run can be resumed.
	session.Visits = append(session.Visits, fmt.Sprintf("%s/%s/%d", j.Role, j.Step, j.Visit))
	if err := session.keep(a.Sessions, a.Session); err != nil {
		return 0, err
	}
	p := &player{job: j, dir: dir, out: out, before: session.Cost}
	if a.Cap != "" {
		if p.cap, err = strconv.ParseFloat(a.Cap, 64); err != nil || !(p.cap > 0) {
			return 0, fmt.Errorf("error: option '%s' must be a positive number", capFlag)
		}
	}
	p.connect(ctx, a.MCPConfig, stderr, getenv)
	code := p.play(ctx, scenario.Find(j.Role, j.Step, j.Visit))
	session.Cost += out.cost()
	return code, session.keep(a.Sessions, a.Session)
}

// connect asks the MCP server for its tools and writes the first line of output. As with
// the real CLI, only that line tells that a server did not answer.
func (p *player) connect(ctx context.Context, config string, stderr io.Writer, getenv func(string) string) {
	tools, status := []string{"Bash", "Edit", "Read", "Write"}, "failed"
	server, err := openServer(config, getenv)
	if err == nil {
		var names []string
		if names, err = server.open(ctx); err == nil {
			for _, name := range names {
				tools = append(tools, "mcp__quest__"+name)
			}
			p.server, status = server, "connected"
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "MCP server quest:", err)
	}
	slices.Sort(tools)
	p.out.init(tools, status)
}
