package orchestration

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TitleMost is the most characters of a title that ChaosWhisperer gives to a quest. It
// becomes the subject of commits and of the pull request.
const TitleMost = 60

// checkTitle says what is wrong with a title of ChaosWhisperer; "": nothing, or there is
// none.
func checkTitle(title *string) string {
	if title == nil {
		return ""
	}
	t := strings.TrimSpace(*title)
	switch n := utf8.RuneCountInString(t); {
	case t == "":
		return "is empty: say in a few words what is to be done, or leave it out"
	case n > TitleMost:
		return fmt.Sprintf("has %d characters, and %d are the most: say it shorter", n, TitleMost)
	case !utf8.ValidString(t):
		return "is not UTF-8: write it in plain characters"
	case strings.ContainsFunc(t, unseen):
		return "has a line break or a character that nobody sees: write one line in plain characters"
	}
	return ""
}

// unseen reports whether a character changes how the others are shown, or is not shown.
// Such a title would look different on the board, in git and in a terminal.
func unseen(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' '
}

// entitle gives the quest the title of ChaosWhisperer, unless the user gave one. It
// returns the new title; "": it stays as it is.
func (e *edit) entitle(title *string) string {
	if title == nil || !e.q.Untitled {
		return ""
	}
	t := strings.TrimSpace(*title)
	if e.q.Title == t {
		return ""
	}
	e.q.Title, e.touched = t, true
	return t
}
