package browser_test

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe-core/axe.min.js
var axe string

// violation is what axe-core found.
type violation struct {
	ID    string   `json:"id"`
	Nodes []string `json:"nodes"`
}

// rules are those of WCAG 2.2 A and AA.
const rules = `['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']`

// audit runs axe-core.
func (b *tab) audit() []violation {
	b.t.Helper()
	if eval[bool](b, "typeof axe === 'undefined'") {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](axe+";undefined")); err != nil {
			b.t.Fatal(err)
		}
	}
	// An element that is scrolled halfway behind a sticky bar does not count as a
	// target that is too small.
	b.unstuck(true)
	defer b.unstuck(false)
	// Load nothing from elsewhere, and do not look for frames, because there are none.
	run := `axe.run(document, {runOnly: ` + rules + `, resultTypes: ['violations'], preload: false, iframes: false}).then(r => JSON.stringify(
		r.violations.map(v => ({id: v.id, nodes: v.nodes.map(n => n.target.join(' ') + ': ' + n.failureSummary)}))))`
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	var found []violation
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		b.t.Fatal(err)
	}
	return found
}

// unstuck makes sticky bars stay at their place in the page, or makes them sticky again.
func (b *tab) unstuck(on bool) {
	b.t.Helper()
	position := ""
	if on {
		position = "static"
	}
	eval[any](b, `void document.querySelectorAll('#top, #comment-bar, .file-head').forEach((bar) => { bar.style.position = '`+position+`'; })`)
}

// accessible fails the test for everything that axe-core finds.
func (b *tab) accessible(what string) {
	b.t.Helper()
	for _, v := range b.audit() {
		b.t.Errorf("%s: %s\n%s", what, v.ID, strings.Join(v.Nodes, "\n"))
	}
}

func TestVendoredAxeIsUnchanged(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("testdata/axe-core/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(axe))
	if !strings.Contains(string(sums), hex.EncodeToString(sum[:])+"  axe.min.js") {
		t.Error("axe.min.js differs from what was vendored")
	}
}
