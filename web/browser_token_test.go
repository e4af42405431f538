package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"questboard/web"
)

func TestTheBrowsersTokenOpensOneSessionAndNothingElse(t *testing.T) {
	t.Parallel()
	const once = "a-token-that-stood-in-a-command-line"
	d := newDoor(t, func(c *web.Config) { c.BrowserToken = once })
	link, err := url.Parse(web.BrowserURL(web.Config{Addr: addr, Auth: web.AuthToken, Token: "the owner's", BrowserToken: once}))
	if err != nil {
		t.Fatal(err)
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+once) }
	if w := d.request(http.MethodGet, "/quests", "", bearer); w.Code != http.StatusUnauthorized {
		t.Errorf("it is the owner's token: %d", w.Code)
	}
	session(t, d.request(http.MethodGet, link.RequestURI(), "", nil))
	if again := d.request(http.MethodGet, link.RequestURI(), "", nil); again.Code != http.StatusUnauthorized || len(again.Result().Cookies()) > 0 {
		t.Errorf("it works twice: %d", again.Code)
	}
	session(t, d.request(http.MethodGet, "/login?token="+url.QueryEscape(token), "", nil))
}
