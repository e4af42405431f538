package diffview

import (
	"slices"
	"strings"

	"questboard/views"
)

// wordsMost bounds what is compared word by word: the table of a comparison has
// the square of it.
const wordsMost = 800

// Words says by words how old became new.
func Words(old, new string) []views.DiffWord {
	a, b := strings.Fields(old), strings.Fields(new)
	if len(a) > wordsMost || len(b) > wordsMost {
		return joinWords(removed(a), added(b))
	}
	// common[i][j] is how many words a[i:] and b[j:] have in common, in order.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var words []views.DiffWord
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			words = append(words, views.DiffWord{Text: views.Visible(a[i])})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			words = append(words, removed(a[i:i+1])...)
			i++
		default:
			words = append(words, added(b[j:j+1])...)
			j++
		}
	}
	return joinWords(words, removed(a[i:]), added(b[j:]))
}

func removed(words []string) []views.DiffWord { return marked(words, "del") }
func added(words []string) []views.DiffWord   { return marked(words, "ins") }

func marked(words []string, op string) []views.DiffWord {
	if len(words) == 0 {
		return nil
	}
	return []views.DiffWord{{Text: views.Visible(strings.Join(words, " ")), Op: op}}
}

// joinWords makes one piece of neighbours that fared the same.
func joinWords(lists ...[]views.DiffWord) []views.DiffWord {
	var joined []views.DiffWord
	for _, w := range slices.Concat(lists...) {
		if n := len(joined); n > 0 && joined[n-1].Op == w.Op {
			joined[n-1].Text += " " + w.Text
			continue
		}
		joined = append(joined, w)
	}
	return joined
}
