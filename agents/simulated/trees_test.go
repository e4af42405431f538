package simulated_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// trees are the working trees of a dry run: one folder per step, without git. If two
// steps change the same file differently, there is a conflict.
type trees struct {
	t     *testing.T
	root  string
	began map[string]map[string]string // by step: the quest's files that its tree has seen
}

// own returns the quest's own tree, which has all merged work.
func (w *trees) own() string { return filepath.Join(w.root, "_quest") }

func (w *trees) dir(step string) string {
	if step == orchestration.StepRequirements || step == orchestration.StepPlan {
		return w.own()
	}
	dir := filepath.Join(w.root, step)
	if w.began[step] == nil {
		w.began[step] = filesOf(w.t, w.own())
		w.copy(w.own(), dir)
	}
	return dir
}

func (w *trees) copy(from, to string) {
	for path, content := range filesOf(w.t, from) {
		put(w.t, to, path, content)
	}
}

// changed returns the files that a step changed, and those with conflict markers.
func (w *trees) changed(step string) (changed, markers []string) {
	for path, content := range filesOf(w.t, w.dir(step)) {
		if content != w.began[step][path] {
			changed = append(changed, path)
		}
		if strings.Contains(content, "<<<<<<<") {
			markers = append(markers, path)
		}
	}
	slices.Sort(changed)
	slices.Sort(markers)
	return changed, markers
}

// merge merges the quest's tree and a step's tree as far as possible.
func (w *trees) merge(line string) (orchestration.MergeOutcome, []string) {
	base, ours, theirs := w.began[line], filesOf(w.t, w.dir(line)), filesOf(w.t, w.own())
	if maps.Equal(base, theirs) {
		w.copy(w.dir(line), w.own())
		return orchestration.MergeMerged, nil
	}
	var conflicts []string
	for path, content := range theirs {
		switch {
		case content == base[path] || content == ours[path]:
		case ours[path] == base[path]:
			put(w.t, w.dir(line), path, content)
		default:
			conflicts = append(conflicts, path)
			put(w.t, w.dir(line), path, fmt.Sprintf("<<<<<<< ours\n%s||||||| base\n%s=======\n%s>>>>>>> theirs\n", ours[path], base[path], content))
		}
	}
	w.began[line] = theirs
	if len(conflicts) > 0 {
		return orchestration.MergeConflict, conflicts
	}
	return orchestration.MergeUpdated, nil
}

// filesOf returns the files of a folder, without git's.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if path == ".git" {
				return fs.SkipDir
			}
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func put(t *testing.T, dir, path, content string) {
	t.Helper()
	target := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(target, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
