package views

import "fmt"

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func answerNote(q Question) string {
	return fmt.Sprintf("%s goes on in the next free slot (%d of %d free now).", q.Role, q.FreeSlots, q.Slots)
}
