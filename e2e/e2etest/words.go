package e2etest

import (
	"fmt"
	"regexp"
	"strings"
)

// unplain are words that texts for people do not use, each with a better one.
// Most of them are German in English words, or English of another century.
// Words that are right somewhere in this repository are not in the list.
var unplain = map[string]string{
	// what documents, pages and comments once said
	"shall": "should, must or will", "anew": "again", "whoever": "anyone who", "whomever": "anyone whom",
	"how-manieth": "number", "litters": "leaves files behind", "amid": "during", "upon": "on", "ought": "should",
	"so often": "that many times", "also if": "even if", "also where": "even if", "also when": "even when",
	"for want of": "because there is no", "for ever": "forever", "one's own": "your own", "likewise": "also",
	"line of work": "step", "lines of work": "steps", "rooms": "packages", "is no error": "is not an error",
	"turn has not come": "not started yet", "good and green": "queued to merge", "is to begin": "is queued", "got a slot": "slot assigned",
	"wait for your decision": "are blocked", "things wait for you": "need you", "the same as a list": "list", "the same as a table": "table",
	"no quest fits": "no matches", "who was at work": "timeline", "as the system is": "system", "as built in": "default",
	"look and trust": "review and trust", "message of the commit": "commit message", "take it as a file": "download patch",
	"has arrived in": "is merged into", "written to the cache": "cache writes", "by what lies": "detected", "ended signalled": "done",
	"stands right of": "comes after", "tied to": "depends on",
	// their relatives
	"hence": "so", "thus": "so", "thereby": "so", "therein": "in it", "thereof": "of it", "thereto": "to it",
	"therewith": "with it", "thereupon": "then", "whereupon": "then", "whereby": "by which", "wherein": "in which",
	"whence": "from where", "herein": "here", "hereby": "with this", "hereupon": "then", "henceforth": "from now on",
	"heretofore": "before", "hitherto": "so far", "albeit": "although", "whilst": "while", "amidst": "during",
	"lest": "so that … not", "unto": "to", "ere": "before", "forthwith": "at once", "thrice": "three times",
}

var unplainWord = func() *regexp.Regexp {
	var words []string
	for word := range unplain {
		words = append(words, strings.ReplaceAll(regexp.QuoteMeta(word), " ", `\s+`))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
}()

// Unplain finds the words that a text for people does not use, even if a
// phrase continues on the next line. Each finding is "LINE: word (better: …)",
// with lines counted from 1.
func Unplain(text string) []string {
	var found []string
	for _, at := range unplainWord.FindAllStringIndex(text, -1) {
		word := strings.ToLower(strings.Join(strings.Fields(text[at[0]:at[1]]), " "))
		found = append(found, fmt.Sprintf("%d: %q (better: %s)", 1+strings.Count(text[:at[0]], "\n"), word, unplain[word]))
	}
	return found
}
