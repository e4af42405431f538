package diffview

import (
	"fmt"
	"net/url"

	"questboard/views"
)

// What one page shows at most; the rest is a link away.
const (
	pageFiles   = 300
	pageCost    = 1_400_000 // bytes of HTML
	fileChanges = 400       // lines: more are folded
	fileCost    = 300_000   // bytes of HTML: more are folded
	headCost    = 2_500     // bytes of HTML of a file without its lines, and of its entry in the tree
)

// View is how a request looks at a diff.
type View struct {
	File  string // the key of a file: it alone
	Page  int    // from 1
	Split bool   // two columns
}

// Query asks for the same place in the diff, and more.
func (v View) Query(more string) string {
	q := "?"
	if v.File != "" {
		q += "file=" + url.QueryEscape(v.File) + "&"
	}
	if v.Page > 1 {
		q += fmt.Sprint("page=", v.Page, "&")
	}
	return q + more
}

// weight is what a part costs where it is not folded: two columns say the
// lines that stayed twice.
func (v View) weight(cost int) int {
	if v.Split {
		return 2 * cost
	}
	return cost
}

func (v View) folded(p *part) bool {
	return p.added+p.removed > fileChanges || v.weight(p.cost) > fileCost
}

// pageOf picks the parts of the page, and says how many pages there are.
func (v View) pageOf(parts []part) (shown []part, pages int) {
	return paged(parts, v.Page, pageFiles, func(p *part) int {
		if v.folded(p) {
			return headCost
		}
		return headCost + v.weight(p.cost)
	})
}

// linesOf picks the rows of the page out of those of one file.
func (v View) linesOf(rows []views.DiffRow) (shown []views.DiffRow, pages int) {
	return paged(rows, v.Page, len(rows), func(r *views.DiffRow) int { return v.weight(rowCost + htmlCost([]byte(r.Text))) })
}

// paged cuts a list into pages of at most pageCost and so many items, each with
// one at least, and returns the wanted one and how many there are.
func paged[T any](items []T, wanted, most int, costOf func(*T) int) (shown []T, pages int) {
	begin, cost := 0, 0
	pages = 1
	for i := range items {
		own := costOf(&items[i])
		if i > begin && (cost+own > pageCost || i-begin == most) {
			if pages == wanted {
				shown = items[begin:i]
			}
			begin, cost = i, 0
			pages++
		}
		cost += own
	}
	if pages == wanted {
		shown = items[begin:]
	}
	return shown, pages
}

// pairsOf sets what was removed beside what was added in its place.
func pairsOf(rows []views.DiffRow) []views.DiffPair {
	var pairs []views.DiffPair
	for i := 0; i < len(rows); {
		switch rows[i].Kind {
		case "hunk":
			pairs = append(pairs, views.DiffPair{Left: &rows[i]})
			i++
			continue
		case "same":
			pairs = append(pairs, views.DiffPair{Left: &rows[i], Right: &rows[i]})
			i++
			continue
		}
		removed := i
		for i < len(rows) && rows[i].Kind == "del" {
			i++
		}
		added := i
		for i < len(rows) && rows[i].Kind == "add" {
			i++
		}
		for n := range max(added-removed, i-added) {
			var pair views.DiffPair
			if removed+n < added {
				pair.Left = &rows[removed+n]
			}
			if added+n < i {
				pair.Right = &rows[added+n]
			}
			pairs = append(pairs, pair)
		}
	}
	return pairs
}
