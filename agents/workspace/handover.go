package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// patchMax bounds a patch: half of one would be worse than none.
const patchMax = 256 << 20

// Patch is the quest's change for "git apply", binary files included.
func (t *Trees) Patch(ctx context.Context, ref Ref) ([]byte, error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	patch, cut, err := r.doCut(ctx, call{in: r.lookedAt(ctx), limit: patchMax, args: append(slices.Clone(asPatch), "--binary", "--full-index", from, to)})
	if err == nil && cut {
		err = errors.New("it is larger than 256 MiB; use the branch")
	}
	if err != nil {
		return nil, fmt.Errorf("make a patch of quest %s: %w", ref.Quest, err)
	}
	return patch, nil
}
