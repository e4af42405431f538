package claude

import (
	"regexp"
	"strconv"
	"unicode/utf16"
)

// longestProject is the longest name of a project's folder that the CLI does not cut.
const longestProject = 200

var noProjectLetter = regexp.MustCompile(`[^a-zA-Z0-9]`)

// projectFolder returns the folder below ~/.claude/projects where the CLI stores the
// conversations of a working directory (seen in 2.1.163 and 2.1.329).
func projectFolder(dir string) string {
	// The CLI counts like JavaScript, in UTF-16 units.
	units := utf16.Encode([]rune(dir))
	plain := make([]rune, len(units))
	var sum int32
	for i, u := range units {
		plain[i] = rune(u)
		sum = sum<<5 - sum + int32(u)
	}
	name := noProjectLetter.ReplaceAllString(string(plain), "-")
	if len(name) <= longestProject {
		return name
	}
	return name[:longestProject] + "-" + strconv.FormatInt(abs(int64(sum)), 36)
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
