package handlers_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"questboard/orchestration/record"
)

func TestTheEditorsLinkIsChecked(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.SetEditor, url.Values{"editor": {" vscode://file{path} "}})
	if w.Code != http.StatusSeeOther || s.now(t).Editor != "vscode://file{path}" {
		t.Errorf("%d: %q", w.Code, s.now(t).Editor)
	}
	if got := words(parsed(t, call(t, s.pages.SettingsPage, nil)), "#editor-form code"); got != "vscode://file/home/you/a%20project" {
		t.Errorf("the example: %q", got)
	}
	w = call(t, s.pages.SetEditor, url.Values{"editor": {"javascript:alert('{path}')"}})
	page := parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#editor-error"), "does not open an editor") ||
		page.Find(`#editor[value="javascript:alert('{path}')"]`).Length() != 1 {
		t.Errorf("%d: %q", w.Code, words(page, "#editor-form"))
	}
	if s.now(t).Editor != "vscode://file{path}" {
		t.Error("a refused link was saved")
	}
	call(t, s.pages.SetEditor, url.Values{"editor": {""}})
	if s.now(t).Editor != "" {
		t.Error("it cannot be taken away")
	}
}

func (s *site) now(t *testing.T) record.Settings {
	t.Helper()
	now, err := s.settings.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func TestRepositoriesAreAddedChangedRemovedAndPutBack(t *testing.T) {
	t.Parallel()
	s := newSite()
	set := func(values url.Values) int { return call(t, s.pages.SetRepository, values).Code }
	first := url.Values{"new": {"true"}, "path": {"/repo/"}, "setup": {"npm ci"}, "links": {"node_modules/\r\n\r\n node_modules "}, "copies": {".env"}}
	want := record.RepoSettings{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}, Copies: []string{".env"}}
	if code := set(first); code != http.StatusSeeOther || !reflect.DeepEqual(s.now(t).Repos, []record.RepoSettings{want}) {
		t.Fatalf("%d: %+v", code, s.now(t).Repos)
	}
	page := parsed(t, call(t, s.pages.SettingsPage, nil))
	if got, _ := page.Find("#repository-1-setup").Attr("value"); got != "npm ci" || page.Find("#repository-1-links").Text() != "node_modules" {
		t.Errorf("the form of /repo holds %q", got)
	}
	if got := words(page, "#repository-1 summary"); got != "/repo runs npm ci · links node_modules · copies .env" {
		t.Errorf("the list says %q", got)
	}
	if code := set(url.Values{"path": {"/repo"}, "setup": {"make"}}); code != http.StatusSeeOther || s.now(t).Repo("/repo").Setup != "make" {
		t.Errorf("changed: %d, %+v", code, s.now(t).Repos)
	}
	w := call(t, s.pages.RemoveRepository, url.Values{"path": {"/repo"}})
	page = parsed(t, w)
	if len(s.now(t).Repos) != 0 || !strings.Contains(words(page, ".note"), "/repo removed") {
		t.Errorf("removed: %+v, %q", s.now(t).Repos, words(page, ".note"))
	}
	undo := url.Values{}
	for _, name := range []string{"path", "setup"} {
		value, _ := page.Find(".note [name=" + name + "]").Attr("value")
		undo.Set(name, value)
	}
	undo.Set("links", page.Find(".note [name=links]").Text())
	if code := set(undo); code != http.StatusSeeOther || s.now(t).Repo("/repo").Setup != "make" {
		t.Errorf("put back: %d, %+v", code, s.now(t).Repos)
	}
}

func TestAWrongRepositoryIsRefusedByFieldAndKept(t *testing.T) {
	t.Parallel()
	s := newSite()
	call(t, s.pages.SetRepository, url.Values{"new": {"true"}, "path": {"/repo"}, "setup": {"npm ci"}})
	for name, c := range map[string]struct {
		form  url.Values
		field string
	}{
		"a relative path":    {url.Values{"new": {"true"}, "path": {"repo"}, "setup": {"x"}}, "repository-new-path"},
		"there already":      {url.Values{"new": {"true"}, "path": {"/repo"}, "setup": {"x"}}, "repository-new-path"},
		"nothing said":       {url.Values{"new": {"true"}, "path": {"/other"}}, "repository-new-setup"},
		"out of the tree":    {url.Values{"new": {"true"}, "path": {"/other"}, "links": {"../x"}}, "repository-new-links"},
		"git's own":          {url.Values{"path": {"/repo"}, "copies": {".git/config"}}, "repository-1-copies"},
		"both":               {url.Values{"path": {"/repo"}, "links": {".env"}, "copies": {".env"}}, "repository-1-copies"},
		"a control sequence": {url.Values{"path": {"/repo"}, "setup": {"npm\x1b ci"}}, "repository-1-setup"},
	} {
		w := call(t, s.pages.SetRepository, c.form)
		page := parsed(t, w)
		if w.Code != http.StatusUnprocessableEntity || words(page, "#"+c.field+"-error") == "" || page.Find("details[open] #"+c.field).Length() != 1 {
			t.Errorf("%s: %d, no fault at %s", name, w.Code, c.field)
		}
		if links := page.Find("details[open] [name=links]").Text(); strings.TrimSpace(links) != c.form.Get("links") {
			t.Errorf("%s: %q was not kept", name, links)
		}
	}
	if len(s.now(t).Repos) != 1 || s.now(t).Repos[0].Setup != "npm ci" {
		t.Errorf("a refusal changed something: %+v", s.now(t).Repos)
	}
}
