// Package confine runs the programs of a quest in a sandbox, with bubblewrap. It decides
// what such a program sees: the system's programs, its workspace, a home directory of
// its own, and the paths that it was given. The program cannot see the user's other
// files, our data directory or other processes. Other packages decide which program runs
// and how it ends.
//
// A view starts empty and adds paths (view.go), so a folder that nobody thought of stays
// hidden. An agent must not influence what is mounted where. So a mount point is never
// at a place where an agent could have put a link (home.go), and a folder of the user is
// examined once, before the quest's first run (ground.go). The program uses the host's
// network, because it needs the model's API and our MCP endpoint.
package confine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/remove"
)

// Sandbox is what all confined programs have in common. Its fields must not change. A
// nil Sandbox confines nothing.
type Sandbox struct {
	// Bwrap is bubblewrap's program.
	Bwrap string
	// Data is our data directory, which no confined program sees. Below it are
	// "worktrees", "homes" with a home for every quest, and "sandbox" with the
	// decisions about the user's folders in which quests work.
	Data string
	// Home is the user's home; "": there is none. Path is the PATH.
	Home, Path string
	// Read and Write are further paths that the user lets agents see.
	Read, Write []string
	// Git knows where a folder's repository is; nil: there are none.
	Git Git
	// Links are ignored paths of a repository that its worktrees link to,
	// relative to it; may be nil.
	Links func(ctx context.Context, repo string) ([]string, error)
	// Process runs the check.
	Process process.Starter

	mu    sync.Mutex          // one home is prepared at a time, and one folder decided
	leads map[string]string   // where the links in the user's paths led at first
	kept  map[string][]string // by quest, the folders of its home that its programs have as mounts
}

// Git finds repositories. It obeys nothing that is written in one.
type Git interface {
	// TreesGit returns the git directory that the worktrees of a quest name,
	// without links; "": there is none.
	TreesGit(quest string) (dir string, err error)
	// Layout returns where the repository of a user's folder is, or the zero value if
	// there is none.
	Layout(dir string) (Layout, error)
}

// Layout is where a repository is, without links.
type Layout struct {
	Top    string // the folder that holds .git
	GitDir string // the folder that this .git is or names
	Common string // the git directory that all worktrees of the repository share
}

// Needs are what one program must see beyond its workspace.
type Needs struct {
	// Dir is where it starts; "": in the workspace.
	Dir string
	// Read are files and folders, each seen where it is, read-only.
	Read []string
	// Binds are seen at another path, or can be written.
	Binds []Bind
	// Files are written into the quest's own home, by their paths in it.
	Files map[string][]byte
}

// Bind shows one path at the place of another.
type Bind struct {
	From, At string
	Write    bool
}

// Wrap returns the command line to put before the program's own, and prepares what it
// names. Nil: the program is not confined.
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
			continue // an agent sees it and may have replaced it with a link
		}
		v.see(path, read)
	}
	for _, b := range needs.Binds {
		v.put(b.At, entry{kind: kindOf(b.Write), from: b.From})
	}
	if err := s.furnish(v, private, needs.Files); err != nil {
		return nil, notConfined(err)
	}
	v.dir = cmp.Or(needs.Dir, v.dir)
	return append([]string{s.Bwrap}, v.argv()...), nil
}

// cliFolder is the folder below the home where the CLI keeps logins and conversations.
// Every program sees an empty one with only what the CLI needs.
const cliFolder = ".claude"

func notConfined(err error) error {
	var known *agents.NotStarted
	if errors.As(err, &known) {
		return err
	}
	return &agents.NotStarted{Why: "the sandbox could not be made: " + err.Error(), Err: err}
}

// HomeOf returns the home that a quest's programs see as the user's.
func (s *Sandbox) HomeOf(quest string) string { return filepath.Join(s.Data, homesFolder, quest) }

// Homes names the quests that have a home of their own in a data directory.
func Homes(data string) []string {
	all, _ := os.ReadDir(filepath.Join(data, homesFolder)) // there are none if nothing was ever confined
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name()
	}
	return names
}

// Forget removes what a quest has left in its own home, and what was decided about its
// folder.
func (s *Sandbox) Forget(quest string) error { return Forget(s.Data, quest) }

// Forget does the same without a sandbox.
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
	return remove.All(root, quest)
}

// plainName refuses a quest's name that cannot be a file's name.
func plainName(quest string) error {
	if !filepath.IsLocal(quest) || filepath.Base(quest) != quest || quest == "." {
		return errors.New("no plain name")
	}
	return nil
}
