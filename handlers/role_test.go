package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/service"
)

const weaver = "codeweaver"

// was returns the hidden field that identifies what a form was made from.
func (s *site) was(t *testing.T, form string) string {
	t.Helper()
	was, ok := parsed(t, call(t, s.pages.RolePage, nil, "role", weaver)).Find(form + " [name=was]").Attr("value")
	if !ok {
		t.Fatalf("%s does not say what it was made from", form)
	}
	return was
}

func (s *site) savePrompt(t *testing.T, text string) *httptest.ResponseRecorder {
	t.Helper()
	return call(t, s.pages.SetRolePrompt, url.Values{"was": {s.was(t, "#role-text")}, "prompt": {text}}, "role", weaver)
}

func TestARolesTextIsSavedComparedResetAndBroughtBack(t *testing.T) {
	t.Parallel()
	s := newSite()
	builtIn := strings.TrimSpace(service.BuiltInPrompt(weaver))
	page := parsed(t, call(t, s.pages.RolePage, nil, "role", weaver))
	if page.Find("#prompt").Text() != builtIn+"\n" || page.Find("#text-diff").Length() != 0 || words(page, "h1") != "Codeweaver" {
		t.Errorf("at first: %q", page.Find("#prompt").Text())
	}
	if w := s.savePrompt(t, strings.ReplaceAll(builtIn, "\n", "\r\n")+"\r\nNo <b>haste</b>.\r\n"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	page = parsed(t, call(t, s.pages.RolePage, nil, "role", weaver))
	if got := s.now(t).OfRole(weaver).Prompt; got != builtIn+"\nNo <b>haste</b>.\n" {
		t.Errorf("saved: %q", got)
	}
	if words(page, "#text-diff .add .code") != "+ added No <b>haste</b>." || page.Find("#text-diff b").Length() != 0 || words(page, "#text-diff h2 .added") != "+1 added" {
		t.Errorf("the difference: %q, %q", words(page, "#text-diff .add"), words(page, "#text-diff h2"))
	}
	if list := parsed(t, call(t, s.pages.RolesPage, nil)); words(list, ".role-list .chip") != "custom prompt" {
		t.Errorf("the list: %q", words(list, ".role-list"))
	}
	turn := func(handler func(*site) *httptest.ResponseRecorder, want string) {
		t.Helper()
		if w := handler(s); w.Code != http.StatusSeeOther || s.now(t).OfRole(weaver).Prompt != want {
			t.Errorf("%d: %q, want %q", w.Code, s.now(t).OfRole(weaver).Prompt, want)
		}
	}
	was := func() url.Values { return url.Values{"was": {s.was(t, "#role-text")}} }
	mine := builtIn + "\nNo <b>haste</b>.\n"
	turn(func(s *site) *httptest.ResponseRecorder { return call(t, s.pages.ResetRole, was(), "role", weaver) }, "")
	turn(func(s *site) *httptest.ResponseRecorder { return call(t, s.pages.UndoRole, was(), "role", weaver) }, mine)
	turn(func(s *site) *httptest.ResponseRecorder { return s.savePrompt(t, "Else.") }, "Else.\n")
	turn(func(s *site) *httptest.ResponseRecorder { return call(t, s.pages.UndoRole, was(), "role", weaver) }, mine)
	// A prompt equal to the built-in one is not stored, so that later versions can change
	// it.
	turn(func(s *site) *httptest.ResponseRecorder { return s.savePrompt(t, "\n"+builtIn) }, "")
}

func TestAWrongTextIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	s := newSite()
	for _, text := range []string{" \r\n", "Do {{.Nope}} <script>"} {
		w := s.savePrompt(t, text)
		page := parsed(t, w)
		if w.Code != http.StatusUnprocessableEntity || words(page, "#prompt-error") == "" || strings.TrimSpace(page.Find("#prompt").Text()) != strings.TrimSpace(text) {
			t.Errorf("%q: %d, %q, kept %q", text, w.Code, words(page, "#prompt-error"), page.Find("#prompt").Text())
		}
	}
	if len(s.now(t).Roles) != 0 {
		t.Error("a refused text was saved")
	}
}

// Two people edit a prompt at the same time: the second one is told, and loses nothing.
func TestATextThatWasChangedElsewhereIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := newSite()
	was := s.was(t, "#role-text")
	s.savePrompt(t, "First.")
	for _, handler := range []func() *httptest.ResponseRecorder{
		func() *httptest.ResponseRecorder {
			return call(t, s.pages.SetRolePrompt, url.Values{"was": {was}, "prompt": {"Second."}}, "role", weaver)
		},
		func() *httptest.ResponseRecorder {
			return call(t, s.pages.ResetRole, url.Values{"was": {was}}, "role", weaver)
		},
		func() *httptest.ResponseRecorder {
			return call(t, s.pages.UndoRole, url.Values{"was": {was}}, "role", weaver)
		},
	} {
		w := handler()
		page := parsed(t, w)
		if w.Code != http.StatusConflict || s.now(t).OfRole(weaver).Prompt != "First.\n" || !strings.Contains(words(page, "[role=alert]"), "changed elsewhere") {
			t.Errorf("%d: %q, %q", w.Code, s.now(t).OfRole(weaver).Prompt, words(page, "[role=alert]"))
		}
	}
	w := call(t, s.pages.SetRolePrompt, url.Values{"was": {was}, "prompt": {"Second."}}, "role", weaver)
	page := parsed(t, w)
	if page.Find("#prompt").Text() != "Second." {
		t.Errorf("typed text lost: %q", page.Find("#prompt").Text())
	}
	now, _ := page.Find("#role-text [name=was]").Attr("value")
	if w := call(t, s.pages.SetRolePrompt, url.Values{"was": {now}, "prompt": {"Second."}}, "role", weaver); w.Code != http.StatusSeeOther {
		t.Errorf("saved again: %d", w.Code)
	}
}

func TestAPreviewShowsTheWholePromptAndSavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.PreviewRole, url.Values{"prompt": {"Write haiku."}, "sample": {"review"}}, "role", weaver)
	page := parsed(t, w)
	if got := page.Find("#preview pre").Text(); w.Code != http.StatusOK || !strings.Contains(got, "Write haiku.") || !strings.Contains(got, "Your text is not read by anybody") || !strings.Contains(got, "\n-----") || !strings.Contains(got, "signal-back") ||
		page.Find("#sample option[selected]").Text() != "the review, in a worktree" || page.Find("#prompt").Text() != "Write haiku." {
		t.Errorf("%d: %q", w.Code, got)
	}
	for _, form := range []url.Values{{"prompt": {"{{.Nope}}"}, "sample": {"step"}}, {"prompt": {""}, "sample": {"step"}}, {"prompt": {"x"}}} {
		w := call(t, s.pages.PreviewRole, form, "role", weaver)
		if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || words(page, "#prompt-error") == "" || page.Find("#preview").Length() != 0 {
			t.Errorf("%v: %d", form, w.Code)
		}
	}
	if len(s.now(t).Roles) != 0 {
		t.Error("a preview was saved")
	}
}

func TestModelEffortAndToolsAreSavedByRole(t *testing.T) {
	t.Parallel()
	s := newSite()
	first := s.was(t, "#role-tools")
	form := url.Values{"was": {first}, "model": {" haiku "}, "effort": {"max"}, "allow": {"WebSearch\r\n\r\nBash(npm view *)"}, "deny": {"Task"}}
	if w := call(t, s.pages.SetRoleTools, form, "role", weaver); w.Code != http.StatusSeeOther {
		t.Fatal(w.Code)
	}
	if r := s.now(t).OfRole(weaver); r.Model != "haiku" || r.Effort != "max" || !slices.Equal(r.Allow, []string{"WebSearch", "Bash(npm view *)"}) || !slices.Equal(r.Deny, []string{"Task"}) {
		t.Errorf("%+v", r)
	}
	list := parsed(t, call(t, s.pages.RolesPage, nil))
	if got := words(list, ".role-list .chip"); got != "model haiku effort max tools: 2 added, 1 denied" {
		t.Errorf("the list: %q", got)
	}
	w := call(t, s.pages.SetRoleTools, form, "role", weaver)
	if page := parsed(t, w); w.Code != http.StatusConflict || !strings.Contains(words(page, "#role-tools [role=alert]"), "model haiku") {
		t.Errorf("a stale form: %d", w.Code)
	}
	for field, value := range map[string]string{"model": "-x <b>", "effort": "a lot", "allow": "!", "deny": "!"} {
		w := call(t, s.pages.SetRoleTools, url.Values{"was": {s.was(t, "#role-tools")}, field: {value}}, "role", weaver)
		page := parsed(t, w)
		if w.Code != http.StatusUnprocessableEntity || words(page, "#"+field+"-error") == "" || page.Find("#built-in-tools dd").Length() != 2 {
			t.Errorf("%s: %d", field, w.Code)
		}
	}
	if r := s.now(t).OfRole(weaver); r.Model != "haiku" {
		t.Errorf("a refusal changed %+v", r)
	}
}

func TestThereAreNoSettingsOfWard(t *testing.T) {
	t.Parallel()
	s := newSite()
	if orchestration.Role("ward").Agent() {
		t.Fatal("ward is an agent")
	}
	for _, role := range []string{"ward", "nobody", ""} {
		if err := refusal(s.pages.RolePage, role); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("%q: %v", role, err)
		}
	}
}

func refusal(handler echo.HandlerFunc, role string) error {
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder())
	c.SetParamNames("role")
	c.SetParamValues(role)
	return handler(c)
}
