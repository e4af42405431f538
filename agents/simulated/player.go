package simulated

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"questboard/orchestration"
)

// Exit codes of the real CLI.
const (
	failed     = 1
	terminated = 143 // on TERM
)

// player plays one entry of a scenario.
type player struct {
	job    job
	dir    string
	out    *stream
	server *server // nil: not configured
	before float64 // the earlier cost of the session, USD
	cap    float64 // what this run may cost, USD; 0: no cap

	said string // the last text, for the result line
	over bool   // a signal was accepted: the turn is over
}

// play does what the entry says and returns the exit code.
func (p *player) play(ctx context.Context, e *Entry) int {
	if p.job.Unsized && p.job.Role == orchestration.ChaosWhisperer && !e.saysSize() {
		p.tool(ctx, sizeTool, map[string]any{"size": string(orchestration.SizeFull), "reason": "The scenario says no size."})
	}
	if e == nil {
		return p.improvise(ctx)
	}
	for _, a := range e.Do {
		if code, left := p.act(ctx, a); left {
			return code
		}
		if ctx.Err() != nil {
			return terminated
		}
		if p.over {
			break
		}
		if p.cap > 0 && p.out.cost() >= p.cap {
			p.out.capped(p.cap, p.before)
			return failed
		}
	}
	p.out.end(p.said, false, nil, "completed", p.before)
	return 0
}

const sizeTool = "set-size"

// saysSize reports whether the entry says the size by itself.
func (e *Entry) saysSize() bool {
	return e != nil && slices.ContainsFunc(e.Do, func(a Action) bool { return a.Tool == sizeTool })
}

// improvise plays a run that no entry of the scenario matches. From its second visit on
// a role that writes a document leaves what is stored as it is.
func (p *player) improvise(ctx context.Context) int {
	words := fmt.Sprintf("No entry of the scenario fits role=%s step=%s visit=%d.", p.job.Role, p.job.Step, p.job.Visit)
	p.say(words)
	document := len(p.job.Role.Tools()) > 0 // it must be stored, and cannot be made up
	if !document || p.job.Visit > 1 {
		p.tool(ctx, "signal-back", map[string]any{"signal": "complete", "summary": words})
	}
	if document && !p.over {
		p.out.end(words, true, nil, "completed", p.before)
		return failed
	}
	p.out.end(p.said, false, nil, "completed", p.before)
	return 0
}

// act does one action. If left is true, the process must now exit with code.
func (p *player) act(ctx context.Context, a Action) (code int, left bool) {
	switch a.Kind {
	case Say:
		p.say(a.Text)
	case Talk:
		p.talk(ctx, a)
	case Tool:
		p.tool(ctx, a.Tool, a.Input)
	case Write:
		p.write(a.Path, a.Body)
	case Run:
		p.run(ctx, a.Text)
	case Spawn:
		p.spawn(a.Text)
	case Sleep:
		pause(ctx, a.Sleep)
	case Hang:
		<-ctx.Done()
	case Compact:
		p.out.compact()
	case Garbage:
		_, _ = io.WriteString(p.out.out, a.Text)
	case APIError:
		return p.apiFault(ctx, a.Text), true
	case Exit:
		return a.Code, true
	}
	return 0, false
}

func (p *player) say(text string) {
	p.said = text
	p.out.say(text)
}

// talk sends messages at a fixed pace. If it is late, it catches up at once.
func (p *player) talk(ctx context.Context, a Action) {
	begun := time.Now()
	for n := range a.Lines {
		if wait := time.Until(begun.Add(time.Duration(n) * a.Sleep)); wait > 0 && !pause(ctx, wait) || ctx.Err() != nil {
			return
		}
		p.say(fmt.Sprintf("%s %d at %d", a.Text, n+1, time.Now().UnixNano()))
	}
}

// tool makes a real MCP call. If the server refuses it, the result is an error, as a
// model would see it, and the scenario continues.
func (p *player) tool(ctx context.Context, name string, input map[string]any) {
	if name == "signal-back" {
		input = withEvidence(withStep(input, p.job.Step), p.job.ToProve)
	}
	id := p.out.use("mcp__quest__"+name, input)
	if p.server == nil {
		p.out.result(id, "Error: No such tool available: mcp__quest__"+name, true)
		return
	}
	text, refused, err := p.server.call(ctx, name, input)
	if err != nil {
		p.out.result(id, "Error: "+err.Error(), true)
		return
	}
	p.out.result(id, []fields{{"type": "text", "text": text}}, refused)
	if name == "signal-back" && !refused {
		p.said, p.over = text, true
	}
}

// withStep adds the stepId if a scenario leaves it out.
func withStep(input map[string]any, step string) map[string]any {
	out := map[string]any{"stepId": step}
	for key, value := range input {
		out[key] = value
	}
	return out
}

// withEvidence adds the evidence that a complete needs if a scenario leaves it out. With
// an empty list of its own, a scenario sends none.
func withEvidence(input map[string]any, observables []string) map[string]any {
	_, own := input["evidence"]
	complete := string(orchestration.Complete)
	if own || len(observables) == 0 || input["signal"] != complete && input["type"] != complete {
		return input
	}
	var list []any
	for _, o := range observables {
		list = append(list, map[string]any{"observable": o, "kind": string(orchestration.ByCommand),
			"how": "exit code 0 (simulated: nothing ran)"})
	}
	input["evidence"] = list
	return input
}

func (p *player) write(path, content string) {
	id := p.out.use("Write", fields{"file_path": path, "content": content})
	if err := edit(p.dir, path, content); err != nil {
		p.out.result(id, "Error: "+err.Error(), true)
		return
	}
	p.out.result(id, "File created successfully at: "+path, false)
}

func (p *player) run(ctx context.Context, command string) {
	id := p.out.use("Bash", fields{"command": command})
	output, code, err := shell(ctx, p.dir, command)
	if code < 0 || code == 128+int(syscall.SIGTERM) || code == 128+int(syscall.SIGKILL) { // who ends this run has ended its command first
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	switch {
	case err != nil:
		p.out.result(id, "Error: "+err.Error(), true)
	case code != 0:
		p.out.result(id, fmt.Sprintf("Exit code %d\n%s", code, output), true)
	default:
		p.out.result(id, strings.TrimRight(output, "\n"), false)
	}
}

func (p *player) spawn(command string) {
	id := p.out.use("Bash", fields{"command": command, "run_in_background": true})
	if err := spawn(p.dir, command); err != nil {
		p.out.result(id, "Error: "+err.Error(), true)
		return
	}
	p.out.result(id, "Command running in background", false)
}
