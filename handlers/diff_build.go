package handlers

import (
	"fmt"
	"slices"
	"strconv"

	"questboard/views"
)

// diffBuilder fills the page of a diff with its files.
type diffBuilder struct {
	page       *views.Diff
	view       diffView
	branch     string                 // where all of the work is, for a person with git
	undeclared func(path string) bool // the plan does not name the file
}

// build puts the files of the view's page there. cut: the patch is the
// beginning of a longer one.
func (b *diffBuilder) build(patch []byte, cut bool) {
	parts := splitDiff(patch)
	if cut {
		b.page.Notes = append(b.page.Notes, "This diff is larger than 16 MiB: only its beginning is here. The branch "+b.branch+" has all of it.")
	}
	b.page.Total.Files = len(parts)
	for i := range parts {
		b.page.Total.Added += parts[i].added
		b.page.Total.Removed += parts[i].removed
	}
	if b.view.file != "" {
		b.alone(parts)
		return
	}
	shown, pages := b.view.pageOf(parts)
	if len(shown) == 0 {
		b.page.Notes = append(b.page.Notes, fmt.Sprintf("There is no page %d: the diff has %s by now.", b.view.page, count(pages, "page", "pages")))
	}
	for i := range shown {
		b.page.Files = append(b.page.Files, b.file(&shown[i]))
	}
	b.page.Tree = treeOf(b.page.Files)
	b.turnPages(pages, "Files")
}

func (b *diffBuilder) turnPages(pages int, what string) {
	if pages < 2 {
		return
	}
	turn := func(n int) string {
		v := b.view
		v.page = n
		return b.page.Here + v.query("")
	}
	b.page.Pages.Words = fmt.Sprintf("%s: page %d of %d", what, b.view.page, pages)
	if b.view.page > 1 {
		b.page.Pages.Previous = turn(min(b.view.page-1, pages))
	}
	if b.view.page < pages {
		b.page.Pages.Next = turn(b.view.page + 1)
	}
}

// alone shows one file, however much of it has changed.
func (b *diffBuilder) alone(parts []diffPart) {
	b.page.Pages.All = b.page.Here
	at := slices.IndexFunc(parts, func(p diffPart) bool { return p.key == b.view.file })
	if at < 0 {
		b.page.Notes = append(b.page.Notes, "That file is not in the diff any more.")
		return
	}
	b.page.Files = []views.DiffFile{b.file(&parts[at])}
}

// file is one file as the page shows it.
func (b *diffBuilder) file(p *diffPart) views.DiffFile {
	v := views.DiffFile{Key: p.key, Hash: p.hash(), Added: p.added, Removed: p.removed, URL: b.page.Here + "?file=" + p.key}
	head := p.readHead()
	if head == nil {
		v.Path, v.Plain = shortPath(p.firstLine()), p.plain()
		v.Remarks = []string{"this part of the patch cannot be laid out: it is shown as plain text"}
		return v
	}
	path := pathOf(head)
	v.Path, v.Name, v.Remarks, v.On = shortPath(path), strconv.QuoteToASCII(path), remarks(head), p.key+".f"
	v.Undeclared = b.undeclared(path) || head.IsRename && b.undeclared(head.OldName)
	alone := b.view.file != ""
	switch {
	case p.rows == 0:
	case p.rows > laidOutRows || len(p.raw) > laidOutBytes:
		many := fmt.Sprintf("%d changed lines are too many to be laid out", p.added+p.removed)
		v.Folded = many + "."
		if alone {
			v.Folded, v.Plain = "", p.plain()
			v.Remarks = append(v.Remarks, many+": this is their beginning, as plain text")
		}
	case !alone && b.view.folded(p):
		v.Folded = fmt.Sprintf("%d changed lines are folded.", p.added+p.removed)
	default:
		b.lines(&v, p)
	}
	return v
}

// lines lays the part out.
func (b *diffBuilder) lines(v *views.DiffFile, p *diffPart) {
	file := p.read()
	if file == nil {
		v.Plain = p.plain()
		v.Remarks = append(v.Remarks, "this part of the patch does not add up: it is shown as plain text")
		return
	}
	rows := rowsOf(file, p.key)
	if b.view.file != "" {
		all, pages := b.view.linesOf(rows)
		b.turnPages(pages, "Lines")
		rows = all
	}
	if b.view.split {
		v.Pairs = pairsOf(rows)
	}
	v.Rows = rows
}
