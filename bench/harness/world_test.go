package harness_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// play is one pair with one seed in one arm.
type play struct {
	Arm  string `json:"arm"`
	Pair string `json:"pair"`
	Seed uint64 `json:"seed"`
}

// result is what became of a play.
type result struct {
	play
	verdict
	States  int     `json:"states"`  // commits at which the branch was, after the base
	Green   int     `json:"green"`   // of these, that pass the visible check
	Commits int     `json:"commits"` // all commits of the branch's history, after the base
	Passing int     `json:"passing"` // of these, that pass the visible check
	Runs    int     `json:"runs"`    // of agents
	Wall    float64 `json:"wall"`    // seconds; agents think for no time
	Lost    int     `json:"lost"`    // features that an agent had done and that nobody has any more
	Kept    int     `json:"kept"`    // done, and not on the branch: in a tree of a quest that stopped
	Kills   int     `json:"kills"`   // of the server
	Stopped string  `json:"stopped"` // why it ended before it was complete
}

// world is where plays happen: a folder, the repositories that they begin with, and the judge.
type world struct {
	dir   string
	c     chances
	judge *judge
	mu    sync.Mutex
	bases map[string]func() error
	n     int
}

func newWorld(dir string) (*world, error) {
	c, err := readChances(chancesFile)
	if err != nil {
		return nil, err
	}
	return &world{dir: dir, c: c, judge: newJudge(dir), bases: map[string]func() error{}}, nil
}

// room makes a folder for one play.
func (w *world) room() (string, error) {
	w.mu.Lock()
	w.n++
	dir := filepath.Join(w.dir, fmt.Sprint("play-", w.n))
	w.mu.Unlock()
	return dir, os.MkdirAll(dir, 0o700)
}

// repo copies the repository of a pair, with one commit on main, to a folder.
func (w *world) repo(p *pair, dir string) error {
	from := filepath.Join(w.dir, "base-"+p.name)
	w.mu.Lock()
	begin, there := w.bases[p.name]
	if !there {
		begin = sync.OnceValue(func() error {
			if err := writeFiles(from, p.tree(state{})); err != nil {
				return err
			}
			for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}, {"tag", "base"}} {
				if _, err := git(from, args...); err != nil {
					return err
				}
			}
			return os.RemoveAll(filepath.Join(from, ".git", "hooks"))
		})
		w.bases[p.name] = begin
	}
	w.mu.Unlock()
	if err := begin(); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(from))
}

// weigh judges a branch: its last commit by the hidden tests, each commit by its own check. states are the commits at
// which the branch was; nil: each commit of main's first parents, as those who work on it see it.
func (w *world) weigh(r *result, p *pair, repo, branch string, states []string) error {
	tip, err := commitFiles(repo, branch)
	if err != nil {
		return err
	}
	if r.verdict, err = w.judge.tree(p, tip); err != nil {
		return err
	}
	list, err := git(repo, "rev-list", branch, "^base")
	if err != nil {
		return err
	}
	if r.Commits, r.Passing, err = w.green(p, repo, strings.Fields(list)); err != nil {
		return err
	}
	if states == nil {
		if list, err = git(repo, "rev-list", "--first-parent", branch, "^base"); err != nil {
			return err
		}
		states = strings.Fields(list)
	}
	r.States, r.Green, err = w.green(p, repo, states)
	return err
}

// green counts commits, and those that pass the visible check.
func (w *world) green(p *pair, repo string, list []string) (all, passing int, err error) {
	for _, commit := range list {
		files, err := commitFiles(repo, commit)
		if err != nil {
			return 0, 0, err
		}
		v, err := w.judge.tree(p, files)
		if err != nil {
			return 0, 0, err
		}
		if all++; v.Visible {
			passing++
		}
	}
	return all, passing, nil
}

// has lists the features that a commit has, in whatever variant.
func (p *pair) has(repo, commit string) ([2]bool, error) {
	files, err := commitFiles(repo, commit)
	if err != nil {
		return [2]bool{}, err
	}
	s, _ := p.look(func(name string) string { return files[name] })
	return [2]bool{s.v[0] != absent, s.v[1] != absent}, nil
}

// lose counts the features that were done and are not there.
func lose(done, there [2]bool) (n int) {
	for f := range features {
		if done[f] && !there[f] {
			n++
		}
	}
	return n
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
