package views

import "fmt"

func Count(n int, one, many string) string { return fmt.Sprintf("%d %s", n, pluralOf(n, one, many)) }

// pluralOf returns the word without the number.
func pluralOf(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func answerNote(q Question) string {
	slots := "in the next free slot"
	if q.FreeSlots >= 0 {
		slots += fmt.Sprintf(" (%d of %d are free now)", q.FreeSlots, q.Slots)
	}
	switch {
	case q.ReadOnly || q.AskName:
		return fmt.Sprintf("%s continues %s.", q.Role, slots)
	case q.Session == "":
		return fmt.Sprintf("%s left no session to resume: a new one starts with this answer %s.", q.Role, slots)
	default:
		return fmt.Sprintf("%s session %s is resumed %s.", q.Role, clip(q.Session, 7), slots)
	}
}

// clip cuts a text after n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return s
}
