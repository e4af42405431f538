package transcript

import (
	"regexp"
	"time"
)

// Agents that tell no time of their own write in words when a limit ends. The words are those of
// the program or of its service, in a fault, and never those of a model.
var (
	// Codex: "try again at 2:13 PM", or "at Sep 21st, 2026 2:13 PM" on another day, as its
	// machine's clock shows it.
	resetAt = regexp.MustCompile(`try again at (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d{2} [AP]M)\b`)
	// Gemini: "Suggested retry after 11520s", "Your quota will reset after 3h12m5s".
	resetAfter = regexp.MustCompile(`(?:retry|reset) after (\d+h)?(\d+m)?(\d+(?:\.\d+)?s)?`)
)

// resetInWords returns when a limit ends, by what a program wrote at a time in its own zone; zero: it
// told no time that is to come.
func resetInWords(text string, now time.Time) time.Time {
	if now.IsZero() {
		return time.Time{}
	}
	if m := resetAfter.FindStringSubmatch(text); m != nil {
		if left, err := time.ParseDuration(m[1] + m[2] + m[3]); err == nil && left > 0 {
			return now.Add(left).UTC()
		}
	}
	m := resetAt.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	day, year := m[1], m[2]
	if day == "" {
		day, year = now.Format("Jan 2"), now.Format("2006")
	}
	at, err := time.ParseInLocation("Jan 2, 2006 3:04 PM", day+", "+year+" "+m[3], now.Location())
	if err != nil || !at.After(now) {
		return time.Time{}
	}
	return at.UTC()
}
