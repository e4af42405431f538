package simulated

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// reader reads values from YAML nodes and records every fault with its line.
type reader struct{ faults Faults }

func (r *reader) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, Fault{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) list(node ast.Node, what string) []ast.Node {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		r.fault(lineOf(node), "%s must be a list", what)
		return nil
	}
	return seq.Values
}

// mapping returns the values by key, or nil if the node is not a mapping.
func (r *reader) mapping(node ast.Node, what string, known ...string) map[string]ast.Node {
	var pairs []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		r.fault(lineOf(node), "%s must be a mapping with the keys %s", what, strings.Join(known, ", "))
		return nil
	}
	m := make(map[string]ast.Node, len(pairs))
	for _, pair := range pairs {
		key := pair.Key.GetToken().Value
		if !slices.Contains(known, key) {
			r.fault(lineOf(pair.Key), "unknown key %q in %s: allowed are %s", key, what, strings.Join(known, ", "))
			continue
		}
		if _, twice := m[key]; twice {
			r.fault(lineOf(pair.Key), "the key %s is given twice", key)
		}
		m[key] = pair.Value
	}
	return m
}

func (r *reader) text(node ast.Node, what string) string {
	var s string
	switch n := node.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	default:
		r.fault(lineOf(node), "%s must be text (in quotes, where it looks like something else)", what)
		return ""
	}
	if s == "" && what != "content" {
		r.fault(lineOf(node), "%s is empty", what)
	}
	return s
}

func (r *reader) needed(m map[string]ast.Node, node ast.Node, what, key string) string {
	value, there := m[key]
	if there {
		return r.text(value, key)
	}
	if m != nil {
		r.fault(lineOf(node), "%s needs %s", what, key)
	}
	return ""
}

func (r *reader) duration(node ast.Node, what string) time.Duration {
	text := r.text(node, what)
	d, err := time.ParseDuration(text)
	if text != "" && (err != nil || d < 0) {
		r.fault(lineOf(node), "%s must be a duration such as 2s or 500ms, not %q", what, text)
	}
	return d
}

// whole reads a whole number of at least min.
func (r *reader) whole(node ast.Node, what string, min int) int {
	var n int
	_, isNumber := node.(*ast.IntegerNode)
	if err := yaml.NodeToValue(node, &n); !isNumber || err != nil || n < min {
		r.fault(lineOf(node), "%s must be a whole number of at least %d", what, min)
		return min
	}
	return n
}

// plain reads a mapping that will be sent as JSON.
func (r *reader) plain(node ast.Node, what string) map[string]any {
	out := map[string]any{}
	if err := yaml.NodeToValue(node, &out); err != nil {
		r.fault(lineOf(node), "%s must be a mapping", what)
	}
	return out
}

// lineOf returns the line in which a node begins. The token of a mapping is its first
// colon, so a mapping begins at its first key.
func lineOf(node ast.Node) int {
	switch n := node.(type) {
	case nil:
		return 1
	case *ast.MappingNode:
		if len(n.Values) > 0 {
			return lineOf(n.Values[0])
		}
	case *ast.MappingValueNode:
		return lineOf(n.Key)
	}
	return node.GetToken().Position.Line
}
