package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// screens are the windows that people have: laptops, a tablet, a phone.
var screens = [][2]int64{{1440, 900}, {1440, 800}, {1280, 720}, {1024, 768}, {390, 844}}

// In every phase and at every gate, the tabs and the phases keep their height, are in
// the window and accept a click, however long the log below them is. Every part of the
// page can be reached. axe finds nothing.
func TestTabsAndPhasesKeepTheirHeightInEveryPhase(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	pages := everyPhase(s)
	b := newTab(t)
	b.open(s.login)
	for _, page := range pages {
		b.size(1440, 900)
		b.open(s.url + page.path)
		b.live()
		b.fits(page.name, screens)
		if !strings.Contains(page.path, "/steps/") { // of a step, TestEveryPageIsAccessible looks at every page
			b.auditLooks("phase-" + page.name)
		}
	}
	eval[any](b, `void document.querySelector('.tabs').style.setProperty('height', '1px')`)
	if eval[string](b, squashed) == "" {
		t.Error("tabs of one pixel are not seen")
	}
}

// Every page that a quest has, in every phase: nothing reaches over the edge, and no word
// is broken, in any window. `make soak` loads each of them, and lets axe look at it.
func TestEveryPageOfEveryPhaseFitsEveryWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	widths := slices.CompactFunc(slices.Clone(screens), func(a, b [2]int64) bool { return a[0] == b[0] })
	seen := map[string]bool{}
	for _, page := range everyPhase(s) {
		quest, _, _ := strings.Cut(strings.TrimPrefix(page.path, "/quests/"), "/")
		if seen[quest] || strings.HasPrefix(page.path, "/questions/") {
			continue
		}
		seen[quest] = true
		b.theme([]string{"light", "dark"}[len(seen)%2])
		b.open(s.url + page.path)
		for _, path := range s.questPages(quest) {
			of := page.name + strings.ReplaceAll(strings.TrimPrefix(path, "/quests/"+quest), "/", "-")
			if os.Getenv("QUESTBOARD_LOOKS") == "all" {
				b.size(1440, 900)
				b.open(s.url + path)
				b.auditLooks(of)
			} else {
				b.exchange(path)
			}
			b.fits(of, widths)
		}
	}
	if len(seen) < 7 {
		t.Errorf("only %d phases", len(seen))
	}
	b.exchange("/quests")
	if h1 := eval[string](b, `document.querySelector('h1').textContent`); h1 != "Quests" {
		t.Errorf("a page that was put in is headed %q", h1)
	}
}

// exchange puts the content of another page into the page that is open, which has the same
// styles. To load that page takes five times as long.
func (b *tab) exchange(path string) {
	b.t.Helper()
	put := fmt.Sprintf(`new Promise((done) => {
		const page = Object.assign(new XMLHttpRequest(), { onload: () => {
			document.body.replaceWith(document.adoptNode(page.response.body));
			for (const { name, value } of page.response.documentElement.attributes) document.documentElement.setAttribute(name, value);
			scrollTo(0, 0);
			done();
		} });
		page.open('GET', %q);
		page.responseType = 'document';
		page.send();
	})`, path)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](put, chromedp.EvalAwaitPromise)); err != nil {
		b.t.Fatal(err)
	}
}

// questPages returns the paths of all pages of a quest, as the routes name them, with its
// first step. Before there is a plan that is the step in which the requirements are written.
func (s *site) questPages(quest string) []string {
	step := orchestration.StepRequirements
	if q, err := s.engine.Quest(context.Background(), quest); err == nil && q.Steps.Len() > 0 {
		step = q.Steps.At(0).ID
	}
	var paths []string
	for _, route := range s.router.Routes() {
		if route.Method != http.MethodGet || !strings.HasPrefix(route.Path, "/quests/:quest") || otherRoutes[route.Path] != "" {
			continue
		}
		for _, gate := range []string{orchestration.StepRequirements, orchestration.StepPlan} {
			path := strings.NewReplacer(":quest", quest, ":step", step, ":gate", gate).Replace(route.Path)
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// fits fails the test for what does not fit one of these windows.
func (b *tab) fits(page string, windows [][2]int64) {
	b.t.Helper()
	for _, window := range windows {
		b.size(window[0], window[1])
		what := fmt.Sprintf("%s-%dx%d", page, window[0], window[1])
		b.shot("phase-" + what)
		if fault := b.settled(misfit); fault != "" {
			b.t.Errorf("%s: %s", what, fault)
		}
	}
}

// misfit names all faults of the layout.
const misfit = `[` + squashed + `, ` + overTheEdge + `, ` + brokenWords + `].filter(Boolean).join('; ')`

// squashed names tabs and phases that cannot be used, and a log or board that has no
// room or that nobody can scroll to.
const squashed = `(() => {
	const faults = [];
	const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
	for (const bar of shown('.tabs, .strip')) {
		const { left, right, top, bottom, height } = bar.getBoundingClientRect();
		const hit = document.elementFromPoint((Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (top + bottom) / 2);
		if (height < 30 || bar.clientHeight < 30) faults.push(bar.id + ' is ' + height + ' high');
		if (bar.scrollHeight > bar.clientHeight + 1) faults.push(bar.id + ' hides ' + (bar.scrollHeight - bar.clientHeight) + ' px of its height');
		if (top < 0 || bottom > innerHeight) faults.push(bar.id + ' is out of the window: ' + top + ' to ' + bottom);
		if (!hit || !bar.contains(hit)) faults.push(bar.id + ' is covered by ' + hit?.tagName + '.' + hit?.className);
		for (const at of bar.querySelectorAll('a')) {
			const box = at.getBoundingClientRect();
			const middle = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
			if (box.left >= left && box.right <= right && box.right <= innerWidth && !at.contains(middle)) faults.push(at.textContent.trim() + ' takes no click');
		}
	}
	if (shown('.tabs').length === 0 && !location.pathname.startsWith('/questions/') && !document.getElementById('fault')) faults.push('there are no tabs');
	const scrolls = (e) => { for (let up = e.parentElement; up; up = up.parentElement) if (['auto', 'scroll'].includes(getComputedStyle(up).overflowY)) return up; return document.scrollingElement; };
	for (const port of shown('.log-scroll, .board')) {
		const box = port.getBoundingClientRect();
		const around = scrolls(port);
		const last = around === document.scrollingElement ? document.documentElement.scrollHeight - scrollY : around.getBoundingClientRect().top + around.scrollHeight - around.scrollTop;
		if (box.height < 150) faults.push(port.className + ' has ' + box.height + ' px');
		if (box.bottom > last + 1) faults.push(port.className + ' ends ' + (box.bottom - last) + ' px below what can be scrolled to');
	}
	return faults.join('; ');
})()`

// brokenWords names words of ordinary length that stand on two lines. An action of a template,
// such as {{else}}, is a part of a longer word.
const brokenWords = `(() => {
	const broken = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
		node.parentElement.checkVisibility({ visibilityProperty: true }) && !node.parentElement.closest('.unseen, pre, svg, [popover], dialog, .log-rows') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
	const range = document.createRange();
	const tops = () => new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top))).size;
	while (texts.nextNode()) {
		range.selectNodeContents(texts.currentNode);
		if (tops() < 2) continue;
		for (const word of texts.currentNode.data.matchAll(/(?<![\w\/.{-])[A-Za-z]{2,14}(?![\w\/-])/g)) {
			range.setStart(texts.currentNode, word.index);
			range.setEnd(texts.currentNode, word.index + word[0].length);
			if (tops() > 1) broken.add(word[0] + ' in ' + texts.currentNode.parentElement.tagName);
		}
	}
	return [...broken].slice(0, 8).join(', ');
})()`

// everyPhase returns the boards of quests in each phase and at each gate, with the
// texts of their agents, the pages of the gates, and those of a step, a question and the
// result.
func everyPhase(s *site) []namedPage {
	var pages []namedPage
	add := func(name string, party *handlerstest.Party, rest, step string) {
		if step != "" {
			writeLines(s, runOf(s, party, step), 1000)
		}
		pages = append(pages, namedPage{name, "/quests/" + party.Quest + rest})
	}
	submit := func(party *handlerstest.Party, actor string, input orchestration.InputKind) {
		if _, err := s.engine.Submit(context.Background(), party.Quest, actor, input); err != nil {
			panic(err)
		}
	}
	const title = "Show the exchange rate on every invoice that is in another currency"
	written := func(party *handlerstest.Party) {
		run := party.Start(orchestration.StepRequirements)
		submit(party, "chaoswhisperer", orchestration.RequirementsSet{Run: run, Requirements: handlerstest.Requirements})
		party.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "Two requirements."})
	}
	asked := handlerstest.Begin(s.engine, title)
	s.engine.Say(asked.Start(orchestration.StepRequirements), "Read internal/invoice.go")
	add("requirements", asked, "", orchestration.StepRequirements)
	add("requirements-step", asked, "/steps/"+orchestration.StepRequirements, "")

	gate := handlerstest.Begin(s.engine, title)
	written(gate)
	add("requirements-gate", gate, "", orchestration.StepRequirements)
	add("requirements-gate-page", gate, "/gates/"+orchestration.StepRequirements, "")

	planned := handlerstest.Begin(s.engine, title)
	written(planned)
	submit(planned, "user", orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true})
	planned.Start(orchestration.StepPlan)
	add("plan", planned, "", orchestration.StepPlan)

	plan := handlerstest.Begin(s.engine, title)
	plan.ToPlanGate()
	add("plan-gate", plan, "", orchestration.StepPlan)
	add("plan-gate-page", plan, "/gates/"+orchestration.StepPlan, "")

	busy := handlerstest.Busy(s.engine)
	add("steps", busy, "", "form")
	add("step", busy, "/steps/form", "")
	add("step-question", busy, "/steps/cookie", "")
	for _, rest := range []string{"timeline", "signals", "sessions", "cost", "prompt", "raw"} {
		add("step-"+rest, busy, "/steps/store/"+rest, "")
	}
	pages = append(pages, namedPage{"question", "/questions/" + busy.Quest + "-q1"})

	review := handlerstest.Review(s.engine, s.diffs)
	submit(review, "user", orchestration.SkipPressed{Step: "hash", Reason: "not needed"})
	review.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "tested"})
	review.Ward("form", orchestration.EndWardPassed, "passed again")
	submit(review, "server", orchestration.MergeEnded{Step: "form", Outcome: orchestration.MergeMerged, Commit: "c0ffee2"})
	review.Start(orchestration.StepReview)
	add("review", review, "", orchestration.StepReview)
	add("step-diff", review, "/steps/form/diff", "")
	complete := handlerstest.Finished(s.engine, title, "main")
	add("complete", complete, "", "")
	add("result", complete, "/delivery", "")
	delivered := handlerstest.Finished(s.engine, title, "main")
	submit(delivered, "user", orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	add("result-merged", delivered, "/delivery", "")
	return pages
}

// writeLines writes n lines of a conversation.
func writeLines(s *site, run string, n int) {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":"Line of thought number %d"}]}}`, i)
	}
	s.output.Write(run, lines...)
}
