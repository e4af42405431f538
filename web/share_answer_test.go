package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
)

// answers sends a guest's answer to the open question, as a browser does.
func (d *door) answers(link, name, answer string) *httptest.ResponseRecorder {
	form := url.Values{"name": {name}, "answer": {answer}}
	return d.request(http.MethodPost, link+"/questions/"+d.party.Quest+"-q1", form.Encode(), func(r *http.Request) {
		r.Header.Set("Origin", "http://"+addr)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	})
}

func (d *door) question(t *testing.T) (answer, by string) {
	t.Helper()
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	return q.Question(q.ID + "-q1").Answer, q.Question(q.ID + "-q1").AnsweredBy
}

func TestAGuestAnswersUnderAName(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link := d.link(t, "answer=true")
	board, err := goquery.NewDocumentFromReader(d.request(http.MethodGet, link+"/steps/cookie", "", nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	to, _ := board.Find("#step-question a[data-answer]").Attr("href")
	if board.Find("form").Length() != 0 || to != link+"/questions/"+d.party.Quest+"-q1" {
		t.Errorf("the step leads to %q to be answered, and holds %d forms", to, board.Find("form").Length())
	}
	w := d.request(http.MethodGet, to, "", nil)
	if policy := w.Header().Get("Referrer-Policy"); policy != "same-origin" {
		t.Errorf("with the referrer policy %q a browser would post the form without its origin", policy)
	}
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if action, _ := page.Find("form").Attr("action"); action != to || page.Find("#name").Length() != 1 || page.Find("meta[name=referrer]").Length() != 0 {
		t.Errorf("the form goes to %q", action)
	}
	sent := d.answers(link, " Mira\u202e\n<b>of</b> QA \x00", "the SSO, token=canary")
	if sent.Code != http.StatusSeeOther || sent.Header().Get("Location") != link+"/steps/cookie" {
		t.Errorf("%d to %s", sent.Code, sent.Header().Get("Location"))
	}
	if answer, by := d.question(t); answer != "the SSO, token=canary" || by != "Mira <b>of</b> QA (by a shared link)" {
		t.Errorf("%q by %q", answer, by)
	}
	late := d.answers(link, "Late", "the vendor's")
	said := bodyOf(t, late)
	if late.Code != http.StatusConflict || !strings.Contains(said, "the vendor&#39;s") || !strings.Contains(said, "&lt;b&gt;of&lt;/b&gt;") || strings.Contains(said, "canary") {
		t.Errorf("a second answer: %d", late.Code)
	}
	if !strings.Contains(bodyOf(t, d.get("/questions/"+d.party.Quest+"-q1")), "(by a shared link)") {
		t.Error("the owner is not told who answered")
	}
}

func TestNoGuestPassesForSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"user", "server", "codeweaver", "user (by a shared link)"} {
		d := newDoor(t, nil)
		d.answers(d.link(t, "answer=true"), name, "yes")
		if _, by := d.question(t); by != name+" (by a shared link)" {
			t.Errorf("%q", by)
		}
	}
}

func TestGuestsWhoMayNotAnswerAreRefused(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	other := handlerstest.Begin(d.engine, "Another quest")
	other.Start("requirements")
	other.Ask("requirements", "For the owner alone?")
	may, mayNot := d.link(t, "answer=true"), d.link(t, "output=true&cost=true")
	if w := d.answers(mayNot, "Mira", "yes"); w.Code != http.StatusNotFound {
		t.Errorf("without the right: %d", w.Code)
	}
	foreign := d.request(http.MethodPost, may+"/questions/"+other.Quest+"-q1", "name=Mira&answer=yes", nil)
	if foreign.Code != http.StatusNotFound {
		t.Errorf("a question of another quest: %d", foreign.Code)
	}
	for origin, site := range map[string]string{"http://evil.example": "", "null": "", "http://" + addr: "cross-site"} {
		w := d.request(http.MethodPost, may+"/questions/"+d.party.Quest+"-q1", "name=Mira&answer=yes", func(r *http.Request) {
			r.Header.Set("Origin", origin)
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		})
		if w.Code != http.StatusForbidden {
			t.Errorf("from %s %s: %d", origin, site, w.Code)
		}
	}
	for _, wrong := range [][2]string{{"", "yes"}, {" \u200b\n", "yes"}, {strings.Repeat("x", 61), "yes"}, {"Mira", " \n"}, {"Mira", strings.Repeat("y", 20_001)}} {
		d.now.Add(1)
		w := d.answers(may, wrong[0], wrong[1])
		if body := bodyOf(t, w); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, `aria-invalid="true"`) || !strings.Contains(body, strings.TrimSpace(wrong[1])) {
			t.Errorf("%.20q: %d", wrong, w.Code)
		}
	}
	if answer, _ := d.question(t); answer != "" {
		t.Errorf("it was answered: %q", answer)
	}
	d.now.Add(1)
	codes := map[int]int{}
	for range 20 {
		codes[d.answers(may, "", "").Code]++
	}
	if codes[http.StatusTooManyRequests] != 15 {
		t.Errorf("of 20 answers in a second: %v", codes)
	}
	d.now.Add(1)
	d.revoke(t) // the newest link, which may not answer
	if w := d.answers(may, "Mira", "yes"); w.Code != http.StatusSeeOther {
		t.Errorf("a good answer: %d", w.Code)
	}
	ended := d.link(t, "answer=true")
	d.revoke(t)
	if w := d.answers(ended, "Mira", "yes"); w.Code != http.StatusGone {
		t.Errorf("by a link that has ended: %d", w.Code)
	}
}
