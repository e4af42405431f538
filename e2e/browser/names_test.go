package browser_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// spoken is a part of a page as a screen reader tells it.
type spoken struct {
	role, name string
	states     []string
	leads      string // a link's address
	depth      int
	node       cdp.BackendNodeID
}

func (s spoken) String() string {
	text := s.role
	if s.name != "" {
		text += fmt.Sprintf(" %q", s.name)
	}
	if len(s.states) > 0 {
		text += " (" + strings.Join(s.states, ", ") + ")"
	}
	return text
}

// speaks are the roles that a screen reader tells. A text is told where it is not a part of
// the name around it.
var speaks = []string{"StaticText", "banner", "navigation", "main", "region", "complementary", "search", "form", "group", "heading", "link", "button", "textbox", "searchbox",
	"combobox", "checkbox", "radio", "list", "listitem", "table", "alert", "status", "dialog", "progressbar", "meter", "article", "img", "DisclosureTriangle", "menu", "menuitem", "tab",
	"tree", "treeitem", "spinbutton", "radiogroup", "term", "definition"}

// spokenStates are the states that it tells, and what they are without being told.
var spokenStates = map[string]string{"checked": "false", "expanded": "", "pressed": "false", "selected": "false", "disabled": "false", "invalid": "false", "required": "false"}

// tree returns what a screen reader tells of the page, in its order.
func (b *tab) tree() []spoken {
	b.t.Helper()
	answer, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		return nil // a navigation; the caller asks again
	}
	by := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range answer.Nodes {
		by[n.NodeID] = n
	}
	var all []spoken
	var walk func(n *accessibility.Node, depth int, around string)
	walk = func(n *accessibility.Node, depth int, around string) {
		if s, is := told(n); is && (s.role != "StaticText" || !strings.Contains(around, s.name)) {
			s.depth = depth
			all = append(all, s)
			depth, around = depth+1, s.name
		}
		for _, id := range n.ChildIDs {
			if child := by[id]; child != nil {
				walk(child, depth, around)
			}
		}
	}
	for _, n := range answer.Nodes {
		if n.ParentID == "" {
			walk(n, 0, "")
		}
	}
	return all
}

// told returns what is told of one node; false: nothing.
func told(n *accessibility.Node) (spoken, bool) {
	s := spoken{role: valueOf(n.Role), name: strings.Join(strings.Fields(valueOf(n.Name)), " "), node: n.BackendDOMNodeID}
	if n.Ignored || !slices.Contains(speaks, s.role) {
		return s, false
	}
	for _, p := range n.Properties {
		if p.Name == "url" {
			s.leads = valueOf(p.Value)
		}
		if usual, is := spokenStates[string(p.Name)]; is && valueOf(p.Value) != usual {
			s.states = append(s.states, string(p.Name)+" "+valueOf(p.Value))
		}
	}
	slices.Sort(s.states)
	return s, true
}

func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text any
	if json.Unmarshal(v.Value, &text) != nil || text == nil {
		return ""
	}
	return fmt.Sprint(text)
}

// stranger uses a page by what a screen reader tells, and counts what that takes.
type stranger struct {
	*tab
	clicks, texts, tabs int
}

// find waits for the only part of the page with this role whose name begins like this.
// Links with one name that lead to one place are one.
func (s *stranger) find(role, name string) spoken {
	s.t.Helper()
	var found []spoken
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(pollEvery) {
		found = slices.DeleteFunc(s.tree(), func(p spoken) bool { return p.role != role || !strings.HasPrefix(p.name, name) })
		for _, some := range [][]spoken{slices.DeleteFunc(slices.Clone(found), func(p spoken) bool { return p.name != name }), found} {
			places := slices.CompactFunc(some, func(a, b spoken) bool { return a.name == b.name && a.leads == b.leads && a.leads != "" })
			if len(places) == 1 {
				return places[0]
			}
		}
	}
	var there []string
	for _, p := range s.tree() {
		if p.role == role {
			there = append(there, p.String())
		}
	}
	s.shot("stranger-" + name)
	s.t.Fatalf("%d are a %s %q; the page has\n%s", len(found), role, name, strings.Join(there, "\n"))
	return spoken{}
}

// press clicks on it with the mouse, once it stands still.
func (s *stranger) press(role, name string) {
	s.t.Helper()
	s.clicks++
	var before dom.Quad
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(pollEvery) {
		part := s.find(role, name)
		if _, err := chromedp.Call(s.ctx, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: part.node}); err != nil {
			continue
		}
		at, err := chromedp.Call(s.ctx, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: part.node})
		if err != nil || len(at.Quads) == 0 || !slices.Equal(at.Quads[0], before) {
			if err == nil && len(at.Quads) > 0 {
				before = at.Quads[0]
			}
			continue
		}
		q := at.Quads[0]
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			if _, err := chromedp.Call(s.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: (q[0] + q[4]) / 2, Y: (q[1] + q[5]) / 2,
				Button: input.MouseButtonLeft, ClickCount: 1}); err != nil {
				s.t.Fatal(err)
			}
		}
		return
	}
	s.t.Fatalf("the %s %q never stands still", role, name)
}

// write types a text where the focus is; the field there must be called this.
func (s *stranger) write(name, text string) {
	s.t.Helper()
	s.texts++
	s.focused(name)
	s.do(chromedp.KeyEvent(text))
}

// focused waits until the field with this name has the focus.
func (s *stranger) focused(name string) {
	s.t.Helper()
	s.until(fmt.Sprintf(`[...(document.activeElement?.labels ?? [])].some((l) => l.innerText.trim().startsWith(%[1]q)) ||
		document.activeElement?.getAttribute('aria-label')?.startsWith(%[1]q) || document.activeElement?.textContent.trim().startsWith(%[1]q)`, name))
}

// tabTo presses the tabulator until the field with this name has the focus.
func (s *stranger) tabTo(name string, most int) {
	s.t.Helper()
	for range most {
		s.tabs++
		s.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](s.tab, fmt.Sprintf(`[...(document.activeElement?.labels ?? [])].some((l) => l.innerText.trim().startsWith(%[1]q)) || document.activeElement?.textContent.trim().startsWith(%[1]q)`, name)) {
			return
		}
	}
	s.t.Fatalf("%q is more than %d tabs away; the focus is on %s", name, most, eval[string](s.tab, `document.activeElement?.outerHTML.slice(0, 200)`))
}

// took checks what a path took, and begins to count again.
func (s *stranger) took(path string, clicks, texts, tabs int) {
	s.t.Helper()
	s.t.Logf("%s: %d clicks, %d texts, %d tabs", path, s.clicks, s.texts, s.tabs)
	if s.clicks > clicks || s.texts > texts || s.tabs > tabs {
		s.t.Errorf("%s: %d clicks, %d texts, %d tabs; at most %d, %d, %d", path, s.clicks, s.texts, s.tabs, clicks, texts, tabs)
	}
	s.clicks, s.texts, s.tabs = 0, 0, 0
}
