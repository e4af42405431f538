package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// home is where the git directory of a folder is.
type home struct {
	common string // the git directory that all worktrees of the repository share
	prefix string // where the folder is within its checkout
	found  os.FileInfo
}

// homes remembers them: they do not change while a repository is where it is,
// and every call begins with this question.
type homes struct {
	mu    sync.Mutex
	known map[string]home
}

func (hs *homes) of(ctx context.Context, g Git, dir string) (home, error) {
	hs.mu.Lock()
	h, ok := hs.known[dir]
	hs.mu.Unlock()
	if ok {
		if is, err := os.Stat(h.common); err == nil && os.SameFile(is, h.found) {
			return h, nil
		}
	}
	h, err := g.home(ctx, dir)
	if err != nil {
		return home{}, err
	}
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.known == nil {
		hs.known = map[string]home{}
	}
	hs.known[dir] = h
	return h, nil
}

// separator is echoed by rev-parse: paths may hold line ends.
const separator = "--questboard-then"

func (g Git) home(ctx context.Context, dir string) (home, error) {
	out, _, err := g.ask(ctx, question{dir: dir, limit: 64 << 10, args: []string{"rev-parse",
		"--is-bare-repository", "--path-format=absolute", "--git-common-dir", separator, "--show-prefix"}})
	if err != nil {
		return home{}, err
	}
	bare, rest, _ := strings.Cut(string(out), "\n")
	if bare == "true" {
		return home{}, fmt.Errorf("%w; clone it and use the clone", ErrBare)
	}
	common, prefix, _ := strings.Cut(rest, "\n"+separator+"\n")
	h := home{prefix: strings.TrimSuffix(prefix, "\n")}
	if h.common, err = filepath.EvalSymlinks(common); err != nil {
		return home{}, err
	}
	h.found, err = os.Stat(h.common)
	return h, err
}
