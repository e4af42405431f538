package harness_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var marker = regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>)`)

// marked reports whether there are conflict markers.
func (a agent) marked() bool {
	return slices.ContainsFunc(a.p.files, func(s section) bool {
		text, _ := os.ReadFile(filepath.Join(a.dir, s.name))
		return marker.Match(text)
	})
}

// see finds out what the folder has: by the files as they are, or by the lines that only one variant of a feature
// has. If somebody left half of a file, it is what the session remembers, else what was last committed.
func (a agent) see() state {
	s, known := a.p.look(func(name string) string { return read(filepath.Join(a.dir, name)) })
	if !known {
		_, err := fmt.Sscan(read(a.memory), &s.v[0], &s.v[1], &s.join)
		known = err == nil
	}
	for n := range 5 {
		if known {
			break
		}
		s, known = a.p.look(func(name string) string {
			text, _ := exec.Command("git", "-C", a.dir, "show", "HEAD"+strings.Repeat("^", n)+":"+name).Output()
			return string(text)
		})
	}
	for f, name := range features {
		file, _ := a.p.test(name)
		_, err := os.Stat(filepath.Join(a.dir, file))
		s.tested[f] = err == nil
	}
	a.remember(s)
	return s
}

func (a agent) remember(s state) {
	if a.memory != "" {
		_ = os.WriteFile(a.memory, fmt.Append(nil, s.v[0], " ", s.v[1], " ", s.join), 0o600) // without a memory it looks at the history
	}
}

// look finds the state of files. It is not known if they are half of something.
func (p *pair) look(file func(name string) string) (s state, known bool) {
	texts := map[string]string{}
	for _, f := range p.files {
		texts[f.name] = file(f.name)
	}
	half := false
	for _, s := range states() {
		same, part := true, true
		for _, f := range p.files {
			want := render(f.text, s)
			same, part = same && texts[f.name] == want, part && strings.HasPrefix(want, texts[f.name])
		}
		if same {
			return s, true
		}
		half = half || part
	}
	if half {
		return state{join: true}, false
	}
	for f := range features {
		s.v[f] = p.variantIn(texts, f)
	}
	return s, true
}

// variantIn finds the variant of a feature by the lines that it alone adds: the variant most of whose lines are there.
func (p *pair) variantIn(texts map[string]string, f int) int {
	found, most := absent, 0.0
	for v := right; v <= blunder; v++ {
		there, all := 0, 0
		for _, file := range p.files {
			for _, line := range p.own(file, f, v) {
				all++
				if strings.Contains("\n"+texts[file.name], "\n"+line+"\n") {
					there++
				}
			}
		}
		if share := float64(there) / float64(max(all, 1)); share > most {
			found, most = v, share
		}
	}
	return found
}

// own lists the lines that a file has with this variant of a feature and with no other.
func (p *pair) own(file section, f, v int) []string {
	lines := func(s state) []string { return strings.Split(render(file.text, s), "\n") }
	var others []string
	mine := state{join: true}
	mine.v[f] = v
	for w := absent; w <= blunder; w++ {
		if s := mine; w != v {
			s.v[f] = w
			others = append(others, lines(s)...)
		}
	}
	return slices.DeleteFunc(lines(mine), func(line string) bool { return slices.Contains(others, line) })
}

// put writes the files of a state.
func (a agent) put(s state) error {
	a.remember(s)
	return writeFiles(a.dir, a.p.tree(s))
}

// half leaves the first half of each changed file.
func (a agent) half(s state) error {
	files := map[string]string{}
	for _, f := range a.p.files {
		text := render(f.text, s)
		files[f.name] = text[:len(text)/2]
	}
	return writeFiles(a.dir, files)
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if read(path) == text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// read returns the text of a file; "" if there is none.
func read(path string) string {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return string(text)
}
