package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"questboard/agents/git"
	"questboard/failpoint"
)

// AdvanceResult is the result of Advance.
type AdvanceResult struct {
	Commit string   // where the quest's branch is now
	Folded []string // the commits that were folded into Commit, the tip first
	// Unpublished says why the branch in the user's repository could not follow: the
	// user moved it or has it checked out. Empty: it followed.
	Unpublished string
}

// Advance moves the quest's branch forward to the step's work, as one commit: a step that
// has several, or a merge, is folded into one with this subject. So nobody finds a commit
// in the branch that ward did not check. The quest's worktree follows, and so does the
// branch of that name in the user's repository. Only committed work moves. ErrDiverged:
// the quest's branch has moved; call Bring first.
func (t *Trees) Advance(ctx context.Context, ref Ref, step, subject string) (AdvanceResult, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return AdvanceResult{}, fmt.Errorf("advance quest %s to %s: %w", ref.Quest, step, err)
	}
	defer done()
	if err := checkName("step", step); err != nil {
		return AdvanceResult{}, ofQuest("advance", ref.Quest, err)
	}
	var a AdvanceResult
	if a, err = r.advance(ctx, step, subject); err == nil {
		a.Unpublished, err = r.publish(ctx)
	}
	if err != nil {
		return AdvanceResult{}, fmt.Errorf("advance quest %s to %s: %w", ref.Quest, step, err)
	}
	return a, nil
}

func (r *repository) advance(ctx context.Context, step, subject string) (AdvanceResult, error) {
	known, err := r.refs(ctx, r.questBranch(), r.tipRef(own), r.branch(step), r.tipRef(step), r.mergedRef(step), r.beforeRef(step))
	if err != nil {
		return AdvanceResult{}, err
	}
	quest, tip := known[r.tipRef(own)], known[r.tipRef(step)]
	if quest == "" || tip == "" {
		return AdvanceResult{}, ErrNotBegun
	}
	if tip != quest {
		if held, err := r.contains(ctx, tip, quest); err != nil {
			return AdvanceResult{}, err
		} else if !held {
			merged, err := r.contains(ctx, quest, tip)
			if err != nil {
				return AdvanceResult{}, err
			}
			if !merged {
				return AdvanceResult{}, ErrDiverged
			}
			tip = quest // the step was merged before, and the branch has moved on
		}
	}
	a := AdvanceResult{Commit: tip}
	if tip == quest && known[r.mergedRef(step)] == tip {
		if a.Folded, err = r.foldedInto(ctx, step, tip, known[r.beforeRef(step)]); err != nil {
			return AdvanceResult{}, err
		}
	}
	if tip != quest {
		tr, err := r.tree(ctx, step)
		if err != nil || tr.admin != "" && tr.noted(unseen) == tip {
			return AdvanceResult{}, errors.Join(err, ErrUnseen)
		}
		var moves []move
		if a, err = r.fold(ctx, step, subject, quest, tip); err == nil && a.Commit != tip {
			moves, err = r.folded(ctx, step, known[r.branch(step)], tip, a.Commit)
		}
		if err == nil {
			// Record the quest's tip before its branch moves: a branch behind its record is
			// a move that was cut short, and is finished below.
			err = r.move(ctx, "merge "+step, append(moves,
				move{ref: r.beforeRef(step), to: quest, any: true}, move{ref: r.mergedRef(step), to: a.Commit, any: true},
				move{ref: r.tipRef(own), from: quest, to: a.Commit}, move{ref: r.questBranch(), from: known[r.questBranch()], to: a.Commit})...)
		}
		if err != nil {
			return AdvanceResult{}, err
		}
	}
	tr, err := r.tree(ctx, own)
	if err == nil {
		err = tr.ensure(ctx)
	}
	if err == nil {
		err = failpoint.At(failpoint.MergeFollowed)
	}
	return a, err
}

// Only hand, pack and users.move write into the user's repository, and only a delivery
// (checkout.go) writes into its checkout. Two other places only remove leftovers there:
// those of a git that died (users.clear), and those of the first version (carry.go).

// publishedRef remembers the last published tip of the quest's branch.
func (r *repository) publishedRef() string { return "refs/questboard/published/" + r.ref.Quest }

// publish updates the quest's branch in the user's repository, as far as it is green. A
// branch that the user has moved or checked out stays as it is; why says so, and a
// later call updates it once it is free.
func (r *repository) publish(ctx context.Context) (why string, err error) {
	if r.t.Elsewhere {
		return "", nil
	}
	known, err := r.refs(ctx, r.tipRef(own), r.publishedRef(), r.baseRef())
	if err != nil {
		return "", err
	}
	tip, left := known[r.tipRef(own)], known[r.publishedRef()]
	if tip == "" {
		return "", nil
	}
	theirs, err := r.users.refsLike(ctx, r.questBranch())
	if err != nil {
		return "", err
	}
	is := theirs[r.questBranch()]
	switch {
	case is == tip && left == tip:
		return "", nil
	case is == tip: // killed before the record
		return "", r.move(ctx, "published", move{ref: r.publishedRef(), to: tip, any: true})
	case is != "" && is != left:
		return fmt.Sprintf("Something other than Questboard moved quest/%s in %s to %.12s. The quest's work is at %.12s. "+
			"Rename or delete that branch: Questboard creates it again when the next step is merged", r.ref.Quest, r.users.top, is, tip), nil
	}
	if at := r.users.onBranch(r.questBranch()); at != "" {
		return fmt.Sprintf("quest/%s is checked out in %s, so it stays at %.12s. The quest's work is at %.12s. "+
			"Switch to another branch there: Questboard updates the branch when the next step is merged", r.ref.Quest, at, is, tip), nil
	}
	// If the branch is where we left it, it contains all of that. Otherwise look at
	// what is there.
	if is == "" {
		base := known[r.baseRef()]
		if _, err := r.users.ask(ctx, "cat-file", "-e", base+"^{commit}"); err != nil {
			return fmt.Sprintf("%s does not have the commit that the quest began at (%.12s): the quest's work is at %.12s, and appears once "+
				"that commit is back", r.users.top, base, tip), nil
		}
		err = r.hand(ctx, r.users, tip)
	} else {
		err = r.pack(ctx, r.users, tip, is)
	}
	if err != nil {
		return "", err
	}
	if err := r.users.move(ctx, r, "publish", move{ref: r.questBranch(), from: is, to: tip}); err != nil {
		return "", takenBy(err, "quest/"+r.ref.Quest)
	}
	return "", r.move(ctx, "published", move{ref: r.publishedRef(), to: tip, any: true})
}

// hand copies a commit's objects into the user's repository, or into a remote on this
// machine. It leaves out what the branches there already contain.
func (r *repository) hand(ctx context.Context, to *users, commit string) error {
	whole := func() error {
		_, err := to.ask(ctx, "rev-list", "--quiet", "--objects", commit, "--not", "--all")
		return err
	}
	if _, err := to.ask(ctx, "cat-file", "-e", commit+"^{tree}"); err == nil && whole() == nil {
		return nil
	}
	theirs, err := to.refsLike(ctx, "refs/heads/")
	if err != nil {
		return err
	}
	ours, err := r.presentObjects(ctx, slices.Collect(maps.Values(theirs)))
	if err != nil {
		return err
	}
	var has []string
	for id, there := range ours {
		if there {
			has = append(has, id)
		}
	}
	if err := r.pack(ctx, to, commit, has...); err != nil {
		return err
	}
	if err := whole(); err != nil {
		return fmt.Errorf("%s lacks what the work builds upon: %w", to.top, err)
	}
	return nil
}

// pack copies a commit's objects, except those of commits that are already there.
func (r *repository) pack(ctx context.Context, to *users, commit string, has ...string) error {
	revs := commit + "\n"
	for _, id := range has {
		revs += "^" + id + "\n"
	}
	out := git.Command{Dir: r.view, GitDir: r.view, Common: r.view, Writing: true,
		Args: []string{"pack-objects", "--revs", "--thin", "--stdout", "-q"}, Input: []byte(revs)}
	in := to.asked(git.Command{Limit: git.MaxOutput, Writing: true, Held: r.lock, Source: &out,
		Args: []string{"index-pack", "--stdin", "--fix-thin"}}, false)
	in.Writes = append(in.Writes, to.common)
	if _, _, err := r.t.Git.Run(ctx, in); err != nil {
		return whyNotWritten(fmt.Errorf("bring the work to %s: %w", to.top, err), to.common)
	}
	return nil
}
