package browser_test

import (
	"fmt"
	"testing"

	"questboard/handlers/handlerstest"
)

// untidy names what stands beside its line: fields and buttons of a search that
// are not of one height, legends that are not above their labels, tabs that begin
// out of sight or do not show that there are more, and signs of the alphabet of
// icons, which some systems do not have.
const untidy = `(() => {
	const faults = [];
	const shown = (of, selector) => [...of.querySelectorAll(selector)].filter((e) => e.checkVisibility());
	for (const form of shown(document, '.filters')) {
		const boxes = shown(form, 'input:not([type=hidden]), select, button, .button').map((e) => [e, e.getBoundingClientRect()]);
		for (const [e, box] of boxes) for (const [, other] of boxes) {
			const beside = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 8;
			if (beside && (Math.abs(box.top - other.top) > 1 || Math.abs(box.bottom - other.bottom) > 1)) faults.push(e.textContent.trim() + ' ' + e.id + ' stands at ' + box.top + ' to ' + box.bottom + ', and not at ' + other.top + ' to ' + other.bottom);
		}
	}
	const range = document.createRange();
	const left = (e) => { range.selectNodeContents(e); return range.getBoundingClientRect().left; };
	for (const legend of shown(document, 'legend')) {
		const off = left(legend) - legend.parentElement.getBoundingClientRect().left;
		if (Math.abs(off) > 0.5) faults.push(legend.textContent.trim() + ' stands ' + off + ' px beside its fields');
	}
	for (const bar of shown(document, '.tabs')) {
		const box = bar.getBoundingClientRect();
		const current = bar.querySelector('[aria-current]')?.getBoundingClientRect();
		if (current && (current.left < box.left - 1 || current.right > box.right + 1)) faults.push(bar.id + ': the tab that is shown is out of sight');
		if (bar.scrollWidth > bar.clientWidth + 1 && !getComputedStyle(bar).backgroundImage.includes('gradient')) faults.push(bar.id + ' does not show that there are more tabs');
	}
	for (const sign of shown(document, '.icon, .mark:not(:has(.icon)), .node-focus:not(:has(.icon))')) {
		if (/[◐◌⤳◎⏸▶↻⎇]/u.test(sign.textContent) && !getComputedStyle(sign).maskImage.includes('svg')) faults.push('a sign of the alphabet: ' + sign.textContent);
	}
	return [...new Set(faults)].slice(0, 5).join('; ');
})()`

// Tabs stay where they are when another one is chosen: those in the navigation, of a
// quest, of a step and of the settings.
func TestTabsStandStill(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	q := "/quests/" + party.Quest
	for bar, paths := range map[string][]string{
		"#top nav":       {"/quests", "/questions", "/slots", "/settings"},
		"#quest-tabs":    {q, q + "/graph", q + "/diff", q + "/history", q + "/runs", q + "/cost", q + "/evidence", q + "/delivery", q + "/settings", q + "/kept", q + "/steps/form/diff"},
		"#step-tabs":     {q + "/steps/form", q + "/steps/form/timeline", q + "/steps/form/signals", q + "/steps/form/sessions", q + "/steps/form/cost"},
		"#settings-tabs": {"/settings", "/settings/roles", "/settings/limits", "/doctor", "/audit"},
	} {
		first := ""
		for _, path := range paths {
			b.open(s.url + path)
			at := eval[string](b, fmt.Sprintf(`(() => {
				const from = document.querySelector(%q).getBoundingClientRect().left;
				return [...document.querySelectorAll(%q)].map((a) => a.textContent.trim().split(/\s/)[0] + ' ' + Math.round(10 * (a.getBoundingClientRect().left - from))).join(', ');
			})()`, bar, bar+" a"))
			if first == "" {
				first = at
			}
			if at != first {
				t.Errorf("%s: %s stands at %s, and before at %s", path, bar, at, first)
			}
		}
	}
}

// On a phone the navigation is one row, with a number at what waits.
func TestTheNavigationIsOneRowOnAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(390, 844)
	b.open(s.login)
	b.open(s.url + "/quests")
	b.live()
	const rows = `new Set([...document.querySelectorAll('#top nav a')].map((a) => a.offsetTop)).size`
	if got := eval[int](b, rows); got != 1 {
		t.Errorf("the navigation has %d rows", got)
	}
	if eval[bool](b, `(() => { const nav = document.querySelector('#top nav'); return nav.scrollWidth > nav.clientWidth; })()`) {
		t.Error("the navigation is wider than the window")
	}
}
