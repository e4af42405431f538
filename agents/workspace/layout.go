package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// Layout returns the root of a folder's working tree and the git directory
// that all its worktrees share, both without links; "" where the folder belongs
// to no repository, or to a bare one.
func (g Git) Layout(ctx context.Context, dir string) (top, common string, err error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", err
	}
	h, err := g.home(ctx, real)
	if errors.Is(err, ErrNotGit) || errors.Is(err, ErrBare) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	return strings.TrimSuffix(real, strings.TrimSuffix("/"+h.prefix, "/")), h.common, nil
}
