package agents

import (
	"strconv"
	"strings"
)

// Older reports whether a version such as 2.1.163 is older than another. A pre-release counts as its
// release. It is false for what is no version.
func Older(version, than string) bool {
	a, b := VersionNumbers(version), VersionNumbers(than)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// VersionNumbers returns the numbers of a version; nil: it is none.
func VersionNumbers(version string) []int {
	version, _, _ = strings.Cut(version, "-") // "2.2.0-beta.1"
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
