package diffview

import (
	"fmt"
	"net/url"

	"questboard/views"
)

// What one page shows at most. Links lead to the rest.
const (
	pageFiles   = 300
	pageCost    = 1_400_000 // bytes of HTML
	fileChanges = 400       // lines; a file with more is folded
	fileCost    = 300_000   // bytes of HTML; a file with more is folded
	writersMost = 20        // files whose lines name their steps: each takes a process of git
	stepsMost   = 3         // links to steps in a file's head
	headCost    = 3_000     // bytes of HTML for a file without its lines, with its entry in the tree
)

// View is the part of a diff that a request asks for.
type View struct {
	File  string // the key of the only file to show, or ""
	Page  int    // from 1
	Split bool   // two columns
	// Around is how many unchanged lines are shown around the changes of File; 0: as many
	// as in the diff.
	Around int
}

// Query is the query of a URL for this view, with more parameters.
func (v View) Query(more string) string {
	q := "?"
	if v.File != "" {
		q += "file=" + url.QueryEscape(v.File) + "&"
	}
	if v.Around > 0 {
		q += fmt.Sprint("around=", v.Around, "&")
	}
	if v.Page > 1 {
		q += fmt.Sprint("page=", v.Page, "&")
	}
	return q + more
}

// weight is the cost of rows in this view. Two columns show unchanged lines twice.
func (v View) weight(cost int) int {
	if v.Split {
		return 2 * cost
	}
	return cost
}

func (v View) folded(p *part) bool {
	return p.added+p.removed > fileChanges || v.weight(p.cost) > fileCost
}

// pageOf returns the parts on the wanted page, and the number of pages.
func (v View) pageOf(parts []part) (shown []part, pages int) {
	return paged(parts, v.Page, pageFiles, func(p *part) int {
		if v.folded(p) {
			return headCost
		}
		return headCost + v.weight(p.cost)
	})
}

// linesOf returns the rows of a file on the wanted page, and the number of pages.
func (v View) linesOf(rows []views.DiffRow) (shown []views.DiffRow, pages int) {
	return paged(rows, v.Page, len(rows), func(r *views.DiffRow) int { return v.weight(rowCost + htmlCost([]byte(r.Text))) })
}

// paged splits a list into pages. Each has at least one item, and at most the given
// number of items and pageCost. It returns the wanted page and the number of pages.
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

// pairsOf puts removed lines next to the lines that were added in their place.
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
