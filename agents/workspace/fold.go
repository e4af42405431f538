package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"questboard/agents/git"
)

// foldedRef keeps the commits of a step that were folded into the commit that arrived on
// the quest's branch: runs and evidence name them.
func (r *repository) foldedRef(step, arrived string) string {
	return r.foldedRefs() + step + "/" + arrived
}

func (r *repository) foldedRefs() string { return "refs/questboard/folded/" + r.ref.Quest + "/" }

// The most commits of a step that a folded commit's message names, and that we read.
const (
	foldedNamed = 30
	foldedRead  = 1000
)

// fold returns the commit with which a step's work arrives on the quest's branch, which the
// tip contains: the tip, if it is one commit on that branch, or a new commit with the
// same files.
func (r *repository) fold(ctx context.Context, step, subject, quest, tip string) (AdvanceResult, error) {
	out, err := r.do(ctx, call{args: []string{"log", "--topo-order", "--format=%P%x00%H%x00%s", fmt.Sprintf("--max-count=%d", foldedRead), tip,
		"^" + quest}})
	if err != nil {
		return AdvanceResult{}, err
	}
	a := AdvanceResult{Commit: tip}
	var named []string
	for line := range strings.Lines(out) {
		parents, rest, _ := strings.Cut(line, "\x00")
		if parents == quest && len(a.Folded) == 0 {
			return a, nil
		}
		id, what, _ := strings.Cut(rest, "\x00")
		a.Folded = append(a.Folded, id)
		if len(named) < foldedNamed {
			named = append(named, id+" "+git.PlainLine(what, 60))
		}
	}
	if len(a.Folded) > len(named) {
		named = append(named, "and more before")
	}
	slices.Reverse(named)
	if subject == "" {
		subject = "Work of " + step
	}
	text := message(r.ref.Quest, step, Stamp{Summary: subject + "\n\nOne commit of these:\n" + strings.Join(named, "\n")})
	made, err := r.do(ctx, call{input: []byte(text), args: []string{"commit-tree", "-p", quest, "-F", "-", tip + "^{tree}"}})
	a.Commit = strings.TrimSpace(made)
	return a, err
}

// foldedInto returns the commits of a step that an earlier call has folded into this one,
// after the commit before. The caller of that call may not have heard of them: a kill.
func (r *repository) foldedInto(ctx context.Context, step, arrived, before string) ([]string, error) {
	known, err := r.refs(ctx, r.foldedRef(step, arrived))
	tip := known[r.foldedRef(step, arrived)]
	if err != nil || tip == "" {
		return nil, err
	}
	list, err := r.git(ctx, "rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", foldedRead), tip, "^"+before)
	return strings.Fields(list), err
}

// folded returns what has to move when a step's tip was folded: the step goes on from the
// commit that arrived, which has the same files. What somebody has committed since the tip
// comes after it, and is not seen by ward yet: the next Bring reports it.
func (r *repository) folded(ctx context.Context, step, branch, tip, arrived string) ([]move, error) {
	moves := []move{{ref: r.foldedRef(step, arrived), to: tip}}
	if branch == tip {
		return append(moves, move{ref: r.branch(step), from: tip, to: arrived}, move{ref: r.tipRef(step), from: tip, to: arrived}), nil
	}
	after, err := r.contains(ctx, branch, tip)
	if err != nil || !after {
		return moves, err
	}
	subject := fmt.Sprintf("Merge branch 'quest/%s' into %s\n", r.ref.Quest, step)
	merged, err := r.do(ctx, call{input: []byte(subject), args: []string{"commit-tree", "-p", branch, "-p", arrived, "-F", "-",
		branch + "^{tree}"}})
	return append(moves, move{ref: r.branch(step), from: branch, to: strings.TrimSpace(merged)}), err
}
