package simulated

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"questboard/orchestration"
)

// apiErrors are the values of api-error.
var apiErrors = []string{"overloaded", "rate-limit", "auth", "context"}

// Parse reads and strictly checks a scenario. The error is of type Faults and contains
// all faults at once. A file that is not YAML has one fault.
func Parse(raw []byte) (*Scenario, error) {
	file, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return nil, Faults{syntaxFault(err)}
	}
	r := &reader{}
	var s Scenario
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		r.fault(1, "the scenario is empty: a list of entries is expected")
	case len(file.Docs) > 1:
		r.fault(lineOf(file.Docs[1].Body), "one document is expected, not %d", len(file.Docs))
	default:
		for _, node := range r.list(file.Docs[0].Body, "the scenario") {
			s.Entries = append(s.Entries, r.entry(node))
		}
		if len(s.Entries) == 0 && len(r.faults) == 0 {
			r.fault(1, "the scenario is empty: a list of entries is expected")
		}
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.Line - b.Line })
		return nil, r.faults
	}
	return &s, nil
}

func (r *reader) entry(node ast.Node) Entry {
	e := Entry{Line: lineOf(node)}
	m := r.mapping(node, "an entry", "role", "step", "visit", "do")
	for _, key := range []string{"role", "step", "visit", "do"} {
		value, there := m[key]
		if !there {
			continue
		}
		switch key {
		case "role":
			e.Role = orchestration.Role(r.text(value, "role"))
			if !e.Role.Agent() {
				r.fault(lineOf(value), "unknown role %q: one of %s", e.Role, strings.Join(roleNames(), ", "))
			}
		case "step":
			e.Step = r.text(value, "step")
		case "visit":
			e.Visit = r.whole(value, "visit", 1)
		case "do":
			for _, action := range r.list(value, "do") {
				e.Do = append(e.Do, r.action(action))
			}
		}
	}
	for _, key := range []string{"role", "do"} {
		if _, there := m[key]; !there && m != nil {
			r.fault(e.Line, "an entry needs %s", key)
		}
	}
	return e
}

func (r *reader) action(node ast.Node) Action {
	a := Action{Line: lineOf(node)}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	m := r.mapping(node, "an action", names...)
	if m == nil {
		return a
	}
	if len(m) != 1 {
		r.fault(a.Line, "an action has exactly one key: one of %s", strings.Join(names, ", "))
		return a
	}
	for key, value := range m {
		a.Kind = Kind(key)
		r.argument(&a, value)
	}
	return a
}

func (r *reader) argument(a *Action, value ast.Node) {
	key := string(a.Kind)
	switch a.Kind {
	case Tool:
		m := r.mapping(value, "tool", "name", "input")
		a.Tool = r.needed(m, value, "tool", "name")
		a.Input = map[string]any{}
		if input, there := m["input"]; there {
			a.Input = r.plain(input, "input")
		}
	case Write:
		m := r.mapping(value, "write", "path", "content")
		a.Path = r.needed(m, value, "write", "path")
		if content, there := m["content"]; there {
			a.Body = r.text(content, "content")
		}
	case Talk:
		m := r.mapping(value, key, "text", "lines", "every")
		a.Text = r.needed(m, value, key, "text")
		for _, needed := range []string{"lines", "every"} {
			if _, there := m[needed]; !there && m != nil {
				r.fault(lineOf(value), "talk needs %s", needed)
			}
		}
		if lines, there := m["lines"]; there {
			a.Lines = r.whole(lines, "lines", 1)
		}
		if every, there := m["every"]; there {
			a.Sleep = r.duration(every, "every")
		}
	case Sleep:
		a.Sleep = r.duration(value, key)
	case Exit:
		if a.Code = r.whole(value, key, 0); a.Code > 255 {
			r.fault(lineOf(value), "exit must be a code from 0 to 255")
		}
	case Hang, Compact:
		if b, ok := value.(*ast.BoolNode); !ok || !b.Value {
			r.fault(lineOf(value), "%s takes the value true", key)
		}
	case APIError:
		if a.Text = r.text(value, key); a.Text != "" && !slices.Contains(apiErrors, a.Text) {
			r.fault(lineOf(value), "unknown api-error %q: one of %s", a.Text, strings.Join(apiErrors, ", "))
		}
	default:
		a.Text = r.text(value, key)
	}
}

func roleNames() []string {
	var names []string
	for _, role := range orchestration.Roles {
		if role.Agent() {
			names = append(names, string(role))
		}
	}
	return names
}

// syntaxFault extracts the line from the YAML parser's message: "[3:5] …", followed by
// an excerpt that does not fit into a list of faults.
func syntaxFault(err error) Fault {
	text, _, _ := strings.Cut(err.Error(), "\n")
	f := Fault{Line: 1, Text: "not YAML: " + text}
	if place, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "] "); ok {
		line, _, _ := strings.Cut(place, ":")
		if n, err := strconv.Atoi(line); err == nil {
			f = Fault{Line: n, Text: fmt.Sprintf("not YAML: %s", rest)}
		}
	}
	return f
}
