package agents

import (
	"slices"
	"unicode/utf8"

	"questboard/orchestration"
)

// decisionsMost is the most characters that a prompt says about decisions of people,
// decisionFrame what it says about one beside its quoted texts, and decisionAbout the most
// that it quotes of the question.
const (
	decisionsMost = 6_000
	decisionsHead = 400
	decisionFrame = 200
	decisionAbout = 600
)

// decisionsFor returns the newest decisions, the newest last, and how many older ones do
// not fit. If not even the newest fits, it is cut.
func decisionsFor(q *orchestration.Quest, r *orchestration.Run) (told []orchestration.Decision, more int) {
	all := q.DecisionsBeside(r)
	room := decisionsMost - decisionsHead
	for n, d := range slices.Backward(all) {
		d.About = clipped(d.About, decisionAbout)
		if left := room - decisionSize(d); left >= 0 {
			told, room = append(told, d), left
			continue
		}
		if more = n + 1; len(told) == 0 {
			d.Observables = d.Observables[:min(len(d.Observables), 10)]
			for keep := utf8.RuneCountInString(d.Text); decisionSize(d) > room && keep > 0; keep /= 2 {
				d.Text = clipped(d.Text, keep/2)
			}
			told, more = append(told, d), n
		}
		break
	}
	slices.Reverse(told)
	return told, more
}

func decisionSize(d orchestration.Decision) int {
	return decisionFrame + utf8.RuneCountInString(fence(d.About)+fence(d.Text)+some(d.Observables))
}

// clipped returns the first characters of a text. A mark says that there is more.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "\n[cut here]"
	}
	return text
}
