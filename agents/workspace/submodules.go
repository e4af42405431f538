package workspace

import (
	"bytes"
	"context"
	"fmt"
	"hash"
	"os"
	"path/filepath"
)

// hashSubmodules adds the fingerprints of the repositories that are tracked
// within this one: git was told not to look into them.
func (g Git) hashSubmodules(ctx context.Context, sum hash.Hash, root *os.Root, top string) error {
	out, cut, err := g.ask(ctx, question{dir: top, limit: maxOutput, args: []string{"ls-files", "--stage", "-z"}})
	if err != nil {
		return err
	}
	if cut {
		return fmt.Errorf("git ls-files: more than %d bytes", maxOutput)
	}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		meta, name, ok := bytes.Cut(line, []byte{'\t'})
		if !ok || !bytes.HasPrefix(meta, []byte("160000 ")) {
			continue
		}
		path := string(name)
		info, err := root.Lstat(filepath.Join(path, ".git"))
		if err != nil || info.Mode()&os.ModeSymlink != 0 { // not checked out
			record(sum, "submodule absent", path)
			continue
		}
		inner, err := g.Fingerprint(ctx, filepath.Join(top, path))
		if err != nil {
			return err
		}
		record(sum, "submodule "+inner, path)
	}
	return nil
}
