package repomap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// drawing decides which folders are named, and writes them.
type drawing struct {
	level     level
	documents bool   // documents count as source
	total     amount // of the source
	perLine   float64
	root      *node
	least     int     // a folder that weighs more must be named
	must      []*node // heaviest first
	may       []*node // heaviest first, each after the folder around it
}

// node is a folder with all below it.
type node struct {
	is     *folder
	name   string
	above  *node
	inside []*node
	named  []*node // those inside that are shown
	files  int
	all    amount
	weight int // lines, or files where there is no source
	own    int // the weight without folders inside
	deep   int
	copied bool // it is in the work of others
	shown  bool
}

// usualLine is the length of a line where nothing was read, in bytes.
const usualLine = 32

// drawing sums up what was counted.
func (s *Survey) drawing() *drawing {
	d := &drawing{total: s.code}
	if s.code.lines*4 < s.texts.lines || s.code.files == 0 {
		d.documents, d.total = true, s.code.plus(s.texts)
	}
	d.perLine = usualLine
	if d.total.lines > 0 {
		d.perLine = max(1, float64(d.total.read)/float64(d.total.lines))
	}
	d.root = d.sum(&s.root, nil)
	d.least = d.root.weight / 50
	var all []*node
	d.root.walk("", func(_ string, n *node) {
		if n != d.root {
			all = append(all, n)
		}
	})
	slices.SortFunc(all, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.files, a.files), cmp.Compare(a.deep, b.deep), cmp.Compare(a.name, b.name))
	})
	all = slices.DeleteFunc(all, func(n *node) bool { // little that nobody would look for
		return n.copied && d.total.files > 0 || n.deep > 1 && n.files < 4 && n.weight*500 < d.root.weight
	})
	heavy, _ := slices.BinarySearchFunc(all, 0, func(n *node, _ int) int {
		if n.weight*50 > d.root.weight {
			return -1
		}
		return 1
	})
	d.must, d.may = all[:heavy], all[heavy:min(len(all), heavy+maxMay)]
	return d
}

// maxMay is how many of the lighter folders may be named.
const maxMay = 150

// lines returns the lines of an amount; those that were not read are estimated.
func (d *drawing) lines(a amount) int { return a.lines + int(float64(a.unread)/d.perLine) }

func (d *drawing) sum(f *folder, above *node) *node {
	n := &node{is: f, name: f.name, above: above, files: f.files, all: f.code}
	if above != nil {
		n.deep, n.copied = above.deep+1, above.copied || copiedFolders[above.name]
	}
	if d.documents {
		n.all = n.all.plus(f.texts)
	}
	n.own = d.weightOf(n)
	for _, in := range f.inside {
		child := d.sum(in, n)
		n.inside = append(n.inside, child)
		n.files, n.all = n.files+child.files, n.all.plus(child.all)
	}
	n.weight = d.weightOf(n)
	return n
}

func (d *drawing) weightOf(n *node) int {
	if d.total.files == 0 {
		return n.files
	}
	return d.lines(n.all)
}

func (n *node) walk(at string, each func(at string, n *node)) {
	each(at, n)
	for _, in := range n.inside {
		in.walk(strings.TrimPrefix(at+"/"+in.name, "/"), each)
	}
}

// tree writes the folders that must be named, and as many others as fit. If the former
// do not fit, ok is false; with force it leaves out the lightest of them instead.
func (d *drawing) tree(room int, force bool) (text string, ok bool) {
	d.root.shown = true
	d.root.walkShown((*node).hide)
	for _, n := range d.must {
		n.show()
	}
	text = d.draw(0)
	for left := len(d.must); len(text) > room; { // the lightest are inside of the others, or as light
		if !force || left == 0 {
			return "", false
		}
		left--
		d.must[left].hide()
		text = d.draw(len(d.must) - left)
	}
	if len(d.must) > 0 && !d.must[len(d.must)-1].shown {
		return text, true
	}
	for _, n := range d.may {
		if !n.above.shown {
			continue
		}
		n.show()
		if more := d.draw(0); len(more) <= room {
			text = more
		} else {
			n.hide()
		}
	}
	return text, true
}

func (n *node) show() {
	n.shown, n.above.named = true, append(n.above.named, n)
}

func (n *node) hide() {
	n.shown = false
	n.above.named = slices.DeleteFunc(n.above.named, func(in *node) bool { return in == n })
}

// walkShown calls each for the shown folders below, innermost first.
func (n *node) walkShown(each func(*node)) {
	for _, in := range slices.Clone(n.named) {
		in.walkShown(each)
		each(in)
	}
}

// draw writes the shown folders. missing is how many that must be named are not.
func (d *drawing) draw(missing int) string {
	var b strings.Builder
	d.drawInside(&b, d.root, 0)
	if missing > 0 {
		fmt.Fprintf(&b, "%s with more than 2 %% of the lines do not fit here.\n", plural(missing, "more folder"))
	}
	return b.String()
}

func (d *drawing) drawInside(b *strings.Builder, n *node, deep int) {
	others := n.files - n.is.files
	slices.SortFunc(n.named, func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	for _, in := range n.named {
		others -= in.files
		name := Name(in.name, d.level.name) + "/"
		for len(in.named) == 1 { // a folder with only one to name shares its line
			only := in.named[0]
			if only.files != in.files && (!d.level.loose || in.own > d.least) {
				break
			}
			in, name = only, name+Name(only.name, d.level.name)+"/"
		}
		fmt.Fprintf(b, "%s%s %d, %d\n", strings.Repeat(" ", deep), name, in.files, d.lines(in.all))
		d.drawInside(b, in, deep+1)
	}
	if hidden := len(n.inside) - len(n.named); hidden > 0 && (len(n.named) > 0 || n == d.root) {
		fmt.Fprintf(b, "%s(%s, %d)\n", strings.Repeat(" ", deep), plural(hidden, "other folder"), others)
	}
}
