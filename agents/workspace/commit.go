package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// Commit commits everything that changed in the step's worktree to the step's branch,
// including new files but not ignored ones. It concludes a merge in progress, even if
// markers are left. It also counts commits that the agent made itself.
func (t *Trees) Commit(ctx context.Context, ref Ref, step string, stamp Stamp) (Committed, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return Committed{}, fmt.Errorf("commit the work of %s: %w", step, err)
	}
	defer done()
	tr, err := r.standing(ctx, step)
	if err == nil && tr.step == own {
		err = fmt.Errorf("%s only reads", step)
	}
	if err != nil {
		return Committed{}, fmt.Errorf("commit the work of %s: %w", step, err)
	}
	c, err := tr.commit(ctx, message(ref.Quest, step, stamp))
	if err == nil && c.Commit == "" && stamp.Run != "" {
		c, err = tr.committed(ctx, c, trailers(ref.Quest, step, stamp))
	}
	if err == nil {
		err = tr.noteSeen(stamp.Role)
	}
	if err != nil {
		return c, fmt.Errorf("commit the work of %s: %w", step, err)
	}
	return c, nil
}

func (tr *tree) commit(ctx context.Context, message string) (Committed, error) {
	p, err := tr.adopt(ctx)
	if err != nil {
		return Committed{}, err
	}
	unmerged, err := tr.unmerged(ctx, p)
	if err != nil {
		return Committed{}, err
	}
	s, err := tr.staged(ctx, p.head, true)
	if err == nil {
		err = unfitError(s.unfit)
	}
	if err != nil {
		return Committed{}, err
	}
	changed := s.changes
	c := Committed{From: p.left, Nested: s.nested, Merge: len(p.merges) > 0, Tip: p.head}
	if len(changed) == 0 && !c.Merge && p.head == p.left {
		return c, tr.forget(inProgress...)
	}
	c.Commit = p.head
	if len(changed) > 0 || c.Merge {
		c.Commit, err = tr.commitTree(ctx, s.tree, message, append([]string{p.head}, p.merges...)...)
		if err != nil {
			return c, err
		}
	}
	c.Tip = c.Commit
	// The branch first: after a kill in between, the commit looks like the agent's own.
	err = tr.r.move(ctx, "commit", move{ref: tr.r.branch(tr.step), from: p.head, to: c.Commit},
		move{ref: tr.r.tipRef(tr.step), from: p.left, to: c.Commit})
	if err != nil {
		return c, err
	}
	if err := tr.forget(append(inProgress, merging)...); err != nil {
		return c, err
	}
	if c.Merge || p.head != p.left {
		c.Files, err = tr.byHand(ctx, p.left, c.Commit)
		c.Files = slices.Compact(slices.Sorted(slices.Values(append(c.Files, unmerged...))))
	} else {
		c.Files = namesOf(changed)
	}
	c.Markers = tr.withMarkers(c.Files)
	return c, err
}

// committed returns what the run's first call would have said, if the tip is the commit of
// this very run: the server was killed before it stored that.
func (tr *tree) committed(ctx context.Context, c Committed, own string) (Committed, error) {
	out, err := tr.git(ctx, "log", "-1", "--no-show-signature", "--format=%P%n%(trailers:only)", c.Tip)
	if err != nil {
		return c, err
	}
	parents, has, _ := strings.Cut(out, "\n")
	before := strings.Fields(parents)
	if strings.TrimSpace(has) != strings.TrimSpace(own) || len(before) == 0 {
		return c, nil
	}
	c.From, c.Commit, c.Merge = before[0], c.Tip, len(before) > 1
	c.Files, err = tr.byHand(ctx, c.From, c.Commit)
	c.Markers = tr.withMarkers(c.Files)
	return c, err
}

// unmerged returns the files that a merge in progress could not merge.
func (tr *tree) unmerged(ctx context.Context, p position) ([]string, error) {
	if len(p.merges) == 0 {
		return nil, nil
	}
	out, err := tr.git(ctx, "ls-files", "--unmerged", "-z")
	var names []string
	for _, entry := range splitNames(out) {
		_, name, _ := strings.Cut(entry, "\t")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// byHand returns what changed between two states of a step, without what came from the
// quest's branch meanwhile.
func (tr *tree) byHand(ctx context.Context, from, to string) ([]string, error) {
	changed, err := tr.compare(ctx, from, to)
	if err != nil {
		return nil, err
	}
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return nil, err
	}
	brought, err := tr.git(ctx, "merge-base", quest, to)
	if err != nil {
		return nil, err
	}
	if old, err := tr.r.contains(ctx, from, brought); err != nil || old {
		return namesOf(changed), err
	}
	against, err := tr.compare(ctx, brought, to)
	return both(changed, against), err
}

// message returns the commit message: an agent's summary, then trailers. The agent
// cannot forge these, because git reads only the last paragraph as trailers.
func message(quest, step string, stamp Stamp) string {
	subject, body, _ := strings.Cut(strings.TrimSpace(stamp.Summary), "\n")
	if subject = git.PlainLine(subject, 120); subject == "" {
		subject = "Work of " + git.PlainLine(stamp.Role, 60)
	}
	var b strings.Builder
	b.WriteString(subject + "\n\n")
	if lines := git.PlainLines(body); lines != "" {
		b.WriteString(lines + "\n\n")
	}
	b.WriteString(trailers(quest, step, stamp))
	return b.String()
}

// trailers say whose work a commit is.
func trailers(quest, step string, stamp Stamp) string {
	var b strings.Builder
	for _, trailer := range [][2]string{{"Quest", quest}, {"Step", step}, {"Run", stamp.Run}, {"Role", stamp.Role}} {
		if value := git.PlainLine(trailer[1], 200); value != "" {
			b.WriteString(trailer[0] + ": " + value + "\n")
		}
	}
	return b.String()
}

// position is the state of a step's branch and tree.
type position struct {
	head   string   // the tip of the step's branch, which HEAD points to
	left   string   // where we left the branch
	merges []string // the commits that a merge in progress brings in
}

// adopt puts HEAD back on the step's branch, because an agent may have committed,
// switched, rebased or reset. Files and index stay as they are, and commits that are
// not on the branch are kept.
func (tr *tree) adopt(ctx context.Context) (position, error) {
	branch, record := tr.r.branch(tr.step), tr.r.tipRef(tr.step)
	known, err := tr.r.refs(ctx, branch, record)
	if err != nil {
		return position{}, err
	}
	p := position{head: known[branch], left: known[record]}
	if p.left == "" {
		return p, fmt.Errorf("step %s: %w", tr.step, ErrNotBegun)
	}
	on, err := readPlain(filepath.Join(tr.admin, "HEAD"))
	if err != nil {
		return p, err
	}
	elsewhere := strings.TrimSpace(string(on)) != "ref: "+branch
	if p.head == "" { // the agent deleted it
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
			if err := tr.r.keep(ctx, tr.step, "rewound", p.left); err != nil {
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

// comeBack moves HEAD to the branch. If HEAD was ahead, the branch moves forward to it.
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
			err = tr.r.keep(ctx, tr.step, "elsewhere", head)
		}
		if err != nil {
			return "", err
		}
	}
	_, err = tr.git(ctx, "symbolic-ref", "HEAD", branch)
	return tip, err
}

// withMarkers returns those files that contain the markers of a conflict: three lines
// in their order.
func (tr *tree) withMarkers(files []string) []string {
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return nil
	}
	defer inside.Close()
	var found []string
	for _, name := range files {
		if hasMarkers(inside, filepath.FromSlash(name)) {
			found = append(found, name)
		}
	}
	return found
}

var markers = [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}

func hasMarkers(inside *os.Root, name string) bool {
	info, err := inside.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := inside.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	reader := bufio.NewReader(io.LimitReader(f, hashedWhole))
	next, begins := 0, true
	for {
		line, err := reader.ReadSlice('\n')
		if begins && bytes.HasPrefix(line, markers[next]) {
			if next++; next == len(markers) {
				return true
			}
		}
		begins = err == nil // a line that is too long for the reader comes in parts
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}
