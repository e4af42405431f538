package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// From the first page to a running quest it takes two texts: the request and the
// repository. The check that was found there is filled in, can be run at once, and never
// replaces what the person typed.
func TestAQuestBeginsWithTwoTexts(t *testing.T) {
	t.Parallel()
	p := newProduct(t, greets)
	if err := os.WriteFile(filepath.Join(p.repo, "Makefile"), []byte("test:\n\t@echo tried in $${PWD##*/}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.size(1440, 900)
	b.open(p.login)
	b.click(`main a[href="/quests/new"]`)
	b.until(`document.activeElement?.id === 'request'`)
	b.live()
	b.do(chromedp.KeyEvent("Say hello."))
	b.fill("repo", p.repo)
	b.until(`document.getElementById('ward').value === 'make test' && document.activeElement.id === 'repo'`)
	b.click(`#new-quest button[hx-post$="/trial"]`)
	b.until(`document.getElementById('trial-state').textContent.includes('Green') && document.getElementById('trial-output').textContent.includes('tried in repo')`)
	b.until(`!document.querySelector('form.htmx-request, #new-quest button:disabled')`)
	b.accessible("new quest, tried")
	if kept := eval[string](b, `[document.getElementById('request').value, document.getElementById('ward').value].join()`); kept != "Say hello.,make test" {
		t.Errorf("the form has %q", kept)
	}

	b.fill("ward", "true")
	b.fill("repo", p.repo+"x")
	b.until(`document.querySelector('#repository-choices .note.bad') !== null`)
	if ward := eval[string](b, `document.getElementById('ward').value`); ward != "true" {
		t.Errorf("what was typed became %q", ward)
	}
	b.do(chromedp.KeyEvent(kb.Backspace))
	b.until(`document.querySelector('#repository-choices .note.bad') === null`)
	b.do(chromedp.Focus("#request"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2))) // Ctrl+Enter
	b.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)

	b.open(p.url + "/quests/new")
	b.live()
	b.click(`.recent button`)
	b.until(`document.getElementById('ward').value === 'true'`)
	if repo := eval[string](b, `document.getElementById('repo').value`); repo != p.repo {
		t.Errorf("the recent repository is %q, want %q", repo, p.repo)
	}
}

// A repository is picked from the folders below the home directory.
func TestARepositoryIsPickedFromFolders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.size(390, 844)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.do(chromedp.SendKeys("#request", "Say hello."))
	b.click(`#folders button`)
	b.until(`document.getElementById('folders-title')?.textContent === 'Folders in /home/hero'`)
	b.accessible("folders")
	b.click(`#folders button[name=pick]`)
	b.until(`document.getElementById('ward').value === 'make check'`)
	if kept := eval[string](b, `[document.getElementById('request').value, document.getElementById('repo').value].join()`); kept != "Say hello.,/repo" {
		t.Errorf("the form has %q", kept)
	}
	b.click(`#folders button[name=browse][value="/home"]`)
	b.until(`document.querySelector('#folders [role=alert]')?.textContent.includes('no folder /home')`)
}

// fill types a text into a field, in place of what is in it.
func (b *tab) fill(id, text string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`void (document.getElementById(%q).value = '', document.getElementById(%q).focus())`, id, id))
	b.do(chromedp.KeyEvent(text))
}
