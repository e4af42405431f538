package workspace

import (
	"context"
	"fmt"
	"strings"
)

// change is one path that differs between two trees.
type change struct {
	name             string
	oldMode, newMode string // "000000": absent
	oldBlob, newBlob string
}

// compare lists what differs between two commits or trees.
func (tr *tree) compare(ctx context.Context, from, to string) ([]change, error) {
	return tr.r.compare(ctx, tr, from, to)
}

// compare is for commits or trees named by their ids where in is nil.
func (r *repository) compare(ctx context.Context, in *tree, from, to string) ([]change, error) {
	out, err := r.do(ctx, call{in: in, args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", from, to}})
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

func parseRaw(out string) ([]change, error) {
	fields := strings.Split(out, "\x00") // :mode mode blob blob letter, name, …
	var all []change
	for i := 0; i+1 < len(fields); i += 2 {
		facts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(facts) != 5 {
			return nil, fmt.Errorf("git compares with %q", fields[i])
		}
		all = append(all, change{name: fields[i+1], oldMode: facts[0], newMode: facts[1], oldBlob: facts[2], newBlob: facts[3]})
	}
	return all, nil
}

func namesOf(changes []change) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.name)
	}
	return names
}

// both are the names in two lists of changes.
func both(a, b []change) []string {
	in := map[string]bool{}
	for _, c := range b {
		in[c.name] = true
	}
	var names []string
	for _, c := range a {
		if in[c.name] {
			names = append(names, c.name)
		}
	}
	return names
}
