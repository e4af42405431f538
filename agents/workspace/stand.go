package workspace

import (
	"cmp"
	"context"
	"fmt"
)

// Stand says where a step's branch stands: the commit that it has in common with the
// quest's branch, and which of the other steps' work it does not have, each with a commit
// that has it. Branches move and go, so it names commits.
func (t *Trees) Stand(ctx context.Context, ref Ref, step string, others []string) (base string, missing map[string]string, err error) {
	if base, missing, err = t.stand(ctx, ref, step, others); err != nil {
		return "", nil, fmt.Errorf("find where %s stands: %w", step, err)
	}
	return base, missing, nil
}

func (t *Trees) stand(ctx context.Context, ref Ref, step string, others []string) (string, map[string]string, error) {
	if err := checkName("step", step); err != nil {
		return "", nil, err
	}
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", nil, err
	}
	known, err := r.refsLike(ctx, r.tipRef(own), r.branch(step))
	if err != nil {
		return "", nil, err
	}
	quest, tip := known[r.tipRef(own)], known[r.branch(step)]
	if quest == "" || tip == "" {
		return "", nil, ErrNotBegun
	}
	base, err := r.git(ctx, "merge-base", quest, tip)
	if err != nil || len(others) == 0 {
		return base, nil, err
	}
	lacks, err := r.refsLike(ctx, "--no-merged="+tip, r.mergedRef("*"), r.branch("*"))
	if err != nil {
		return "", nil, err
	}
	missing := map[string]string{}
	for _, other := range others {
		if commit := cmp.Or(lacks[r.mergedRef(other)], lacks[r.branch(other)]); commit != "" && other != step {
			missing[other] = commit
		}
	}
	return base, missing, nil
}
