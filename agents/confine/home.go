package confine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// homesFolder is where the quests' own homes are, below the data directory.
const homesFolder = "homes"

// openHome opens the quest's own home and makes it if needed. The next run of the quest
// finds the caches of this one there, and no other quest can tamper with them.
func (s *Sandbox) openHome(quest string) (*os.Root, error) {
	if err := plainName(quest); err != nil {
		return nil, fmt.Errorf("make the home of quest %q: %w", quest, err)
	}
	dir := s.HomeOf(quest)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the quest's own home: %w", err)
	}
	return os.OpenRoot(dir)
}

// ways mounts each folder of the quest's home on itself that was on the way to what the quest's first
// program saw. Later programs get no others, whatever exists by then: a program that still runs could
// replace those. A folder that is in something else needs no mount, for nobody inside reaches it.
func (s *Sandbox) ways(v *view, quest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rels, known := s.kept[quest]
	if !known {
		rels = s.keep(v, quest)
	}
	for _, home := range spellings(s.Home) {
		for _, rel := range rels {
			at := filepath.Join(home, rel)
			if _, e, _ := v.around(at); e.kind == own {
				v.put(at, entry{kind: own, from: filepath.Join(s.HomeOf(quest), rel)})
			}
		}
	}
}

// keep stores the ways of a quest, and forgets those of quests whose homes are gone. They need not
// outlive the server, because no program does.
func (s *Sandbox) keep(v *view, quest string) []string {
	var rels []string
	for _, home := range spellings(s.Home) {
		rels = append(rels, v.ways(home)...)
	}
	slices.Sort(rels)
	if s.kept == nil {
		s.kept = map[string][]string{}
	}
	maps.DeleteFunc(s.kept, func(quest string, _ []string) bool {
		_, err := os.Lstat(s.HomeOf(quest))
		return errors.Is(err, fs.ErrNotExist)
	})
	s.kept[quest] = slices.Compact(rels)
	return s.kept[quest]
}

// furnish makes the mount points in the quest's own home, and writes the files that
// belong there.
//
// bubblewrap looks up the source and the place of a mount by name, while it still sees the whole
// machine. So none may be a link that an agent made. Each mount point is checked before. A folder
// of the home is a source only if every program of the quest has it as a mount point, for
// programs inside cannot rename those: ways has these folders. What only some programs see is mounted
// in an empty folder in memory.
func (s *Sandbox) furnish(v *view, private *os.Root, files map[string][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, home := range spellings(s.Home) {
		for _, path := range slices.Sorted(maps.Keys(v.at)) {
			if path == home || !within(home, path) {
				continue
			}
			if err := v.mountPoint(private, home, path); err != nil {
				return fmt.Errorf("prepare the quest's own home: %w", err)
			}
		}
	}
	for name, data := range files {
		if err := put(private, name, data); err != nil {
			return fmt.Errorf("write %s into the quest's own home: %w", name, err)
		}
	}
	return nil
}

// mountPoint prepares one path below the home, unless another entry on the way already
// provides it.
func (v *view) mountPoint(private *os.Root, home, path string) error {
	rel := ""
	for _, name := range parts(home, path) {
		rel = filepath.Join(rel, name)
		at := filepath.Join(home, rel)
		e, known := v.at[at]
		switch {
		case at == path:
			info, err := os.Stat(e.from)
			return solid(private, rel, e.kind == own || e.kind == empty || err == nil && info.IsDir())
		case !known:
			v.put(at, entry{kind: empty})
			return solid(private, rel, true)
		case e.kind != own:
			return nil
		}
	}
	return nil
}

// solid makes sure that a name is a folder or a plain file, as asked, and not a link. If
// anything else is there, an agent made it, and it is moved aside.
func solid(root *os.Root, name string, folder bool) error {
	info, err := root.Lstat(name)
	if err == nil && folder != info.IsDir() || err == nil && !folder && !info.Mode().IsRegular() {
		if err := aside(root, name); err != nil {
			return err
		}
		err = fs.ErrNotExist
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case folder:
		return root.Mkdir(name, 0o700)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// put writes a complete file, and replaces whatever an agent may have put there.
func put(root *os.Root, name string, data []byte) error {
	fresh := name + ".questboard-new"
	if err := aside(root, fresh); err != nil {
		return err
	}
	f, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		if err := aside(root, name); err != nil {
			return err
		}
	}
	return root.Rename(fresh, name)
}

// aside frees a name. A folder with files is moved, to where it stays until the home goes: other
// quests wait meanwhile, and an agent decides how long its removal takes.
func aside(root *os.Root, name string) error {
	err := root.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return root.Rename(name, filepath.Join(filepath.Dir(name), ".questboard-"+rand.Text()))
}
