package orchestration

import (
	"strconv"
	"strings"
)

// The core makes the ids, not the database: a run is <quest>-r<n>, a question
// <quest>-q<n>. So Apply needs no randomness, and each id names its quest.

func runID(quest string, n int) string      { return quest + "-r" + strconv.Itoa(n) }
func questionID(quest string, n int) string { return quest + "-q" + strconv.Itoa(n) }

// ordinal returns the number after prefix in id, from 1.
func ordinal(prefix, id string) (int, bool) {
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(rest)
	return n, err == nil && n > 0 && strconv.Itoa(n) == rest
}

// QuestOf returns the id of the quest that a run's or question's id names, or "" if the
// id has another form.
func QuestOf(id string) string {
	i := strings.LastIndexByte(id, '-')
	if i <= 0 || len(id) < i+3 || (id[i+1] != 'r' && id[i+1] != 'q') {
		return ""
	}
	return id[:i]
}
