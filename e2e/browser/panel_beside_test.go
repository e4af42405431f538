package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
)

// A step opens beside the page on which somebody meets it. The page stays, also after a
// lost connection, and Escape gives it back with the focus on the link.
func TestAStepOpensBesideEveryTabOfItsQuest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	quest := s.url + "/quests/" + party.Quest
	const links = `[...document.querySelectorAll('main a[href]')].filter((a) => a.getAttribute('href').endsWith('/steps/form'))`
	for _, tab := range []string{"/graph", "/history", "/evidence"} {
		b.size(1440, 900)
		b.open(quest + tab)
		b.live()
		if eval[int](b, links+`.length`) == 0 {
			t.Errorf("%s has no link to the step", tab)
			continue
		}
		heading := eval[string](b, `document.querySelector('main h1, main h2, main th').textContent`)
		b.until(links + `[0].focus() || ` + links + `[0].click() || true`)
		b.until(`document.querySelector('#panel h2')?.textContent && location.pathname.endsWith('/steps/form') && document.activeElement === document.querySelector('#panel h2')`)
		const twice = `[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i).join(' ')`
		if ids := eval[string](b, twice); ids != "" {
			t.Errorf("%s: ids stand twice: %s", tab, ids)
		}
		if covered := eval[bool](b, `document.querySelector('main').getBoundingClientRect().right > document.getElementById('panel').getBoundingClientRect().left + 1`); covered {
			t.Errorf("%s: the panel covers the page", tab)
		}
		b.auditLooks("panel-beside" + tab[1:])
		// What was missed is read again, of the page and of the panel.
		b.until(`document.querySelector('#panel h2').textContent = 'old'`)
		b.until(`document.dispatchEvent(new CustomEvent('live:reread'))`)
		b.until(`!document.getElementById('board') && document.querySelector('main h1, main h2, main th').textContent === ` + "`" + heading + "`")
		b.until(`document.querySelector('#panel h2')?.textContent === 'Login form'`)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.until(`!document.querySelector('#panel h2') && location.pathname.endsWith('` + tab + `') && document.activeElement?.getAttribute('href')?.endsWith('/steps/form')`)
	}
	b.size(390, 844)
	b.open(quest + "/graph")
	b.live()
	b.until(links + `[0].click() || true`)
	b.until(`document.getElementById('panel').offsetWidth >= 388 && document.querySelector('#panel a[data-close]')?.offsetWidth > 0`)
}
