package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// What a quest has in git can be copied to another machine: its refs (Tips) and the objects
// that the other machine lacks (Pack). Take stores both. One of the machines works on the
// quest, and the others only follow it.

// ErrNotOurs: a ref does not belong to the quest.
var ErrNotOurs = errors.New("the ref does not belong to the quest")

// packMost is the largest pack that is sent, in bytes.
const packMost = 64 << 30

// Tips returns the refs of a quest with their objects, except those that belong to this
// machine alone. A quest that has not begun here has none.
//
// If a Take was killed before it updated the quest's branch in the user's repository, Tips does
// that: the other machine asks for the tips and has nothing to send.
func (t *Trees) Tips(ctx context.Context, ref Ref) (map[string]string, error) {
	r, err := t.read(ctx, ref)
	if err == nil {
		var tips map[string]string
		var published string
		tips, published, err = r.tips(ctx)
		if err == nil && !t.Elsewhere && published != tips[r.tipRef(own)] {
			err = t.publish(ctx, ref)
		}
		if err == nil {
			return tips, nil
		}
	}
	return nil, ofQuest("list the refs of", ref.Quest, err)
}

func (t *Trees) publish(ctx context.Context, ref Ref) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return err
	}
	defer done()
	_, err = r.publish(ctx) // the merge has said why the branch stays behind
	return err
}

// tips also returns the tip of the quest's branch that was published.
func (r *repository) tips(ctx context.Context) (tips map[string]string, published string, err error) {
	out, err := r.do(ctx, call{args: []string{"for-each-ref", "--format=%(objectname) %(refname)%(if)%(symref)%(then) symbolic%(end)",
		r.questBranch(), "refs/heads/quest-steps/" + r.ref.Quest + "/", "refs/questboard/"}})
	if err != nil {
		return nil, "", err
	}
	tips = parseRefs(out)
	published = tips[r.publishedRef()]
	maps.DeleteFunc(tips, func(name, _ string) bool { return r.travels(name) != nil })
	return tips, published, nil
}

// travels refuses refs of others, and those that belong to one machine.
func (r *repository) travels(name string) error {
	quest := "/" + r.ref.Quest
	ours := name == r.questBranch() || strings.HasPrefix(name, "refs/heads/quest-steps"+quest+"/") ||
		strings.HasPrefix(name, "refs/questboard/") && (strings.HasSuffix(name, quest) || strings.Contains(name, quest+"/"))
	if !ours || name == r.publishedRef() || name == r.intoRef() || strings.ContainsAny(name, " \x00\n~^:?*[\\") ||
		strings.Contains(name, "..") {
		return fmt.Errorf("%.100q: %w", name, ErrNotOurs)
	}
	return nil
}

// Has reports whether all of these objects are here.
func (t *Trees) Has(ctx context.Context, ref Ref, ids []string) (bool, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return false, ofQuest("look for the work of", ref.Quest, err)
	}
	known, err := r.presentObjects(ctx, ids)
	if err != nil {
		return false, ofQuest("look for the work of", ref.Quest, err)
	}
	for _, id := range ids {
		if !known[id] {
			return false, nil
		}
	}
	return true, nil
}

// Heads returns at most 500 commits that the user's repository has here. A pack may leave them
// out if the other machine has them, too.
func (t *Trees) Heads(ctx context.Context, ref Ref) ([]string, error) {
	u, err := t.Git.open(ctx, ref.Repo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref.Repo, err)
	}
	theirs, err := u.refsLike(ctx, "refs/heads/", "refs/remotes/", "refs/tags/")
	if err != nil {
		return nil, ofQuest("list the branches for", ref.Quest, err)
	}
	ids := slices.Sorted(maps.Values(theirs))
	ids = slices.Compact(ids)
	return ids[:min(len(ids), 500)], nil
}

// Pack writes the objects of some of the quest's refs, without those that the other machine
// has. It ignores what the other machine has and this one does not know.
func (t *Trees) Pack(ctx context.Context, ref Ref, wants, has []string, to io.Writer) error {
	r, err := t.read(ctx, ref)
	if err != nil {
		return ofQuest("pack the work of", ref.Quest, err)
	}
	known, err := r.presentObjects(ctx, has)
	if err != nil {
		return ofQuest("pack the work of", ref.Quest, err)
	}
	var revs strings.Builder
	for _, id := range wants {
		revs.WriteString(id + "\n")
	}
	for id, there := range known {
		if there {
			revs.WriteString("^" + id + "\n")
		}
	}
	_, _, err = t.Git.Run(ctx, git.Command{Dir: r.view, GitDir: r.view, Common: r.view, Writing: true, To: to, Limit: packMost,
		Args: []string{"pack-objects", "--revs", "--thin", "--stdout", "-q"}, Input: []byte(revs.String())})
	if err != nil {
		return ofQuest("pack the work of", ref.Quest, err)
	}
	return nil
}

// Take stores a pack of another machine, and then makes the quest's refs those of that
// machine. Nothing changes if objects are missing. It also updates the quest's branch in the
// user's repository, unless Elsewhere is set; unpublished says why that could not be.
func (t *Trees) Take(ctx context.Context, ref Ref, tips map[string]string, pack io.Reader) (unpublished string, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", ofQuest("take the work of", ref.Quest, err)
	}
	defer done()
	if unpublished, err = r.take(ctx, tips, pack); err != nil {
		return "", ofQuest("take the work of", ref.Quest, err)
	}
	return unpublished, nil
}

func (r *repository) take(ctx context.Context, tips map[string]string, pack io.Reader) (string, error) {
	for name, id := range tips {
		if err := r.travels(name); err != nil {
			return "", err
		}
		if strings.Trim(id, "0123456789abcdef") != "" || len(id) != 40 && len(id) != 64 {
			return "", fmt.Errorf("%.100q is no object's name: %w", id, ErrNotOurs)
		}
	}
	// No agent works in these refs: the quest is on the other machine, or comes just now.
	if err := git.ClearLocks(ctx, filepath.Join(r.common, "refs", "heads", "quest-steps", r.ref.Quest)); err != nil {
		return "", err
	}
	had, _, err := r.tips(ctx)
	if err != nil {
		return "", err
	}
	if err := r.mayFollow(had, tips); err != nil {
		return "", err
	}
	if len(had) == 0 && r.t.Elsewhere { // the user's repository here may have most of it
		if err := r.fetchObjects(ctx); err != nil {
			return "", err
		}
	}
	if _, _, err := r.t.Git.Run(ctx, git.Command{Dir: r.view, GitDir: r.view, Common: r.view, Writing: true, Limit: git.MaxOutput,
		Held: r.lock,
		Args: []string{"index-pack", "--stdin", "--fix-thin"}, From: pack}); err != nil {
		return "", whyNotWritten(err, r.common)
	}
	ids := slices.Compact(slices.Sorted(maps.Values(tips)))
	if len(ids) > 0 {
		if _, err := r.do(ctx, call{input: []byte(strings.Join(ids, "\n") + "\n"), args: []string{"rev-list", "--objects", "--quiet", "--stdin",
			"--not", "--all"}}); err != nil {
			return "", fmt.Errorf("objects are missing: %w", err)
		}
	}
	if was := had[r.tipRef(own)]; was != "" {
		if builds, err := r.contains(ctx, tips[r.tipRef(own)], was); err != nil || !builds {
			return "", errors.Join(fmt.Errorf("the quest's branch there does not contain the one here: %w", ErrDiverged), err)
		}
	}
	var gone, moves []move
	for _, name := range slices.Sorted(maps.Keys(had)) {
		if tips[name] == "" {
			gone = append(gone, move{ref: name, from: had[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tips)) {
		if had[name] != tips[name] {
			moves = append(moves, move{ref: name, from: had[name], to: tips[name]})
		}
	}
	if err := errors.Join(r.move(ctx, "follow another machine", gone...), r.move(ctx, "follow another machine", moves...)); err != nil {
		return "", err
	}
	r.known = nil
	return r.publish(ctx)
}

// mayFollow refuses what another machine has if it is not the quest that is known here: without
// its base, its branch or the record of it, or with another base.
func (r *repository) mayFollow(had, tips map[string]string) error {
	switch {
	case tips[r.baseRef()] == "" || tips[r.tipRef(own)] == "" || tips[r.questBranch()] == "":
		return fmt.Errorf("the other machine does not have the quest: %w", ErrNotBegun)
	case had[r.baseRef()] != "" && had[r.baseRef()] != tips[r.baseRef()]:
		return fmt.Errorf("the other machine has another base: %w", ErrDiverged)
	}
	return nil
}

// Standing reports whether a step of the quest has a working tree here, or something was put aside
// there: a quest that is over, or that went away, has left none.
func (t *Trees) Standing(quest string) bool {
	entries, err := os.ReadDir(filepath.Join(t.Root, quest))
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != own })
}

// Drop removes all that a quest has on this machine. Its work must be on another one.
func (t *Trees) Drop(ctx context.Context, quest string) error {
	if err := checkName("quest", quest); err != nil {
		return ofQuest("drop", quest, err)
	}
	if err := errors.Join(removeAll(filepath.Join(t.Root, quest)), removeHome(filepath.Join(t.Git.Dir, quest))); err != nil {
		return ofQuest("drop", quest, err)
	}
	return nil
}
