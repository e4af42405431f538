package browser_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateTrees = flag.Bool("trees", false, "write testdata/tree again")

// What a screen reader tells of each page, in every phase and at every gate, of the result,
// the tabs of a step and the form of a new quest, is kept as a text: a change of names,
// headings or states shows in it. After a wanted change:
//
//	go test ./e2e/browser -run TestWhatAScreenReaderTells -trees
func TestWhatAScreenReaderTellsOfEachPhase(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	for _, page := range append(everyPhase(s), namedPage{"new-quest", "/quests/new"}) {
		b.open(s.url + page.path)
		b.live()
		b.until(`[...document.querySelectorAll('log-view')].every((log) => log.querySelector('.row') || !log.checkVisibility())`)
		eval[any](b, allDrawn)
		var text strings.Builder
		log := -1 // how deep the log is that we are in: what it shows depends on when it was drawn
		parts := b.tree()
		if beside := slices.IndexFunc(parts, func(p spoken) bool { return p.role == "complementary" }); beside > 0 && strings.HasPrefix(page.name, "step-") {
			parts = parts[beside:] // the board beside it is told with the first tab
		}
		for _, part := range parts {
			if log >= 0 && part.depth > log {
				continue
			}
			if log = -1; part.role == "region" && strings.HasPrefix(part.name, "Output of ") {
				log = part.depth
			}
			part.role = strings.Replace(part.role, "StaticText", "text", 1)
			text.WriteString(strings.Repeat("  ", part.depth) + part.String() + "\n")
		}
		quest, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(strings.TrimPrefix(page.path, "/quests/"), "/questions/"), "/"), "/")
		quest, _, _ = strings.Cut(strings.TrimSuffix(quest, "-q1"), "?")
		if quest == "new" { // a word of many texts, and no quest
			quest = "\x00"
		}
		told := unsteady.ReplaceAllString(strings.ReplaceAll(text.String(), quest, "QUEST"), "TIME")
		golden := filepath.Join("testdata", "tree", page.name+".txt")
		if *updateTrees {
			if err := os.WriteFile(golden, []byte(told), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if line, now, was := firstDifference(told, string(want)); now != was {
			t.Errorf("%s, line %d: a screen reader tells %q, and told %q: if that is wanted, run this test with -trees", page.name, line, now, was)
		}
	}
}

// allDrawn makes the browser draw what is out of the window, too. When it does that by itself
// differs from run to run.
const allDrawn = `(() => {
	const rule = new CSSStyleSheet();
	rule.replaceSync('* { content-visibility: visible !important }');
	document.adoptedStyleSheets = [rule];
	return document.body.offsetHeight;
})()`

// unsteady are texts that differ from run to run: how long ago, when, how long.
var unsteady = regexp.MustCompile(`(\d+ ?(ms|s|m|min|minutes?|h|hours?|d|days?)\b ?)+(ago)?|\b\d{1,2}:\d{2}(:\d{2})?( ?(AM|PM))?( UTC)?|\b[A-Z][a-z]+day, \d+ [A-Z][a-z]+ \d{4}`)

// firstDifference returns the first line in which two texts differ.
func firstDifference(a, b string) (line int, now, was string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for n := range max(len(as), len(bs)) {
		now, was = "", ""
		if n < len(as) {
			now = as[n]
		}
		if n < len(bs) {
			was = bs[n]
		}
		if now != was {
			return n + 1, now, was
		}
	}
	return 0, "", ""
}
