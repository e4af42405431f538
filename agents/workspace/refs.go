package workspace

import (
	"context"
	"fmt"
	"strings"

	"questboard/failpoint"
)

// own is the name of the quest's own worktree, used instead of a step's.
const own = "_quest"

func (r *repository) questBranch() string { return "refs/heads/quest/" + r.ref.Quest }

func (r *repository) branch(step string) string {
	if step == own {
		return r.questBranch()
	}
	return "refs/heads/quest-steps/" + r.ref.Quest + "/" + step
}

// The refs that record the state. base: the commit that the quest began at. into: the
// branch that it began from (symbolic). tip: where we left a branch; a difference shows
// what an agent did to it. before and merged: the quest's branch before and after the
// step was merged.
func (r *repository) baseRef() string { return "refs/questboard/base/" + r.ref.Quest }
func (r *repository) intoRef() string { return "refs/questboard/into/" + r.ref.Quest }
func (r *repository) tipRef(step string) string {
	return "refs/questboard/tip/" + r.ref.Quest + "/" + step
}
func (r *repository) beforeRef(step string) string {
	return "refs/questboard/before/" + r.ref.Quest + "/" + step
}
func (r *repository) mergedRef(step string) string {
	return "refs/questboard/merged/" + r.ref.Quest + "/" + step
}

func keptRefs(quest string) string { return "refs/questboard/kept/" + quest + "/" }

// unmerged labels a step's branch that was removed before its work arrived.
const unmerged = "unmerged"

func (r *repository) unmergedRef(step string) string {
	return keptRefs(r.ref.Quest) + step + "/" + unmerged
}

// lastOf returns the last of the refs with that name or with that name and a number.
func lastOf(known map[string]string, name string) string {
	last := ""
	for ref := range known {
		if strings.HasPrefix(ref, name) && (len(ref) > len(last) || len(ref) == len(last) && ref > last) {
			last = ref
		}
	}
	return last
}

// refs returns the commits of those refs that exist. It does not ask again for known
// refs: within one call of Trees only that call moves the quest's refs, and if somebody
// else does, move refuses.
func (r *repository) refs(ctx context.Context, names ...string) (map[string]string, error) {
	var unknown []string
	for _, name := range names {
		if _, ok := r.known[name]; !ok {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		if r.known == nil {
			r.known = map[string]string{}
			unknown = append(unknown, r.wanted...)
		}
		there, err := r.refsLike(ctx, unknown...)
		if err != nil {
			return nil, err
		}
		for _, name := range unknown {
			r.known[name] = there[name]
		}
	}
	found := map[string]string{}
	for _, name := range names {
		if r.known[name] != "" {
			found[name] = r.known[name]
		}
	}
	return found, nil
}

// refsLike asks git, and so also accepts patterns and other conditions.
func (r *repository) refsLike(ctx context.Context, patterns ...string) (map[string]string, error) {
	out, err := r.do(ctx, call{args: append([]string{"for-each-ref", "--format=" + refFormat}, patterns...)})
	if err != nil {
		return nil, err
	}
	return parseRefs(out), nil
}

const refFormat = "%(objectname) %(refname)"

func parseRefs(out string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			found[name] = id
		}
	}
	return found
}

// move is one change of a ref, made only if the ref is at from; "" means that there is
// no ref. With any set, it is made wherever the ref is.
type move struct {
	ref, from, to string
	any           bool
}

// move changes refs in one transaction, in this order: a kill in the middle leaves the
// first ones changed.
func (r *repository) move(ctx context.Context, why string, moves ...move) error {
	input := moveInput(moves)
	if len(input) == 0 {
		return nil
	}
	err := failpoint.At(failpoint.RefsBefore, why)
	if err == nil {
		_, err = r.do(ctx, call{input: input, args: []string{"update-ref", "--no-deref", "-m", "questboard: " + why, "--stdin", "-z"}})
	}
	if err == nil {
		err = failpoint.At(failpoint.RefsAfter, why)
	}
	if err != nil {
		r.known = nil
		return err
	}
	for _, m := range moves {
		if r.known != nil {
			r.known[m.ref] = m.to
		}
	}
	return nil
}

// moveInput formats moves for "git update-ref --stdin -z". It is empty if nothing
// changes.
func moveInput(moves []move) []byte {
	var b strings.Builder
	for _, m := range moves {
		switch {
		case m.any:
			fmt.Fprintf(&b, "update %s\x00%s\x00\x00", m.ref, m.to)
		case m.from == m.to: // nothing to change; git has no command for two empty values
		case m.from == "":
			fmt.Fprintf(&b, "create %s\x00%s\x00", m.ref, m.to)
		case m.to == "":
			fmt.Fprintf(&b, "delete %s\x00%s\x00", m.ref, m.from)
		default:
			fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", m.ref, m.to, m.from)
		}
	}
	return []byte(b.String())
}

// questTip returns where we left the quest's branch.
func (r *repository) questTip(ctx context.Context) (string, error) {
	known, err := r.refs(ctx, r.tipRef(own))
	if err == nil && known[r.tipRef(own)] == "" {
		err = fmt.Errorf("quest %s: %w; begin it first", r.ref.Quest, ErrNotBegun)
	}
	return known[r.tipRef(own)], err
}

// isOurs reports whether a branch name belongs to a quest or would prevent a quest's
// branch.
func isOurs(name string) bool {
	return name == "refs/heads/quest" || name == "refs/heads/quest-steps" ||
		strings.HasPrefix(name, "refs/heads/quest/") || strings.HasPrefix(name, "refs/heads/quest-steps/")
}

// takenBy explains that a branch like quest prevents quest/x.
func takenBy(err error, name string) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "exists; cannot create") || strings.Contains(err.Error(), "reference already exists") {
		return fmt.Errorf("%w: %s cannot be made beside a branch that is there (%w)", ErrBranchTaken, name, err)
	}
	return err
}
