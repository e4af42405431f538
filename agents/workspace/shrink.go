package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shrink reduces the quest's git directory to what is kept, so that it no longer needs
// the user's repository: the quest's commits, and all files of the commits that they
// are based on. Older history is cut off, as in a shallow clone. After a kill at any
// point the next call continues.
func (r *repository) shrink(ctx context.Context, known, kept map[string]string) error {
	ids := make([]string, 0, len(kept))
	for _, id := range kept {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if err := r.cutOff(ctx, ids); err != nil {
		return err
	}
	var others []move
	for name, id := range known {
		if kept[name] == "" {
			others = append(others, move{ref: name, from: id})
		}
	}
	if err := r.move(ctx, "leave", others...); err != nil {
		return err
	}
	if err := removeAll(filepath.Join(r.common, "logs")); err != nil {
		return err
	}
	objects := filepath.Join(r.common, "objects")
	pack, err := r.do(ctx, call{input: []byte(strings.Join(ids, "\n") + "\n"), args: []string{"pack-objects", "--revs", "-q",
		filepath.Join(objects, "pack", "pack")}})
	if err != nil {
		return err
	}
	return removeOthers(objects, "pack-"+strings.TrimSpace(pack)+".")
}

// cutOff makes git treat the user's commits below kept work as first commits. A kept
// commit that is the user's own is treated in the same way.
func (r *repository) cutOff(ctx context.Context, kept []string) error {
	users, err := r.copied()
	if err != nil {
		return err
	}
	out, err := r.do(ctx, call{input: []byte(strings.Join(kept, "\n") + "\n" + without(users)),
		args: []string{"rev-list", "--boundary", "--ignore-missing", "--stdin"}})
	if err != nil {
		return err
	}
	commits := strings.Fields(out) // the user's commits have a "-" in front
	before, err := textIn(r.common, "shallow")
	if err != nil {
		return err
	}
	var first []string
	for _, id := range commits {
		if users, is := strings.CutPrefix(id, "-"); is {
			first = append(first, users)
		}
	}
	slices.Sort(commits)
	has := func(id string) bool { _, is := slices.BinarySearch(commits, id); return is }
	for _, id := range kept {
		if !has(id) {
			first = append(first, id)
		}
	}
	for _, id := range strings.Fields(string(before)) {
		if has(id) {
			first = append(first, id)
		}
	}
	if len(first) == 0 {
		return nil
	}
	slices.Sort(first)
	shallow := filepath.Join(r.common, "shallow")
	if err := writeIfChanged(shallow, []byte(strings.Join(slices.Compact(first), "\n")+"\n")); err != nil {
		return err
	}
	return ensureLink(filepath.Join(r.view, "shallow"), shallow)
}

// removeOthers removes all objects except those of one pack.
func removeOthers(objects, pack string) error {
	for _, in := range []string{".", "pack", "info"} {
		entries, err := os.ReadDir(filepath.Join(objects, in))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if in == "." && !looseFolder.MatchString(e.Name()) || strings.HasPrefix(e.Name(), pack) {
				continue
			}
			if err := removeAll(filepath.Join(objects, in, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
