package harness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// agentCommand makes this binary the stand-in for the Claude Code CLI.
const agentCommand = "harness-agent"

// standIn is one run of an agent as Questboard starts it: it reads its message from standard input, works in the
// folder in which it was started, and ends with the tool signal-back. notes is a folder outside of all trees.
func standIn(notes string, args []string, in io.Reader, out io.Writer) error {
	message, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r := &run{text: string(message), out: out}
	if r.key, err = firstLine(r.text); err != nil {
		return err
	}
	fmt.Fprintf(out, `{"type":"system","subtype":"init","session_id":%q,"tools":["mcp__quest__signal-back"],`+
		`"mcp_servers":[{"name":"quest","status":"connected"}]}`+"\n", session(args))
	if r.server, err = toolServer(args); err != nil {
		return err
	}
	r.notes = filepath.Join(notes, r.key["quest"])
	if err := os.MkdirAll(r.notes, 0o700); err != nil {
		return err
	}
	r.recall = filepath.Join(r.notes, "session-"+session(args))
	if r.agent, err = r.who(); err != nil {
		return err
	}
	r.memory = r.recall + "-saw"
	r.n, err = r.attempt()
	if err != nil {
		return err
	}
	if err := note(r.notes, "ledger", "%s %s %s %s %d", r.key["run"], r.key["role"], r.key["step"], r.key["start"], r.n); err != nil {
		return err
	}
	switch err := r.act(); {
	case errors.Is(err, errCrash):
		if err := r.attempted(); err != nil {
			return err
		}
		os.Exit(3)
	case err != nil:
		return err
	}
	fmt.Fprintln(out, `{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1}`)
	return nil
}

// run is one run of an agent.
type run struct {
	agent
	text   string
	key    map[string]string // the first line of the message
	notes  string            // the quest's folder for notes
	n      int               // which attempt of its role at its step it is
	recall string            // the file in which its session remembers what it was told
	server server
	out    io.Writer
}

// firstLine reads the line of a message that is for logs and scripts.
func firstLine(text string) (map[string]string, error) {
	line, _, _ := strings.Cut(text, "\n")
	rest, is := strings.CutPrefix(line, "[questboard] ")
	if !is {
		return nil, fmt.Errorf("the message begins with %.100q", text)
	}
	key := map[string]string{}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		key[name] = value
	}
	return key, nil
}

func session(args []string) string {
	id := ""
	for _, arg := range args {
		for _, flag := range []string{"--session-id=", "--resume="} {
			if value, is := strings.CutPrefix(arg, flag); is {
				id = value
			}
		}
	}
	return id
}

// ordered is how a request names the pair and the seed.
var ordered = regexp.MustCompile(`\[pair ([\w-]+), seed (\d+)\]`)

// who finds out what the agent works on: the request says it, and later runs of the quest read the note of the first.
func (r *run) who() (agent, error) {
	file := filepath.Join(r.notes, "who")
	text := read(file)
	if text == "" {
		if text = ordered.FindString(r.text); text == "" {
			return agent{}, errors.New("the message names no pair")
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return agent{}, err
		}
	}
	m := ordered.FindStringSubmatch(text)
	if m == nil {
		return agent{}, fmt.Errorf("the note says %q", text)
	}
	p, err := pairNamed(m[1])
	if err != nil {
		return agent{}, err
	}
	c, err := readChances(chancesFile)
	if err != nil {
		return agent{}, err
	}
	seed, err := strconv.ParseUint(m[2], 10, 64)
	if err != nil {
		return agent{}, err
	}
	dir, err := os.Getwd()
	return agent{c: c, p: p, seed: seed, dir: dir}, err
}

// attempt counts the attempts of a role at a step. A run that goes on where a killed one stopped is the same attempt;
// a run that crashed by itself was one.
func (r *run) attempt() (int, error) {
	text := read(r.attempts())
	n, open := strings.Count(text, "begun"), strings.Count(text, "begun") > strings.Count(text, "over")
	if open && r.key["start"] == "interrupted" {
		return n, nil
	}
	if open {
		if err := r.attempted(); err != nil {
			return 0, err
		}
	}
	return n + 1, note(r.notes, filepath.Base(r.attempts()), "begun")
}

func (r *run) attempts() string {
	return filepath.Join(r.notes, "attempts-"+r.key["role"]+"-"+r.key["step"])
}

// attempted notes that the attempt is over.
func (r *run) attempted() error { return note(r.notes, filepath.Base(r.attempts()), "over") }

// note adds a line to a file.
func note(dir, file, format string, args ...any) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}

// part lists the features of the run's step.
func (r *run) part() []int {
	if f := slices.Index(features[:], r.key["step"]); f >= 0 {
		return []int{f}
	}
	return []int{0, 1}
}

// job is what there is to mend: a feature, or both where both are in the tree, in either order.
func (r *run) job() string {
	if step := r.key["step"]; slices.Contains(features[:], step) && !r.see().both() {
		return step
	}
	return "both"
}

// complete signals that the work is done, with what the message asks to be proven. What the tree has then is
// noted: it must not be lost.
func (r *run) complete() error {
	fields := object{"signal": "complete", "stepId": r.key["step"], "summary": "Done."}
	if line := proves.FindStringSubmatch(r.text); line != nil {
		var ids []string
		if err := json.Unmarshal([]byte(line[1]), &ids); err != nil {
			return err
		}
		var list []object
		for _, id := range ids {
			list = append(list, object{"observable": id, "kind": "command", "how": "sh check.sh: exit code 0"})
		}
		if list != nil {
			fields["evidence"] = list
		}
	}
	had, whole := r.p.look(func(name string) string { return read(filepath.Join(r.dir, name)) })
	if err := r.server.call("signal-back", fields); err != nil {
		return err
	}
	for f, name := range features {
		if whole && had.v[f] != absent { // half a file is not what anybody has done
			if err := note(r.notes, "done", "%s", name); err != nil {
				return err
			}
		}
	}
	return r.attempted()
}

var proves = regexp.MustCompile(`(?m)^evidence-for: (\[.*\])$`)
