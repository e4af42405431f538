// Package confine runs what a quest starts in a place of its own, made by
// bubblewrap: it sees the system's programs, its workspace, a home of its own,
// and what it was given by name. The rest of the user's files, our data
// directory and all processes of others are not there.
//
// It starts from nothing and adds (view.go), so that a folder nobody thought
// of is hidden. What is mounted where is decided by us alone: a mount point
// must not lie where an agent could have put a link in its place (home.go), and
// of a folder that it works in we look once, before its first run (ground.go).
// The network is the host's: the model's API and our MCP endpoint are on it.
package confine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"questboard/agents"
	"questboard/agents/process"
)

// Sandbox says what all confined programs have in common. Its fields are set
// once. A nil Sandbox confines nothing.
type Sandbox struct {
	// Bwrap is bubblewrap's program.
	Bwrap string
	// Data is our data directory, which nobody sees. Below it lie "worktrees",
	// "homes" with a home for every quest, and "sandbox" with what was decided
	// about the folders of the user's in which quests work.
	Data string
	// Home is the user's home; "": there is none. Path is the PATH.
	Home, Path string
	// Read and Write are what the user lets agents see besides.
	Read, Write []string
	// Git knows where a folder's repository is; nil: there are none.
	Git Git
	// Links are ignored paths of a repository that its worktrees link to,
	// relative to it; may be nil.
	Links func(ctx context.Context, repo string) ([]string, error)
	// Process runs the check.
	Process process.Starter

	mu    sync.Mutex        // one home is prepared at a time, one folder decided
	leads map[string]string // where the paths that the user named led at first
}

// Git answers where repositories are. It obeys nothing that is written in one.
type Git interface {
	// TreesGit returns the git directory that the worktrees of a quest name,
	// without links; "": there is none.
	TreesGit(quest string) (dir string, err error)
	// Layout returns where the repository of a folder of the user's is; nothing
	// where there is none.
	Layout(dir string) (Layout, error)
}

// Layout is where a repository is, without links.
type Layout struct {
	Top    string // the folder that holds .git
	GitDir string // what that .git is, or names
	Common string // the git directory that all worktrees of the repository share
}

// Needs are what one program must see beyond its workspace.
type Needs struct {
	// Read are files and folders, each seen where it is, read-only.
	Read []string
	// Binds are seen elsewhere, or can be written.
	Binds []Bind
	// Files are written into the quest's own home, by their paths in it.
	Files map[string][]byte
}

// Bind lets a program see one path in the place of another.
type Bind struct {
	From, At string
	Write    bool
}

// Wrap returns the command line that the program's own follows, and prepares
// what it names. Nil: the program is not confined.
func (s *Sandbox) Wrap(ctx context.Context, spec agents.Spec, needs Needs) ([]string, error) {
	if s == nil {
		return nil, nil
	}
	v := &view{at: map[string]entry{}, dir: spec.Dir}
	s.system(v)
	s.tools(v)
	for _, path := range s.Read {
		s.named(v, path, read)
	}
	for _, path := range s.Write {
		s.named(v, path, write)
	}
	for _, data := range spellings(s.Data) {
		v.put(data, entry{kind: empty})
	}
	private, err := s.openHome(spec.QuestID)
	if err != nil {
		return nil, notConfined(err)
	}
	defer private.Close()
	for _, home := range spellings(s.Home) {
		v.put(home, entry{kind: own, from: private.Name()})
		v.put(filepath.Join(home, cliFolder), entry{kind: empty})
	}
	if err := s.workspace(ctx, v, spec); err != nil {
		return nil, notConfined(err)
	}
	for _, path := range append(needs.Read, spec.Reads...) {
		if _, e, ok := v.around(path); ok && e.kind == write {
			continue // it is seen, and an agent may have made a link of it
		}
		v.shield(filepath.Dir(path))
		v.see(path, read)
	}
	for _, b := range needs.Binds {
		v.put(b.At, entry{kind: kindOf(b.Write), from: b.From})
	}
	if err := s.furnish(v, private, needs.Files); err != nil {
		return nil, notConfined(err)
	}
	return append([]string{s.Bwrap}, v.argv()...), nil
}

// cliFolder is where the CLI keeps logins and conversations, below the home.
// Every program sees an empty one: only what the CLI needs is put into it.
const cliFolder = ".claude"

func notConfined(err error) error {
	var known *agents.NotStarted
	if errors.As(err, &known) {
		return err
	}
	return &agents.NotStarted{Why: "the sandbox could not be made: " + err.Error(), Err: err}
}

// Homes names the quests that have a home of their own in a data directory.
func Homes(data string) []string {
	all, _ := os.ReadDir(filepath.Join(data, homesFolder)) // none where nothing was ever confined
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name()
	}
	return names
}

// Forget removes what a quest has left in its own home, and what was decided
// about its folder.
func (s *Sandbox) Forget(quest string) error { return Forget(s.Data, quest) }

// Forget does the same where nothing is confined any more.
func Forget(data, quest string) error {
	if err := plainName(quest); err != nil {
		return fmt.Errorf("remove the home of quest %q: %w", quest, err)
	}
	if err := os.Remove(record(data, quest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	root, err := os.OpenRoot(filepath.Join(data, homesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if err = root.RemoveAll(quest); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Go keeps its modules in folders that cannot be written.
	_ = fs.WalkDir(root.FS(), quest, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(path, 0o700)
		}
		return nil
	})
	return root.RemoveAll(quest)
}

// plainName: a quest's name is a name of files.
func plainName(quest string) error {
	if !filepath.IsLocal(quest) || filepath.Base(quest) != quest || quest == "." {
		return errors.New("no plain name")
	}
	return nil
}
