package browser_test

import (
	"fmt"
	"strings"
	"testing"
)

// questTop describes what is above the content of a page of a quest: the way to it, the
// head and the tabs. It leaves out the clocks, which run.
const questTop = `(() => {
	const words = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText.trim().replace(/\s+/g, ' '));
	const head = document.querySelector('#quest-top #quest-head');
	for (const clock of head?.querySelectorAll('time') ?? []) clock.textContent = 'CLOCK';
	return {
		crumbs: words('#quest-top nav[aria-label=Breadcrumb] li'),
		links: [...document.querySelectorAll('#crumbs a')].map((a) => a.getAttribute('href')),
		head: words('#quest-head :is(h1, .badge, .figures, .actions > :is(a, form))').join(' | '),
		heads: document.querySelectorAll('h1').length,
		tabs: words('#quest-tabs a').join(' '),
		live: document.querySelector('#quest-top [data-topic^="head/"]') !== null,
	};
})()`

type topOfPage struct {
	Crumbs, Links []string
	Head, Tabs    string
	Heads         int
	Live          bool
}

// Every page of a quest has the same head and the same tabs, and the way back to the quest.
// It walks over the routes, so a new page has them too.
func TestEveryPageOfAQuestHasTheSameTop(t *testing.T) {
	t.Parallel()
	s, b, pages := newSweep(t)
	first := map[string]topOfPage{} // by quest, and whether a guest looks
	for _, page := range pages {
		guest := strings.HasPrefix(page.route, "/s/")
		if page.route == "/quests/new/repository" || !guest && !strings.Contains(page.route, ":quest") && !strings.Contains(page.route, ":run") {
			continue
		}
		b.open(s.url + page.path)
		top := eval[topOfPage](b, questTop)
		if top.Heads != 1 || !top.Live {
			t.Errorf("%s: %d headings, live %v", page.path, top.Heads, top.Live)
		}
		home := "/quests"
		if guest {
			home = top.Links[0]
		}
		if len(top.Links) == 0 || top.Links[0] != home || len(top.Crumbs) > len(top.Links)+1 {
			t.Errorf("%s: the way is %v, %v", page.path, top.Crumbs, top.Links)
		}
		if strings.Contains(page.route, "/:step/") || strings.Contains(page.route, ":line") || strings.Contains(page.route, "questions/") {
			if len(top.Crumbs) < 3 || !strings.Contains(strings.Join(top.Links, " "), "/steps/") && !strings.Contains(page.route, "/:step/") {
				t.Errorf("%s: the way does not lead over the step: %v, %v", page.path, top.Crumbs, top.Links)
			}
		}
		quest := fmt.Sprint(guest, strings.Join(top.Links[:min(2, len(top.Links))], " "))
		if guest {
			quest = "guest"
		}
		before, known := first[quest]
		if !known {
			first[quest] = top
			if guest != (top.Tabs == "") || guest == strings.Contains(top.Head, "Share") {
				t.Errorf("%s: %+v", page.path, top)
			}
			continue
		}
		if top.Head != before.Head || top.Tabs != before.Tabs {
			t.Errorf("%s: %q, %q, and another page has %q, %q", page.path, top.Head, top.Tabs, before.Head, before.Tabs)
		}
	}
	if len(first) < 5 {
		t.Errorf("only %d quests", len(first))
	}
}

// The top of a page is at most 124 px high on a laptop, and its tabs never shrink. What
// does not fit scrolls, and a shadow says so. On a phone the menu has the facts for which
// there is no room.
func TestTheTopOfAQuestFitsEveryWindow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	b := newTab(t)
	b.open(s.login)
	q := "/quests/" + s.busy.Quest
	for _, path := range []string{q, q + "/graph", q + "/diff", q + "/history", q + "/runs", q + "/settings", q + "/kept", q + "/steps/form", "/quests/" + s.gated.Quest + "/gates/plan"} {
		b.size(1440, 900)
		b.open(s.url + path)
		for _, screen := range screens {
			b.size(screen[0], screen[1])
			what := fmt.Sprintf("%s at %dx%d", path, screen[0], screen[1])
			if screen[0] == 1440 {
				if high := eval[float64](b, `document.getElementById('quest-top').getBoundingClientRect().height`); high > 124 {
					t.Errorf("%s: the top is %.1f px high", what, high)
				}
			}
			if wrong := eval[string](b, `(() => {
				const faults = [];
				for (const bar of document.querySelectorAll('#quest-top .tabs')) {
					if (!bar.checkVisibility()) continue;
					const wanted = innerWidth > 760 ? 34 : 44;
					for (const a of bar.children) if (a.getBoundingClientRect().height < wanted) faults.push(a.textContent + ' is low');
					if (bar.scrollWidth > bar.clientWidth && !getComputedStyle(bar).backgroundImage.includes('gradient')) faults.push('nothing says that it scrolls');
				}
				return faults.join('; ');
			})()`); wrong != "" {
				t.Errorf("%s: %s", what, wrong)
			}
		}
	}
	b.size(390, 844)
	b.open(s.url + q)
	b.click("#quest-menu-button")
	b.until(`['Size', 'Cost', 'Repository'].every((fact) => [...document.querySelectorAll('#quest-menu dt')].some((dt) => dt.checkVisibility() && dt.textContent === fact))`)
}

// The way to the page follows the step that is opened and closed beside the board.
func TestTheWayFollowsTheOpenStep(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + s.busy.Quest)
	b.live()
	const last = `document.querySelector('#crumbs li:last-child').textContent.trim()`
	b.click("#link-form")
	b.until(last + ` === 'Login form' && document.querySelectorAll('#crumbs li').length === 3`)
	b.click("#panel a[data-close]")
	b.until(`document.querySelectorAll('#crumbs li').length === 2`)
	b.open(s.url + "/quests/" + s.busy.Quest + "/steps/form")
	b.until(last + ` === 'Login form' && document.querySelectorAll('#crumbs li').length === 3`)
}
