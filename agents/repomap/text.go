package repomap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxText is the most that Text returns, in bytes.
const MaxText = 4000

// Text describes what was counted, in at most MaxText bytes. It names every folder that
// holds, with all below it, more than 2 % of the source lines; if they do not all fit,
// it says how many are missing. Where there is no source, files count instead of lines.
func (s *Survey) Text() string {
	d := s.drawing()
	for level := range levels {
		d.level = levels[level]
		if text, ok := s.written(d, level == len(levels)-1); ok {
			return text
		}
	}
	return "" // the last level always fits
}

// level says how much room names and lists get.
type level struct {
	name  int  // the longest name, in bytes
	lists int  // bytes for one list beside the tree
	loose bool // folders without much of their own share a line with the folder in them
}

var levels = []level{{60, 350, false}, {40, 250, true}, {24, 120, true}, {12, 60, true}}

// written writes the text; ok is false if the folders that must be named do not fit. At
// the last level some of them are left out instead.
func (s *Survey) written(d *drawing, last bool) (text string, ok bool) {
	head, tail := s.head(d), s.tail(d)
	room := MaxText - len(head) - len(tail)
	tree, ok := d.tree(room, last)
	return head + tree + tail, ok
}

func (s *Survey) head(d *drawing) string {
	var b strings.Builder
	about := ""
	if d.total.unread > 0 {
		about = "about "
	}
	fmt.Fprintf(&b, "%s in %s", plural(s.files, "file"), plural(s.folders, "folder"))
	if d.total.files > 0 {
		fmt.Fprintf(&b, "; %d of source, with %s%s: %s", d.total.files, about, plural(d.lines(d.total), "line"), s.shares(d))
	} else {
		b.WriteString("; none of them is known as source by its name")
	}
	b.WriteString(".\n")
	if d.total.unread > 0 {
		percent := d.total.unread * 100 / (d.total.read + d.total.unread)
		fmt.Fprintf(&b, "%d %% of the source was not read: its lines are estimated from its size.\n", max(1, percent))
	}
	if s.stopped {
		b.WriteString("There are more files: counting was ended here. What is in them is unknown.\n")
	}
	if s.crowded {
		b.WriteString("There are more folders, or deeper ones: their files count for the folders above.\n")
	}
	if len(s.root.inside) > 0 {
		b.WriteString("Folders, each with all below it: files, source lines.\n")
	}
	return b.String()
}

// shares lists the languages with their shares of the lines.
func (s *Survey) shares(d *drawing) string {
	type share struct {
		name  string
		lines int
	}
	var all []share
	for name, of := range s.languages {
		if d.documents || !prose[name] {
			all = append(all, share{name, d.lines(*of)})
		}
	}
	slices.SortFunc(all, func(a, b share) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.name, b.name)) })
	total, others, said := max(1, d.lines(d.total)), 0, []string{}
	for i, of := range all {
		if percent := of.lines * 100 / total; i < 6 && (percent > 0 || i == 0) {
			said = append(said, fmt.Sprintf("%s %d %%", of.name, percent))
		} else {
			others++
		}
	}
	if others > 0 {
		said = append(said, fmt.Sprintf("and %s", plural(others, "other language")))
	}
	return strings.Join(said, ", ")
}

// tail writes the lists after the tree.
func (s *Survey) tail(d *drawing) string {
	var b strings.Builder
	list := func(title string, items []string, all int) {
		if len(items) > 0 {
			b.WriteString(listed(title, items, all, d.level.lists))
		}
	}
	list("Files at the top", d.paths(s.top.kept), s.top.seen)
	list("Largest source files without tests, in lines", d.numbered(s.biggest(d)), 0)
	if !d.documents {
		list("Largest documents, in lines", d.numbered(atMost(12, s.largestTexts.kept)), 0)
	}
	list("Programs or packages begin in, by the names", d.paths(s.entries.kept), s.entries.seen)
	tests, all := s.tests(d)
	list("Tests ("+plural(all, "file")+") are in", tests, len(tests))
	list("Helpers of tests", d.counted(s.helpers), len(s.helpers))
	list("Data of tests", d.counted(s.testData), len(s.testData))
	list("Work of others, not counted as source", d.counted(s.copied), len(s.copied))
	if s.generated > 0 {
		fmt.Fprintf(&b, "Generated, by the names, and not counted as source: %s.\n", plural(s.generated, "file"))
	}
	list("Submodules, whose files are not here", d.paths(s.modules.kept), s.modules.seen)
	return b.String()
}

// biggest returns the largest files. Lines of files that were not read are estimated.
func (s *Survey) biggest(d *drawing) []ranked {
	all := slices.Clone(s.largest.kept)
	if d.documents {
		all = append(all, s.largestTexts.kept...)
	}
	for _, r := range s.heavy.kept {
		all = append(all, ranked{r.path, int64(d.lines(amount{unread: r.n}))})
	}
	slices.SortFunc(all, compare)
	return atMost(12, all)
}

// atMost returns the first n of those that have a number.
func atMost(n int, all []ranked) []ranked {
	return slices.DeleteFunc(slices.Clone(all[:min(len(all), n)]), func(r ranked) bool { return r.n <= 0 })
}

// tests returns the folders with the most files of tests in them, and the number of all.
func (s *Survey) tests(d *drawing) (folders []string, all int) {
	var top best
	d.root.walk("", func(at string, n *node) {
		if n.is.tests > 0 {
			all += n.is.tests
			top.add(ranked{at + "/", int64(n.is.tests)})
		}
	})
	for _, r := range top.kept {
		folders = append(folders, d.place(r.path)+" "+strconv.FormatInt(r.n, 10))
	}
	if more := top.seen - len(top.kept); more > 0 {
		folders = append(folders, fmt.Sprintf("and %d other folders", more))
	}
	return folders, all
}

// listed writes "Title: a, b and 3 more." in at most limit bytes after the title. all
// is how many there are, if that is more than the items.
func listed(title string, items []string, all, limit int) string {
	text, n := "", 0
	for _, item := range items {
		if n > 0 && len(text)+len(item) > limit {
			break
		}
		if n > 0 {
			text += ", "
		}
		text += item
		n++
	}
	if more := max(all, len(items)) - n; more > 0 && all > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return title + ": " + text + ".\n"
}

func (d *drawing) paths(all []ranked) []string {
	var said []string
	for _, r := range all {
		said = append(said, d.place(r.path))
	}
	return said
}

func (d *drawing) numbered(all []ranked) []string {
	var said []string
	for _, r := range all {
		said = append(said, d.place(r.path)+" "+strconv.FormatInt(r.n, 10))
	}
	return said
}

func (d *drawing) counted(all map[string]int) []string {
	var top []ranked
	for _, at := range slices.Sorted(maps.Keys(all)) {
		top = append(top, ranked{at, int64(all[at])})
	}
	slices.SortFunc(top, compare)
	return d.numbered(top[:min(len(top), maxBest)])
}

// place writes a path: its names, and "…" for those in the middle of a long one.
func (d *drawing) place(name string) string {
	folder := strings.HasSuffix(name, "/")
	parts := split(name)
	most := 2 * d.level.name
	said := make([]string, 0, 4)
	if length(parts) > most && len(parts) > 3 {
		parts = []string{parts[0], "…", parts[len(parts)-2], parts[len(parts)-1]}
	}
	for _, part := range parts {
		said = append(said, Name(part, d.level.name))
	}
	text := strings.Join(said, "/")
	switch {
	case len(parts) == 0:
		return "./"
	case folder:
		text += "/"
	}
	return text
}

func length(parts []string) int {
	all := 0
	for _, part := range parts {
		all += len(part) + 1
	}
	return all
}

// Name writes a name that others chose, in about most bytes, on one line and without
// anything that a reader could take for more than a name. A name with unusual
// characters is quoted as in Go.
func Name(name string, most int) string {
	var b strings.Builder
	quoted := name == ""
	for rest := name; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		piece := rest[:size]
		if r == utf8.RuneError || !strconv.IsPrint(r) || strings.ContainsRune("\"\\", r) {
			piece, quoted = strings.Trim(strconv.Quote(piece), `"`), true
			if r == '"' {
				piece = `\"`
			}
		}
		if r == '`' {
			piece, quoted = "'", true
		}
		quoted = quoted || strings.ContainsRune(" ,:#", r)
		if b.Len()+len(piece) > most {
			b.WriteString("…")
			break
		}
		b.WriteString(piece)
		rest = rest[size:]
	}
	if quoted {
		return `"` + b.String() + `"`
	}
	return b.String()
}

// Plain writes a text that others chose on one line of at most most bytes, without
// characters that cannot be seen.
func Plain(text string, most int) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if !strconv.IsPrint(r) {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > most {
			return b.String() + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
