package workspace_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The files of the histories: names.txt defines names, one per line; the files
// use-*.txt use them; the files budget-*.txt contain numbers whose sum is limited.

const budget = 100

// wardPasses is the check: there are no conflict markers, every used name is defined,
// and the sum of the numbers is within the limit. Two edits that pass alone can fail
// together.
func wardPasses(files map[string]string) bool {
	sum := 0
	for name, content := range files {
		if strings.Contains(content, "<<<<<<<") || strings.Contains(content, ">>>>>>>") || strings.Contains(content, "=======") {
			return false
		}
		for line := range strings.Lines(content) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(name, "use-") && !slices.Contains(strings.Fields(files["names.txt"]), line):
				return false
			case strings.HasPrefix(name, "budget-"):
				n, err := strconv.Atoi(line)
				if err != nil {
					return false
				}
				sum += n
			}
		}
	}
	return sum <= budget
}

// repair plays Spiritmender: it sees the whole tree and makes it green.
func repair(t *testing.T, dir string) {
	files := filesOf(t, dir)
	for name, content := range files {
		var lines []string
		for line := range strings.Lines(content) {
			word := strings.TrimSpace(line)
			if strings.HasPrefix(word, "<<<<<<<") || strings.HasPrefix(word, ">>>>>>>") || strings.HasPrefix(word, "=======") || strings.HasPrefix(word, "|||||||") {
				continue
			}
			if strings.HasPrefix(name, "use-") && !slices.Contains(strings.Fields(files["names.txt"]), word) {
				continue
			}
			if strings.HasPrefix(name, "budget-") {
				line = "10\n"
			}
			lines = append(lines, line)
		}
		if strings.HasPrefix(name, "budget-") {
			lines = lines[:min(len(lines), 1)]
		}
		put(t, dir, name, strings.Join(lines, ""))
	}
}

func seedWorld(t *testing.T, dir string) {
	put(t, dir, "names.txt", "alpha\nbeta\ngamma\ndelta\n")
	for i := range 3 {
		put(t, dir, fmt.Sprintf("use-%d.txt", i), "alpha\ngamma\n")
		put(t, dir, fmt.Sprintf("budget-%d.txt", i), "20\n")
	}
}

// edit changes a step's files so that they pass ward by themselves.
func (h *history) edit(w *worked) {
	files := filesOf(h.T, w.dir)
	defined := strings.Fields(files["names.txt"])
	use, money := fmt.Sprintf("use-%d.txt", h.rnd.IntN(3)), fmt.Sprintf("budget-%d.txt", h.rnd.IntN(3))
	switch h.rnd.IntN(6) {
	case 0: // remove a name with all its uses
		gone := defined[h.rnd.IntN(len(defined))]
		for name, content := range files {
			if name == "names.txt" || strings.HasPrefix(name, "use-") {
				put(h.T, w.dir, name, strings.ReplaceAll("\n"+content, "\n"+gone+"\n", "\n")[1:])
			}
		}
	case 1: // use a name once more
		put(h.T, w.dir, use, files[use]+defined[h.rnd.IntN(len(defined))]+"\n")
	case 2: // add a name and use it
		name := fmt.Sprintf("name%d", h.rnd.IntN(100))
		put(h.T, w.dir, "names.txt", name+"\n"+files["names.txt"])
		put(h.T, w.dir, use, name+"\n"+files[use])
	case 3, 4: // raise a number
		sum := 0
		for name, content := range files {
			if strings.HasPrefix(name, "budget-") {
				for _, n := range strings.Fields(content) {
					v, _ := strconv.Atoi(n)
					sum += v
				}
			}
		}
		put(h.T, w.dir, money, files[money]+fmt.Sprintln(max(0, budget-sum)*3/4))
	case 5: // add a file with an odd name
		put(h.T, w.dir, oddNames[h.rnd.IntN(len(oddNames))], fmt.Sprintln(w.name, h.rnd.IntN(10)))
	}
	put(h.T, w.dir, "done-"+w.name, fmt.Sprintln(h.rnd.Uint64()))
}

// hunk matches a conflict as git writes it, with the base in the middle.
var hunk = regexp.MustCompile(`(?ms)^<<<<<<< [^\n]*\n(.*?)^\|{7}[^\n]*\n.*?^=======\n(.*?)^>>>>>>> [^\n]*\n`)

// resolve resolves the conflicts of a file. It looks only at the text between the
// markers, and not at the rest of the file or at other files. It takes one side or
// both.
func (h *history) resolve(content string) string {
	take := []string{"$1$2", "$1$2", "$1", "$2"}[h.rnd.IntN(4)]
	return hunk.ReplaceAllStringFunc(content, func(conflict string) string {
		return hunk.ReplaceAllString(conflict, take)
	})
}

func (h *history) settleMarkers(w *worked, names []string) {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			continue // one side removed it, so it stays removed
		}
		put(h.T, w.dir, name, h.resolve(string(content)))
	}
}

// filesOf reads a tree's top folder.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name() != ".git" {
			files[e.Name()] = read(t, dir, e.Name())
		}
	}
	return files
}

// filesIn reads a commit's top folder.
func filesIn(t *testing.T, repo, commit string) map[string]string {
	t.Helper()
	files := map[string]string{}
	archive := tar.NewReader(strings.NewReader(gitOutput(t, repo, "archive", "--format=tar", commit)))
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if name := entry.Name; strings.HasPrefix(name, "use-") || strings.HasPrefix(name, "budget-") || name == "names.txt" {
			content, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(content)
		}
	}
}
