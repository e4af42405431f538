package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"questboard/agents"
)

// groundsFolder is where the decisions are stored, below the data directory. No sandbox
// mounts it.
const groundsFolder = "sandbox"

// ground describes a user's folder in which a quest works, as it was before the first
// run there. It decides what is mounted. Later runs compare the folder with it, because
// an agent may have changed what is there.
type ground struct {
	Dir    string  `json:"dir"`    // as the quest names it
	Folder found   `json:"folder"` // where Dir leads
	Git    found   `json:"git"`    // .git in it: read-only, if there is one
	Around []found `json:"around"` // read-only: the rest of its repository
}

// found describes what was found at a path.
type found struct {
	Path  string    `json:"path"`
	Kind  foundKind `json:"kind"`
	Inode uint64    `json:"inode"`
}

// foundKind is the kind of file that was found. Messages and the stored record use it.
type foundKind string

const (
	nothing foundKind = "not there"
	folder  foundKind = "a folder"
	file    foundKind = "a plain file"
	aLink   foundKind = "a link"
	strange foundKind = "something else"
)

// look finds what is at a path. A path with a link, even on the way, counts as a link.
func look(path string) (found, error) {
	f := found{Path: path, Kind: strange}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Kind = nothing
		return f, nil
	}
	if err != nil {
		return f, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && info.Mode()&os.ModeSymlink == 0 {
		return f, err
	}
	switch {
	case real != path:
		f.Kind = aLink
	case info.IsDir():
		f.Kind = folder
	case info.Mode().IsRegular():
		f.Kind = file
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Inode = stat.Ino // without the device, whose number changes with a restart
	}
	return f, nil
}

// shared shows the user's own folder.
func (s *Sandbox) shared(ctx context.Context, v *view, spec agents.Spec) error {
	g, err := s.ground(ctx, spec)
	if err != nil {
		return err
	}
	real := g.Folder.Path
	v.dir = real
	at := []string{filepath.Clean(g.Dir), real}
	for _, dir := range at {
		v.clear(dir)
		v.put(dir, entry{kind: write, from: real})
	}
	for _, f := range append([]found{g.Git}, g.Around...) {
		if f.Kind == nothing {
			continue
		}
		v.put(f.Path, entry{kind: read, from: f.Path})
		if within(real, f.Path) {
			v.put(filepath.Join(append(at[:1:1], parts(real, f.Path)...)...), entry{kind: read, from: f.Path})
		}
	}
	return nil
}

// ground returns the decision about the folder of a run's quest. For the first run it
// decides.
func (s *Sandbox) ground(ctx context.Context, spec agents.Spec) (ground, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	real, err := filepath.EvalSymlinks(spec.Dir)
	if err != nil {
		return ground{}, fmt.Errorf("find the workspace: %w", err)
	}
	records, err := s.records()
	if err != nil {
		return ground{}, err
	}
	defer records.Close()
	name := record(s.Data, spec.QuestID)
	var g ground
	text, err := records.ReadFile(filepath.Base(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if g, err = s.decide(ctx, spec.Dir, real); err != nil {
			return g, err
		}
		if text, err = json.MarshalIndent(g, "", "  "); err != nil {
			return g, err
		}
		return g, put(records, filepath.Base(name), text)
	case err != nil:
		return g, err
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return g, fmt.Errorf("read %s: %w; remove it and retry", name, err)
	}
	if g.Dir != spec.Dir || g.Folder.Path != real {
		return g, &agents.NotStarted{Why: fmt.Sprintf("%s leads to %s now, and led to %s when this quest first ran in the sandbox: "+
			"an agent may have done that. Undo it, or, if you did it, remove %s; then retry", spec.Dir, real, g.Folder.Path, name)}
	}
	for _, then := range append([]found{g.Folder, g.Git}, g.Around...) {
		now, err := look(then.Path)
		if err != nil {
			return g, err
		}
		if now != then {
			return g, changed(then, now, name)
		}
	}
	return g, nil
}

// groundChanged says what has changed since the quest first ran.
type groundChanged struct{ then, now found }

// Error implements error. The caller adds the text for the user.
func (c *groundChanged) Error() string { return c.then.Path + " changed" }

func changed(then, now found, name string) error {
	is := string(now.Kind)
	if now.Kind == then.Kind {
		is = "another one"
	}
	return &agents.NotStarted{Why: fmt.Sprintf("%s was %s when this quest first ran in the sandbox, and is %s now: "+
		"an agent may have done that. Undo it, or, if you did it, remove %s; then retry", then.Path, then.Kind, is, name),
		Err: &groundChanged{then, now}}
}

// decide determines what a quest sees of a folder and of its repository.
func (s *Sandbox) decide(ctx context.Context, dir, real string) (ground, error) {
	if s.tooWide(real) || s.ours(real) {
		return ground{}, &agents.NotStarted{Why: fmt.Sprintf(
			"in the sandbox no agent works in %s, for it holds your home or the data directory, or lies in that: "+
				"choose a repository below your home, or worktrees", real)}
	}
	g := ground{Dir: dir}
	var err error
	if g.Folder, err = look(real); err != nil {
		return g, err
	}
	if g.Git, err = look(filepath.Join(real, gitName)); err != nil {
		return g, err
	}
	if g.Git.Kind == aLink || g.Git.Kind == strange {
		return g, &agents.NotStarted{Why: fmt.Sprintf("in the sandbox no agent works in %s, for %s is %s: choose worktrees, or put a folder "+
			"or a plain file there",
			real, g.Git.Path, g.Git.Kind)}
	}
	if s.Git == nil {
		return g, nil
	}
	l, err := s.Git.Layout(real)
	if err != nil {
		return g, fmt.Errorf("find the repository: %w", err)
	}
	for _, path := range s.around(real, l) {
		f, err := look(path)
		if err != nil {
			return g, err
		}
		if f.Kind == folder {
			g.Around = append(g.Around, f)
		}
	}
	return g, nil
}

// around returns the other folders of the repository that a program in this folder sees.
func (s *Sandbox) around(real string, l Layout) []string {
	if !within(l.Top, real) {
		return nil
	}
	var paths []string
	if l.Top != real && !s.tooWide(l.Top) {
		paths = append(paths, l.Top)
	}
	if l.Common != filepath.Join(real, gitName) && known(l) {
		paths = append(paths, l.Common) // it contains the worktree's own git directory
	}
	return paths
}

// known reports whether the git directory really belongs to the checkout. Anybody can
// write a .git file that names a foreign git directory. But that directory does not name
// the checkout in turn.
func known(l Layout) bool {
	if within(l.Top, l.GitDir) && within(l.Top, l.Common) {
		return true
	}
	if filepath.Dir(l.GitDir) != filepath.Join(l.Common, "worktrees") {
		return false
	}
	says := backLink(l.GitDir)
	if says != "" && !filepath.IsAbs(says) {
		says = filepath.Join(l.GitDir, says)
	}
	return says == filepath.Join(l.Top, gitName)
}

// backLink returns the .git file that a worktree's git directory names; "": none. It
// must not wait for a pipe in its place.
func backLink(gitDir string) string {
	root, err := os.OpenRoot(gitDir)
	if err != nil {
		return ""
	}
	defer root.Close()
	const name = "gitdir"
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return ""
	}
	text, _ := root.ReadFile(name)
	return strings.TrimSuffix(string(text), "\n")
}

// record returns the file that stores the ground of a quest.
func record(data, quest string) string {
	return filepath.Join(data, groundsFolder, quest+".json")
}

// records opens the folder of all records, and makes it if needed.
func (s *Sandbox) records() (*os.Root, error) {
	dir := filepath.Dir(record(s.Data, ""))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}
