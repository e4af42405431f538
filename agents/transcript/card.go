package transcript

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"questboard/agents"
)

// maxCard is the length of a card's line, in characters.
const maxCard = 120

// cardTargets names the input that says what a tool works on, the first one
// present being shown.
var cardTargets = []string{
	"signal", "command", "file_path", "notebook_path", "pattern", "description", "url", "query", "path",
}

// sureTargets is how many of them say at once that none better will follow.
const sureTargets = 3

// cardTool is the card's line for a tool call: "Bash go test ./...".
func cardTool(name string, input gjson.Result) string {
	name = strings.TrimPrefix(name, "mcp__"+agents.MCPServer+"__")
	best, target := len(cardTargets), ""
	input.ForEach(func(key, value gjson.Result) bool {
		rank := slices.Index(cardTargets, key.Str)
		if rank >= 0 && rank < best && value.Type == gjson.String && value.Str != "" {
			best, target = rank, value.Str
		}
		return best >= sureTargets // a file's whole text may follow
	})
	return shorten(name + " " + target)
}

// cardText is the card's line for what the agent said: its first line.
func cardText(text string) string { return shorten(strings.TrimSpace(text)) }

// shorten makes one line of at most maxCard characters that is safe to show:
// no control characters, no bidirectional overrides, valid UTF-8.
func shorten(text string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range text {
		if r == '\n' && b.Len() > 0 {
			break
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = b.Len() > 0
			continue
		}
		if unicode.Is(unicode.Cf, r) && r != '\u200d' {
			continue
		}
		if gap {
			b.WriteByte(' ')
			n, gap = n+1, false
		}
		if n >= maxCard-1 {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
