package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"questboard/agents/git"
)

// position is where a line's tree stands.
type position struct {
	head   string   // the tip of the line's branch, which HEAD points to
	left   string   // where we left the branch
	merges []string // a merge in progress: what it brings in
}

// adopt puts HEAD back on the line's branch: an agent may have committed,
// switched, rebased or reset by itself. Files and index stay as they are, and
// commits that the branch does not hold are kept.
func (tr *tree) adopt(ctx context.Context) (position, error) {
	branch, record := tr.r.branch(tr.line), tr.r.tipRef(tr.line)
	known, err := tr.r.refs(ctx, branch, record)
	if err != nil {
		return position{}, err
	}
	p := position{head: known[branch], left: known[record]}
	if p.left == "" {
		return p, fmt.Errorf("line %s: %w", tr.line, ErrNotBegun)
	}
	on, err := readPlain(filepath.Join(tr.admin, "HEAD"))
	if err != nil {
		return p, err
	}
	elsewhere := strings.TrimSpace(string(on)) != "ref: "+branch
	if p.head == "" { // deleted by the agent
		if err := tr.r.move(ctx, "restore", move{ref: branch, to: p.left}); err != nil {
			return p, err
		}
		p.head = p.left
	}
	if elsewhere {
		if p.head, err = tr.comeBack(ctx, branch, p.head); err != nil {
			return p, err
		}
	}
	if p.head != p.left {
		if held, err := tr.r.contains(ctx, p.head, p.left); err != nil {
			return p, err
		} else if !held {
			if err := tr.r.keep(ctx, tr.line, "rewound", p.left); err != nil {
				return p, err
			}
		}
	}
	if err := tr.keepAutostash(ctx); err != nil {
		return p, err
	}
	p.merges, err = tr.mergeHeads(ctx, p.head)
	return p, err
}

// comeBack moves HEAD to the branch, and the branch forward to where HEAD was
// if that is ahead.
func (tr *tree) comeBack(ctx context.Context, branch, tip string) (string, error) {
	head, err := tr.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && !git.Exited(err, 1) {
		return "", err
	}
	if head != "" && head != tip {
		ahead, err := tr.r.contains(ctx, head, tip)
		if err != nil {
			return "", err
		}
		if ahead {
			err = tr.r.move(ctx, "adopt", move{ref: branch, from: tip, to: head})
			tip = head
		} else {
			err = tr.r.keep(ctx, tr.line, "elsewhere", head)
		}
		if err != nil {
			return "", err
		}
	}
	_, err = tr.git(ctx, "symbolic-ref", "HEAD", branch)
	return tip, err
}
