package browser_test

import (
	"net/url"
	"strings"
	"testing"
)

// A login link works once. In a second browser it offers to log in with its token, as
// if the user had pasted the token. Only the browser knows the token, and it stays
// neither in the page nor in the address. "Settings" says what is needed.
func TestTheLoginLinkInASecondBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first, second := newTab(t), newTab(t)
	first.open(s.login)
	second.open(s.login + "&next=" + url.QueryEscape("/settings/browser"))
	second.until(`document.getElementById('use-link')?.checkVisibility() === true`)
	second.accessible("a used link")
	second.shot("login-used")
	if kept := eval[string](second, `location.href + document.documentElement.outerHTML`); strings.Contains(kept, s.token()) {
		t.Error("the token stays in the page, or in its address")
	}
	second.click("#use-link")
	second.until(`location.pathname === '/settings/browser'`)
	second.live() // the session has its key
	if said := eval[string](second, `document.querySelector('main').innerText`); !strings.Contains(said, "the part after token= in the login link") {
		t.Errorf("the settings say %s", said)
	}
}
