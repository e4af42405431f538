package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Names count like text: otherwise a form of nothing but names could fill the memory. A
// cookie is enough to be read, so it must not be enough for that.
func TestLongNamesInAFormAreRefused(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, _ := d.visitor(t)
	long := strings.Repeat("n", 500<<10)
	for name, part := range map[string]string{
		"of files":                `name="files"; filename="` + long + `"`,
		"of files that we drop":   `name="other"; filename="` + long + `"`,
		"of fields":               `name="` + long + `"`,
		"of fields and of files ": `name="` + long + `"; filename="` + long + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := strings.Repeat("--x\r\nContent-Disposition: form-data; "+part+"\r\n\r\nb\r\n", 9) + "--x--"
			for who, proves := range map[string]func(*http.Request){"the owner": owned, "a cookie": func(r *http.Request) { r.AddCookie(cookie) }} {
				w := d.request(http.MethodPost, "/quests", body, func(r *http.Request) {
					proves(r)
					r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
				})
				if w.Code != http.StatusRequestEntityTooLarge || w.Body.Len() > 100<<10 {
					t.Errorf("%s: %d with %d bytes", who, w.Code, w.Body.Len())
				}
			}
		})
	}
}

// A refusal names the limit that was exceeded, and what was typed comes back.
func TestTheRefusalOfALargeFormNamesItsLimit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	large := wish()
	large.Set("title", strings.Repeat("x", 5<<20))
	for name, c := range map[string]struct {
		w     *httptest.ResponseRecorder
		says  string
		typed bool
	}{
		"files": {d.upload(t, "/quests", wish(), []sentFile{{"a.iso", io.LimitReader(zeros{}, 120<<20)}}, owned),
			"A form with files may send at most 104 MiB. A quest has at most 20 files, of 10 MiB each and 25 MiB together. Nothing was changed.", true},
		"text beside files": {d.upload(t, "/quests", large, nil, owned), "The text of a form may have at most 4 MiB. Nothing was changed.", false},
		"text":              {d.request(http.MethodPost, "/quests", large.Encode(), owned), "The text of a form may have at most 4 MiB. Nothing was changed.", false},
		"a stranger's":      {d.request(http.MethodPost, "/login", large.Encode(), nil), "The text of a form may have at most 256 KiB. Nothing was changed.", false},
	} {
		page := bodyOf(t, c.w)
		if c.w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(page, c.says) {
			t.Errorf("%s: %d %s", name, c.w.Code, page)
		}
		if c.typed && !strings.Contains(page, wish().Get("request")) {
			t.Errorf("%s: what was typed is lost", name)
		}
	}
}

// Files take longer than text on a slow line.
func TestAFormWithFilesMayTakeLonger(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for kind, want := range map[string]time.Duration{"multipart/form-data; boundary=x": 10 * time.Minute, "application/x-www-form-urlencoded": time.Minute} {
		for who, proves := range map[string]func(*http.Request){"owner": owned, "stranger": func(*http.Request) {}} {
			r := httptest.NewRequest(http.MethodPost, "/quests", strings.NewReader("--x--"))
			r.Host = host
			proves(r)
			r.Header.Set("Content-Type", kind)
			w := &connection{ResponseRecorder: httptest.NewRecorder()}
			d.ServeHTTP(w, r)
			most := time.Duration(0)
			for _, at := range w.deadlines {
				most = max(most, time.Until(at))
			}
			limit := want
			if who == "stranger" {
				limit = time.Minute
			}
			if most <= limit-30*time.Second || most > limit {
				t.Errorf("%s, %s: %v", who, kind, most)
			}
		}
	}
}

// Forms with files are read a few at a time. One that comes beyond that keeps its text and
// names its files.
func TestFilesOfTooManyFormsAtOnceAreNamedAndNotKept(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	end := d.slowForms(t, owned)
	send := func() *httptest.ResponseRecorder {
		return d.upload(t, "/quests", wish(), []sentFile{text("late.txt", "late")}, owned)
	}
	page := pageOf(t, "the form", send())
	if said := page.Find("#files-error").Text(); said != "late.txt was lost on the way: add it again." || page.Find("#request").Text() != wish().Get("request") {
		t.Errorf("the form says %q", said)
	}
	end()
	if w := send(); w.Code != http.StatusSeeOther {
		t.Errorf("then %d", w.Code)
	}
}

// The places are for the owner's forms: a stranger who sends files slowly would keep them all.
func TestAStrangersFormWithFilesHoldsNoPlace(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	end := d.slowForms(t, nil)
	if w := d.upload(t, "/quests", wish(), []sentFile{text("plan.txt", "a plan")}, owned); w.Code != http.StatusSeeOther {
		t.Errorf("the owner's form: %d", w.Code)
	}
	end()
}

// slowForms begins as many forms with files as there are places for, and leaves them open until end.
func (d *door) slowForms(t *testing.T, from func(*http.Request)) (end func()) {
	t.Helper()
	stuck, done := make([]*io.PipeWriter, 8), make(chan struct{})
	for i := range stuck {
		body, to := io.Pipe()
		stuck[i] = to
		r := httptest.NewRequest(http.MethodPost, "/quests", body)
		r.Host = host
		if from != nil {
			from(r)
		}
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		go func() { d.ServeHTTP(httptest.NewRecorder(), r); done <- struct{}{} }()
		if _, err := io.WriteString(to, "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, to := range stuck {
			_ = to.CloseWithError(io.ErrUnexpectedEOF)
			<-done
		}
	}
}
