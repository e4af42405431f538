package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// sentFile is a file of a form.
type sentFile struct {
	name    string
	content io.Reader
}

func text(name, content string) sentFile { return sentFile{name, strings.NewReader(content)} }

func pngOf(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// quoted writes a name as browsers do.
var quoted = strings.NewReplacer("\\", "\\\\", `"`, "%22", "\r", "%0D", "\n", "%0A")

// upload sends a form with files, as a browser without scripts does.
func (d *door) upload(t *testing.T, path string, fields url.Values, files []sentFile, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range fields {
		for _, value := range values {
			_ = w.WriteField(name, value) // to memory
		}
	}
	for _, f := range files {
		part, err := w.CreatePart(map[string][]string{
			"Content-Disposition": {`form-data; name="files"; filename="` + quoted.Replace(f.name) + `"`}, "Content-Type": {"application/octet-stream"}})
		if err == nil {
			_, err = io.Copy(part, f.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	return d.request(http.MethodPost, path, body.String(), func(r *http.Request) {
		r.Header.Set("Content-Type", w.FormDataContentType())
		change(r)
	})
}

func wish() url.Values {
	return url.Values{"request": {"Make it look like the picture."}, "repo": {"/repo"}, "size": {"errand"}}
}

// keptOf are the values of the boxes of files that the form still has.
func keptOf(page *goquery.Document) (kept []string) {
	page.Find("#kept-files input[name=kept][checked]").Each(func(_ int, box *goquery.Selection) { kept = append(kept, box.AttrOr("value", "")) })
	return kept
}

func TestAQuestBeginsWithItsFiles(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	shot := pngOf(t, 3, 2)
	w := d.upload(t, "/quests", wish(), []sentFile{text("../shot one.png", shot), text("drawing.svg", "<svg onload='alert(1)'/>"), text("", "")}, owned)
	if w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, bodyOf(t, w))
	}
	at := w.Header().Get("Location")
	q, err := d.engine.Quest(t.Context(), strings.TrimPrefix(at, "/quests/"))
	if err != nil || len(q.Attachments) != 2 {
		t.Fatal(q, err)
	}
	for name, want := range map[string]struct{ kind, how, content string }{
		"shot-one.png": {"image/png", "inline; filename=shot-one.png", shot},
		"drawing.svg":  {"application/octet-stream", "attachment; filename=drawing.svg", "<svg onload='alert(1)'/>"},
	} {
		w := d.get(at + "/files/" + name)
		h := w.Header()
		if w.Code != http.StatusOK || h.Get("Content-Type") != want.kind || h.Get("Content-Disposition") != want.how || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || bodyOf(t, w) != want.content {
			t.Errorf("%s: %d %v", name, w.Code, h)
		}
		if w := d.request(http.MethodGet, at+"/files/"+name, "", func(*http.Request) {}); w.Code != http.StatusSeeOther {
			t.Errorf("a stranger gets %d", w.Code)
		}
	}
	for _, path := range []string{"/files/", "/files/..", "/files/%2e%2e%2f%2e%2e%2fquestboard.db", "/files/other.png"} {
		if w := d.get(at + path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	page := pageOf(t, "the page", d.get(at))
	if asked := page.Find("#quest-asked"); asked.Find(`img[src="`+at+`/files/shot-one.png"]`).Length() != 1 || !strings.Contains(asked.Text(), "drawing.svg") || asked.Find("img").Length() != 1 {
		t.Errorf("the board says %q", asked.Text())
	}
}

// Whatever is wrong with a file, the text and the good files stay in the form, and the next
// sending needs neither again.
func TestNothingIsLostWhenAFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []sentFile
		says  []string
		kept  []string
	}{
		"no image": {[]sentFile{text("fake.png", "no"), text("good.txt", "good")}, []string{"fake.png was not taken: it is no PNG, JPEG, GIF or WebP image"}, []string{"good.txt"}},
		"50 MB":    {[]sentFile{{"huge.bin", io.LimitReader(zeros{}, 50<<20)}, text("good.txt", "good")}, []string{"huge.bin was not taken: it has 50.0 MiB, and one file has at most 10 MiB."}, []string{"good.txt"}},
		"too many": {hundreds(), []string{"f20.txt was not taken: a quest has at most 20 files.", "172 more files were not taken."}, nil},
		"together": {[]sentFile{{"a.bin", io.LimitReader(zeros{}, 9<<20)}, {"b.bin", io.LimitReader(zeros{}, 9<<20+1)}, {"c.bin", io.LimitReader(zeros{}, 9<<20+2)}, text("good.txt", "good")},
			[]string{"c.bin was not taken: all files of a quest have at most 25 MiB together."}, []string{"a.bin", "b.bin", "good.txt"}},
		"empty":         {[]sentFile{text("empty.txt", ""), text("good.txt", "good")}, []string{"empty.txt was not taken: it is empty, or a folder."}, []string{"good.txt"}},
		"hostile names": {[]sentFile{text("<script>alert(1)</script>.png", "no"), text("a\u202egnp.txt", "good")}, []string{"script.png was not taken"}, []string{"a-gnp.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, nil)
			w := d.upload(t, "/quests", wish(), c.files, owned)
			if w.Code != http.StatusUnprocessableEntity {
				t.Fatal(w.Code)
			}
			page := pageOf(t, "the form", w)
			if got := page.Find("#request").Text(); got != wish().Get("request") {
				t.Errorf("the text is %q", got)
			}
			said := page.Find("#files-error[role=alert]").Text()
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
			kept := keptOf(page)
			for i, name := range c.kept {
				if i >= len(kept) || !strings.HasSuffix(kept[i], " "+name) {
					t.Errorf("kept %q, want %q", kept, c.kept)
				}
			}
			fields := wish()
			fields["kept"] = kept[:len(kept)-1] // the last one is no longer wanted
			w = d.request(http.MethodPost, "/quests", fields.Encode(), owned)
			q, err := d.engine.Quest(t.Context(), strings.TrimPrefix(w.Header().Get("Location"), "/quests/"))
			if w.Code != http.StatusSeeOther || err != nil || len(q.Attachments) != len(kept)-1 {
				t.Errorf("then %d %v, %d files", w.Code, err, len(kept))
			}
		})
	}
}

// A form cannot make the server look for more files than a quest may have.
func TestMoreKeptFilesThanAQuestMayHaveAreRefusedByName(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	sum, _, _ := strings.Cut(keptOf(pageOf(t, "the form", d.upload(t, "/quests/new", wish(), []sentFile{text("a.txt", "a")}, owned)))[0], " ")
	form := wish()
	for i := range 500 {
		form.Add("kept", fmt.Sprintf("%s f%d.txt", sum, i))
	}
	w := d.upload(t, "/quests", form, []sentFile{text("b.txt", "b")}, owned)
	page := pageOf(t, "the form", w)
	said := page.Find("#files-error").Text()
	if kept := keptOf(page); w.Code != http.StatusUnprocessableEntity || len(kept) != 20 ||
		!strings.HasPrefix(said, "f20.txt was not taken: a quest has at most 20 files.") || !strings.HasSuffix(said, "473 more files were not taken.") {
		t.Errorf("%d: %d kept, %q", w.Code, len(kept), said)
	}
}

func hundreds() (all []sentFile) {
	for i := range 200 {
		all = append(all, text(fmt.Sprintf("f%d.txt", i), fmt.Sprint(i)))
	}
	return all
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A draft has its files until it begins, and an image of it is shown meanwhile.
func TestADraftKeepsItsFiles(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	shot := pngOf(t, 3, 2)
	if w := d.upload(t, "/drafts", wish(), []sentFile{text("shot.png", shot), text("notes.txt", "notes")}, owned); w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, bodyOf(t, w))
	}
	list, err := d.drafts.Drafts(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	page := pageOf(t, "the page", d.get("/drafts/"+list[0].ID))
	src := page.Find("#kept-files img").AttrOr("src", "")
	if w := d.get(src); w.Header().Get("Content-Type") != "image/png" || bodyOf(t, w) != shot {
		t.Errorf("%s: %d %v", src, w.Code, w.Header())
	}
	notes := list[0].Quest.Attachments[1].SHA256
	if w := d.get("/quests/new/files/" + notes); w.Code != http.StatusNotFound {
		t.Errorf("a file that is no image: %d", w.Code)
	}
	w := d.request(http.MethodPost, "/drafts/"+list[0].ID+"/start", "a=b", owned)
	if q, err := d.engine.Quest(t.Context(), list[0].ID); w.Code != http.StatusSeeOther || err != nil || len(q.Attachments) != 2 {
		t.Errorf("%d %v", w.Code, err)
	}
}

// Without scripts every form asks for the owner's token. The page that asks keeps the text
// and names the files that it cannot keep; the form then takes both together.
func TestFilesThatAreLostAtTheConfirmationAreNamed(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, _ := d.visitor(t)
	browser := func(r *http.Request) { r.AddCookie(cookie) }
	files := func() []sentFile { return []sentFile{text("notes.txt", "notes")} }
	w := d.resent(t, d.upload(t, "/quests", wish(), files(), browser), token, browser)
	page := pageOf(t, "the form", w)
	if said := page.Find("#files-error").Text(); w.Code != http.StatusUnprocessableEntity || said != "notes.txt was lost on the way: add it again." || page.Find("#request").Text() != wish().Get("request") {
		t.Fatalf("%d %q", w.Code, said)
	}
	if page.Find(".without-scripts input[name=questboard_token]").Length() != 1 {
		t.Fatal("the form does not take the token")
	}
	together := wish()
	together.Set("questboard_token", token)
	w = d.upload(t, "/quests", together, files(), browser)
	q, err := d.engine.Quest(t.Context(), strings.TrimPrefix(strings.Split(w.Header().Get("Location"), "#")[0], "/quests/"))
	if w.Code != http.StatusSeeOther || err != nil || len(q.Attachments) != 1 {
		t.Errorf("%d %v", w.Code, err)
	}
}

// A body that is no form, or endless, is answered and not kept.
func TestABrokenUploadIsRefused(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for body, want := range map[string]int{
		"": http.StatusBadRequest, "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nno end": http.StatusBadRequest,
		strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n", 2000) + "--x--": http.StatusBadRequest,
	} {
		w := d.request(http.MethodPost, "/quests", body, func(r *http.Request) {
			owned(r)
			r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		})
		if w.Code != want {
			t.Errorf("%.40q: %d, want %d", body, w.Code, want)
		}
	}
	long := wish()
	long.Set("request", strings.Repeat("a word ", 300_000))
	if w := d.upload(t, "/quests", long, nil, owned); w.Code != http.StatusUnprocessableEntity || !strings.Contains(bodyOf(t, w), long.Get("request")) {
		t.Errorf("2 MiB of text: %d", w.Code)
	}
	long.Set("request", strings.Repeat("a", 50<<20))
	if w := d.upload(t, "/quests", long, nil, owned); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("50 MiB of text: %d", w.Code)
	}
	stranger := d.upload(t, "/quests", wish(), []sentFile{{"a.bin", io.LimitReader(zeros{}, 1<<20)}}, func(*http.Request) {})
	if stranger.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a stranger's upload: %d", stranger.Code)
	}
}
