package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

// Options are buttons of the form, in the panel too. Without scripts an option leads to
// the page that has it in its field. What an agent writes stays text.
func TestOptionsAreButtonsThatFillTheField(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	p.Ask("form", "Which fields?\n1. all <img src=x>\n2. \"the\" name")
	id := p.Quest + "-q2"
	page := parsed(t, call(t, s.pages.Question, nil, "question", id))
	if got := words(page, ".options button"); got != `1. all <img src=x> 2. "the" name` && got != `1. all <img src=x>2. "the" name` {
		t.Errorf("the buttons say %q", got)
	}
	if answer, _ := page.Find(".options button").Last().Attr("data-answer"); answer != `2. "the" name` || page.Find(".options img").Length() != 0 {
		t.Errorf("the second answers %q", answer)
	}
	if page.Find("textarea[name=answer][autofocus]").Length() != 1 {
		t.Error("the field has not the focus")
	}
	form := page.Find("form.options")
	if method, action := form.AttrOr("method", ""), form.AttrOr("action", ""); method != "get" || action != "/questions/"+id {
		t.Errorf("without scripts an option goes to %s %s", method, action)
	}
	chosen := parsed(t, chose(t, s, id, "2"))
	if got := chosen.Find("textarea[name=answer]").Text(); got != `2. "the" name` {
		t.Errorf("chosen without scripts: %q", got)
	}
	for _, nonsense := range []string{"0", "3", "-1", "x", "99999999999999999999"} {
		page := parsed(t, chose(t, s, id, nonsense))
		if got := page.Find("textarea[name=answer]").Text(); got != "" {
			t.Errorf("option %s: %q", nonsense, got)
		}
	}
	panel := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "form"))
	if panel.Find("#step-question .options button").Length() != 2 {
		t.Error("the panel has no options")
	}
	if w := call(t, s.pages.Question, nil, "question", p.Quest+"-q1"); w.Code != http.StatusOK || parsed(t, w).Find(".options").Length() != 0 {
		t.Error("a question without options has buttons")
	}
}

// chose opens a question as an option does without scripts.
func chose(t *testing.T, s *site, question, option string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/?option="+option, nil), w)
	c.SetParamNames("question")
	c.SetParamValues(question)
	if err := s.pages.Question(c); err != nil {
		t.Fatal(err)
	}
	return w
}
