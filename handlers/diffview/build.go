// Package diffview turns differences into view models: a git patch file by file, one
// edit, or two texts by lines or words. It decides how a diff is split into pages, files
// and rows. It does not know requests or the rules of quests.
package diffview

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"questboard/views"
)

// Builder fills the page of a diff with its files.
type Builder struct {
	Page       *views.Diff
	View       View
	Branch     string                         // has the whole change, for a user of git
	Undeclared func(path string) bool         // reports whether the plan does not list the file
	Steps      func(path string) []views.Link // the steps that changed the file; nil: the diff is one step's
	// Writers returns the step that wrote each line of a file as it is now; "": none, or
	// unknown. It is asked only for files that several steps changed. nil: for none.
	Writers func(path string) []string
	// More returns the patch of a file with so many unchanged lines around its changes. The
	// file is named as it was and as it is.
	More func(around int, names []string) ([]byte, error)

	painter *painter
	asked   *int // the files for which Writers was called
}

// Build fills the page that the View asks for. cut says that patch is the beginning of a
// longer one.
func (b Builder) Build(patch []byte, cut bool) {
	b.painter, b.asked = newPainter(), new(int)
	parts := split(patch)
	if cut {
		b.Page.Notes = append(b.Page.Notes, "This diff is larger than 16 MiB: only its beginning is here. The branch "+b.Branch+" has all of it.")
	}
	b.Page.Total.Files = len(parts)
	for i := range parts {
		b.Page.Total.Added += parts[i].added
		b.Page.Total.Removed += parts[i].removed
	}
	if b.View.File != "" {
		b.alone(parts)
		return
	}
	shown, pages := b.View.pageOf(parts)
	if len(shown) == 0 {
		b.Page.Notes = append(b.Page.Notes,
			fmt.Sprintf("There is no page %d: the diff now has %s.", b.View.Page, views.Count(pages, "page", "pages")))
	}
	for i := range shown {
		b.Page.Files = append(b.Page.Files, b.file(&shown[i]))
	}
	b.Page.Tree = treeOf(b.Page.Files)
	b.turnPages(pages, "Files")
}

func (b Builder) turnPages(pages int, what string) {
	if pages < 2 {
		return
	}
	turn := func(n int) string {
		v := b.View
		v.Page = n
		return b.Page.Here + v.Query("")
	}
	b.Page.Pages.Words = fmt.Sprintf("%s: page %d of %d", what, b.View.Page, pages)
	if b.View.Page > 1 {
		b.Page.Pages.Previous = turn(min(b.View.Page-1, pages))
	}
	if b.View.Page < pages {
		b.Page.Pages.Next = turn(b.View.Page + 1)
	}
}

// alone shows only the file that the View names, and does not fold it.
func (b Builder) alone(parts []part) {
	b.Page.Pages.All = b.Page.Here
	at := slices.IndexFunc(parts, func(p part) bool { return p.key == b.View.File })
	if at < 0 {
		b.Page.Notes = append(b.Page.Notes, "That file is no longer in the diff.")
		return
	}
	file := b.file(b.expanded(&parts[at]))
	file.Hash = parts[at].hash() // the change is the same
	b.Page.Files = []views.DiffFile{file}
}

// The numbers of unchanged lines that a reader can ask for: some more, or all. A file with
// more lines is not laid out anyhow.
const (
	aroundMore = 25
	AroundMost = laidOutRows
)

// expanded returns the file with more unchanged lines, if they are asked for.
func (b Builder) expanded(p *part) *part {
	head := p.readHead()
	if b.View.Around == 0 || head == nil || p.rows == 0 {
		return p
	}
	patch, err := b.More(b.View.Around, slices.DeleteFunc([]string{head.OldName, head.NewName}, func(name string) bool { return name == "" }))
	if err == nil {
		for _, more := range split(patch) {
			if more.key == p.key {
				return &more
			}
		}
	}
	b.Page.Notes = append(b.Page.Notes, "More unchanged lines of this file cannot be read.")
	return p
}

// expand adds the links to more unchanged lines. A new or deleted file has none.
func (b Builder) expand(v *views.DiffFile, file *gitdiff.File) {
	if b.More == nil || file.IsNew || file.IsDelete || b.View.Around == AroundMost {
		return
	}
	at := func(around int) string {
		return b.Page.Here + View{File: v.Key, Around: around}.Query("") + "#file-" + v.Key
	}
	if b.View.Around < aroundMore {
		v.More = append(v.More, views.Link{Words: "More lines", URL: at(aroundMore)})
	}
	v.More = append(v.More, views.Link{Words: "Whole file", URL: at(AroundMost)})
}

// file is one file of the page.
func (b Builder) file(p *part) views.DiffFile {
	v := views.DiffFile{Key: p.key, Hash: p.hash(), Added: p.added, Removed: p.removed, URL: b.Page.Here + "?file=" + p.key}
	head := p.readHead()
	if head == nil {
		v.Path, v.Plain = ShortPath(p.firstLine()), p.plain()
		v.Remarks = []string{"this part of the patch cannot be laid out: it is shown as plain text"}
		return v
	}
	path := latestPath(head)
	v.Path, v.Name, v.Remarks, v.On = ShortPath(path), strconv.QuoteToASCII(path), remarks(head), p.key+".f"
	v.Undeclared = b.Undeclared(path) || head.IsRename && b.Undeclared(head.OldName)
	if b.Steps != nil {
		if v.Steps = b.Steps(path); len(v.Steps) == 0 && head.IsRename {
			v.Steps = b.Steps(head.OldName)
		}
		v.MoreSteps = max(0, len(v.Steps)-stepsMost)
		v.Steps = v.Steps[:len(v.Steps)-v.MoreSteps]
	}
	alone := b.View.File != ""
	switch {
	case p.rows == 0:
	case p.rows > laidOutRows || len(p.raw) > laidOutBytes:
		many := fmt.Sprintf("%d changed lines are too many to be laid out", p.added+p.removed)
		v.Folded = many + "."
		if alone {
			v.Folded, v.Plain = "", p.plain()
			v.Remarks = append(v.Remarks, many+": this is their beginning, as plain text")
		}
	case !alone && b.View.folded(p):
		v.Folded = fmt.Sprintf("%d changed lines are folded.", p.added+p.removed)
	default:
		b.lines(&v, p)
	}
	return v
}

// lines adds the rows of the file.
func (b Builder) lines(v *views.DiffFile, p *part) {
	file := p.read()
	if file == nil {
		v.Plain = p.plain()
		v.Remarks = append(v.Remarks, "this part of the patch is inconsistent: it is shown as plain text")
		return
	}
	rows := rowsOf(file, p.key)
	if b.View.File != "" {
		all, pages := b.View.linesOf(rows)
		b.turnPages(pages, "Lines")
		rows = all
	}
	if b.Writers != nil && len(v.Steps) > 1 && *b.asked < writersMost {
		*b.asked++
		written(rows, b.Writers(latestPath(file)))
	}
	b.painter.paint(latestPath(file), rows)
	b.expand(v, file)
	if b.View.Split {
		v.Pairs = pairsOf(rows)
	}
	v.Rows = rows
}

// written names the step at the first of its lines in a row.
func written(rows []views.DiffRow, steps []string) {
	last := ""
	for i := range rows {
		row, by := &rows[i], ""
		if row.Kind == "add" && row.New <= len(steps) {
			by = cmp.Or(steps[row.New-1], "an unknown step")
		}
		if by != last {
			row.By, last = by, by
		}
	}
}

// treeDepth is how deep the tree of files may nest. Below it, a node's name is the rest
// of its path.
const treeDepth = 12

// treeOf sorts files into their folders, in the order of the patch. A folder with a
// single entry forms one node with it.
func treeOf(files []views.DiffFile) []views.DiffNode {
	var root views.DiffNode
	for _, f := range files {
		at := &root
		parts := strings.SplitN(f.Path, "/", treeDepth)
		for _, folder := range parts[:len(parts)-1] {
			last := len(at.Nodes) - 1
			if last < 0 || at.Nodes[last].URL != "" || at.Nodes[last].Name != folder {
				at.Nodes = append(at.Nodes, views.DiffNode{Name: folder})
				last++
			}
			at = &at.Nodes[last]
		}
		at.Nodes = append(at.Nodes, views.DiffNode{Name: parts[len(parts)-1], URL: "#file-" + f.Key,
			Added: f.Added, Removed: f.Removed, Undeclared: f.Undeclared})
	}
	for i := range root.Nodes {
		root.Nodes[i] = joined(root.Nodes[i])
	}
	return root.Nodes
}

func joined(n views.DiffNode) views.DiffNode {
	for i := range n.Nodes {
		n.Nodes[i] = joined(n.Nodes[i])
	}
	if n.URL == "" && len(n.Nodes) == 1 {
		only := n.Nodes[0]
		only.Name = n.Name + "/" + only.Name
		return only
	}
	return n
}
