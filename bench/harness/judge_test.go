package harness_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// verdict is what the tests say of a tree.
type verdict struct {
	Visible bool `json:"visible"` // its own check
	A       bool `json:"a"`       // the hidden tests
	B       bool `json:"b"`
	AB      bool `json:"ab"`
}

func (v verdict) pass() bool { return v.A && v.B && v.AB }

// judge runs the tests of trees. Tests say the same of the same files, so it runs them once for each content.
type judge struct {
	mu   sync.Mutex
	seen map[string]func() (verdict, error)
	dir  string
}

func newJudge(dir string) *judge { return &judge{seen: map[string]func() (verdict, error){}, dir: dir} }

func (j *judge) tree(p *pair, files map[string]string) (verdict, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, p.name)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%q %q\n", name, files[name])
	}
	key := hex.EncodeToString(sum.Sum(nil))
	j.mu.Lock()
	run, there := j.seen[key]
	if !there {
		run = sync.OnceValues(func() (verdict, error) { return j.run(p, files) })
		j.seen[key] = run
	}
	j.mu.Unlock()
	return run()
}

func (j *judge) run(p *pair, files map[string]string) (v verdict, err error) {
	dir, err := os.MkdirTemp(j.dir, "judge-")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	if err := writeFiles(dir, files); err != nil {
		return v, err
	}
	failing, err := runCheck(dir)
	if err != nil {
		return v, err
	}
	v.Visible = failing == nil
	failing, err = j.hidden(p, files, "hidden-a", "hidden-b", "hidden-ab")
	if err != nil {
		return v, err
	}
	if slices.Contains(failing, "build") { // one that cannot be compiled says nothing of the others
		failing = nil
		for _, name := range []string{"hidden-a", "hidden-b", "hidden-ab"} {
			one, err := j.hidden(p, files, name)
			if err != nil {
				return v, err
			}
			if one != nil {
				failing = append(failing, name)
			}
		}
	}
	fails := func(name string) bool { return slices.Contains(failing, name) || slices.Contains(failing, "base") }
	v.A, v.B, v.AB = !fails("hidden-a"), !fails("hidden-b"), !fails("hidden-ab")
	return v, nil
}

// hidden runs hidden tests beside the base's own, without those that agents wrote.
func (j *judge) hidden(p *pair, files map[string]string, names ...string) ([]string, error) {
	dir, err := os.MkdirTemp(j.dir, "hidden-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	code := maps.Clone(files)
	maps.DeleteFunc(code, func(name, _ string) bool {
		return path.Dir(name) == "tests" || strings.HasSuffix(name, "_test.go")
	})
	maps.Copy(code, p.frame())
	for _, name := range names {
		file, text := p.test(name)
		code[file] = text
	}
	if err := writeFiles(dir, code); err != nil {
		return nil, err
	}
	return runCheck(dir)
}

var failLine = regexp.MustCompile(`(?m)^FAIL (base|a|b|build|hidden-(?:a|b|ab|A|B|AB))$`)

// failures reads the names of the failing tests from what a check printed.
func failures(out string) []string {
	var names []string
	for _, m := range failLine.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runCheck runs the check of a folder and returns the names of the tests that fail; "build": it could not run them.
func runCheck(dir string) ([]string, error) {
	cmd := exec.Command("sh", "check.sh")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	if cmd.ProcessState == nil || !cmd.ProcessState.Exited() {
		return nil, fmt.Errorf("run the check of %s: %w\n%s", dir, err, out)
	}
	if names := failures(string(out)); names != nil {
		return names, nil
	}
	return []string{"build"}, nil
}

// commit reads the files of a commit.
func commitFiles(repo, commit string) (map[string]string, error) {
	names, err := git(repo, "ls-tree", "-r", "--name-only", commit)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range strings.Fields(names) {
		if files[name], err = git(repo, "cat-file", "blob", commit+":"+name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// git runs git in a folder, without the settings of this machine.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s in %s: %w\n%s%s", strings.Join(args, " "), filepath.Base(dir), err, out, said.String())
	}
	return string(out), nil
}
