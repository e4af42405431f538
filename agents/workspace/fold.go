package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"questboard/agents/git"
)

// foldedRefs is the folder of refs that keep commits which were folded into one: runs and
// evidence name them.
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
	out, err := r.do(ctx, call{args: []string{"log", "--topo-order", "--format=%P%x00%H%x00%s", fmt.Sprintf("--max-count=%d", foldedRead), tip, "^" + quest}})
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
		if !strings.Contains(parents, " ") { // a merge of the quest's branch tells nothing
			named = append(named, fmt.Sprintf("%.10s %s", id, git.PlainLine(what, 120)))
		}
	}
	if more := len(named) - foldedNamed; more > 0 {
		named = append(named[:foldedNamed], fmt.Sprintf("and %d before", more))
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
func (r *repository) foldedInto(ctx context.Context, step, commit, before string) ([]string, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objectname) %(tree)", r.foldedRefs()+step+"/")
	if err != nil || out == "" {
		return nil, err
	}
	tree, err := r.git(ctx, "rev-parse", commit+"^{tree}")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		tip, of, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of != tree {
			continue
		}
		list, err := r.git(ctx, "rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", foldedRead), tip, "^"+before)
		return strings.Fields(list), err
	}
	return nil, nil
}

// folded returns what has to move when a step's tip was folded: the step goes on from the
// new commit, which has the same files. Its branch goes along only from that tip; a commit
// that somebody has made since stays, and is merged by the next Bring.
func (r *repository) folded(step, branch, tip, commit string) []move {
	moves := []move{{ref: r.foldedRefs() + step + "/" + tip, to: tip, any: true}}
	if branch == tip {
		moves = append(moves, move{ref: r.branch(step), from: tip, to: commit}, move{ref: r.tipRef(step), from: tip, to: commit})
	}
	return moves
}
