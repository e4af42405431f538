package redact

// hints finds which of many words a text contains, in one pass and in any case (the
// Aho-Corasick algorithm). Most texts contain none, and then no other rule looks at them.
type hints struct {
	class   [256]uint8 // class 0 is for characters that are in no word
	classes int
	next    []uint16 // by state and class
	says    []uint64 // by state: the bits of the words that end there
}

// hint is a word in lower case, and the bits that it sets.
type hint struct {
	word string
	bits uint64
}

// small is s with its ASCII letters in lower case.
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
				h.class[c] = uint8(h.classes) //nolint:gosec // at most 256 characters, without the capitals
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

// state adds a state without successors.
func (h *hints) state() uint16 {
	h.next = append(h.next, make([]uint16, h.classes)...)
	h.says = append(h.says, 0)
	return uint16(len(h.says) - 1) //nolint:gosec // a few thousand: the words are fixed, and the number of values is limited
}

// link completes the transitions: a character that does not continue a word leads to the
// longest beginning of another word that the text ends with.
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

// in returns the bits of all words in s.
func (h *hints) in(s string) uint64 {
	var bits uint64
	at := 0
	for i := range len(s) {
		at = int(h.next[at*h.classes+int(h.class[s[i]])])
		bits |= h.says[at]
	}
	return bits
}
