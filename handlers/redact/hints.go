package redact

// hints tells which of many words a text holds, in one pass over it and
// whatever the case of its letters (Aho and Corasick). Most texts hold none,
// and nothing else looks at them.
type hints struct {
	class   [256]uint8 // the signs that are in no word are of class 0
	classes int
	next    []uint16 // by state and class
	says    []uint64 // by state: the bits of the words that end there
}

// hint is a word, in small letters, and the bits that it stands for.
type hint struct {
	word string
	bits uint64
}

// small is a word in small letters; other signs are as they were, as in texts.
func small(s string) string {
	letters := []byte(s)
	for i, c := range letters {
		if isUpper(c) {
			letters[i] = c + 'a' - 'A'
		}
	}
	return string(letters)
}

func newHints(words []hint) *hints {
	h := &hints{classes: 1}
	for _, w := range words {
		for i := range len(w.word) {
			if c := w.word[i]; h.class[c] == 0 {
				h.class[c] = uint8(h.classes) //nolint:gosec // there are no more than 256 signs, less the capitals
				h.classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		h.class[c] = h.class[c+'a'-'A']
	}
	h.state()
	for _, w := range words {
		at := 0
		for i := range len(w.word) {
			edge := at*h.classes + int(h.class[w.word[i]])
			if h.next[edge] == 0 {
				added := h.state() // may move h.next
				h.next[edge] = added
			}
			at = int(h.next[edge])
		}
		h.says[at] |= w.bits
	}
	h.link()
	return h
}

// state adds one, from which nothing leads anywhere.
func (h *hints) state() uint16 {
	h.next = append(h.next, make([]uint16, h.classes)...)
	h.says = append(h.says, 0)
	return uint16(len(h.says) - 1) //nolint:gosec // a few thousand: the words are ours, and so many values
}

// link leads every sign that does not go on with a word to the longest
// beginning of another that was just read.
func (h *hints) link() {
	back := make([]uint16, len(h.says))
	queue := []uint16{0}
	for len(queue) > 0 {
		at := int(queue[0])
		queue = queue[1:]
		for c := range h.classes {
			fallen := h.next[int(back[at])*h.classes+c]
			to := &h.next[at*h.classes+c]
			switch {
			case *to == 0:
				*to = fallen
			default:
				if at != 0 {
					back[*to] = fallen
				}
				h.says[*to] |= h.says[back[*to]]
				queue = append(queue, *to)
			}
		}
	}
}

// in returns the bits of all words that the text holds.
func (h *hints) in(s string) uint64 {
	var bits uint64
	at := 0
	for i := range len(s) {
		at = int(h.next[at*h.classes+int(h.class[s[i]])])
		bits |= h.says[at]
	}
	return bits
}
