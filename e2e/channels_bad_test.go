package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	aSecret       = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	anotherSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// badReceivers answer as no receiver should. Those that never answer end with over.
func badReceivers(t *testing.T, over <-chan struct{}) map[string]http.HandlerFunc {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(anotherSecret)
	if err != nil {
		t.Fatal(err)
	}
	endless := func(w http.ResponseWriter, r *http.Request, wait time.Duration) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "word "); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-over:
				return
			case <-time.After(wait):
			}
		}
	}
	return map[string]http.HandlerFunc{
		"wrong secret": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if verifier.Verify(body, r.Header) != nil {
				http.Error(w, "the signature is wrong", http.StatusUnauthorized)
			}
		},
		"gone": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
		"busy": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"late": func(http.ResponseWriter, *http.Request) {
			select {
			case <-over:
			case <-time.After(time.Minute):
			}
		},
		"endless": func(w http.ResponseWriter, r *http.Request) { endless(w, r, 0) },
		"endless fault": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w, r, 0)
		},
		"slow fault": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			endless(w, r, time.Second)
		},
		"long header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		},
		"hung up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
}

// channelsPage is the page of the channels, or what a form of it leads to.
func (s *apiServer) channelsPage(path string, form url.Values) *goquery.Document {
	s.t.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(s.browse(method, "/settings/channels"+path, form.Encode())))
	if err != nil {
		s.t.Fatal(err)
	}
	return page
}

func plainText(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

// What the page says of a channel that does not work, whatever its receiver does, and what it
// says once a message was tried there.
func TestThePageSaysWhatIsWrongWithAChannel(t *testing.T) {
	t.Parallel()
	s := startAPI(t, printed)
	over := make(chan struct{})
	receivers := badReceivers(t, over)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		receivers[strings.TrimPrefix(r.URL.Path, "/")](w, r)
	}))
	t.Cleanup(func() { close(over); server.Close() })
	words := strings.TrimSpace(strings.Repeat("word ", 40))
	tests := map[string]struct {
		command []string
		says    string // "": it arrives
	}{
		"wrong secret":   {nil, "it answered 401 Unauthorized: the signature is wrong"},
		"gone":           {nil, "it answered 410 Gone"},
		"busy":           {nil, "it answered 429 Too Many Requests"},
		"late":           {nil, "no answer within 15s"},
		"endless":        {nil, ""},
		"endless fault":  {nil, "it answered 500 Internal Server Error: " + words[:199] + "…"},
		"slow fault":     {nil, "it answered 502 Bad Gateway: word word"},
		"long header":    {nil, "server response headers exceeded 65536 bytes"},
		"hung up":        {nil, "EOF"},
		"no program":     {[]string{"/no/such/program"}, "the program does not start: no such file"},
		"no such folder": {[]string{"/etc"}, "the program does not start: permission denied"},
		"hangs":          {[]string{"/bin/sleep", "3600"}, "the program was ended after 30s"},
		"fails":          {[]string{"/bin/sh", "-c", "echo no network >&2; exit 3"}, "the program ended with code 3: no network"},
		"holds the pipe": {[]string{"/bin/sh", "-c", "sleep 3600 & setsid sleep 3600 & exit 0"}, ""},
		"reads nothing":  {[]string{"/bin/true"}, ""},
	}
	ids := map[string]string{}
	for name, c := range tests {
		channel := object{"kind": "webhook", "name": name, "address": server.URL + "/" + url.PathEscape(name), "secret": aSecret, "local": true, "bundle": false}
		if c.command != nil {
			channel = object{"kind": "command", "name": name, "command": c.command, "bundle": false}
		}
		ids[name] = s.post("/channels", jsonText(channel)).want(http.StatusCreated)["id"].(string)
	}
	if entry := objects(s.get("/audit?action=settings").want(http.StatusOK)["entries"])[0]; ids[entry["target"].(string)] == "" {
		t.Errorf("the audit names no channel: %s", jsonText(entry))
	}
	refused := s.channelsPage("", url.Values{"kind": {"webhook"}, "name": {"Pager"}})
	if got := plainText(refused.Find("#new-webhook-address-error")); got != "An address is needed." {
		t.Errorf("without an address: %q", got)
	}
	s.begin(apiRepo(t), `,"approve":[],"plan":{"steps":[{"id":"hello","title":"The only step"}]}`) // it asks
	t.Run("a test", func(t *testing.T) {
		for name, c := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				page := s.channelsPage("/test", url.Values{"channel": {ids[name]}})
				got, want := plainText(page.Find("main .summary-error")), "The test did not arrive at "+name+": "
				switch {
				case c.says == "" && !strings.HasPrefix(plainText(page.Find("main .note")), "The test arrived at "+name+", in "):
					t.Errorf("it did not arrive: %q", got)
				case c.says != "" && (!strings.HasPrefix(got, want) || !strings.Contains(got, c.says)):
					t.Errorf("%q; want %q", got, want+c.says)
				}
			})
		}
	})
	for name, want := range map[string]string{
		"gone":         "Stopped: it answered 410 Gone. Save it to start it again.",
		"busy":         "1 message waits: it answered 429 Too Many Requests.",
		"wrong secret": "1 message waits: it answered 401 Unauthorized: the signature is wrong.",
		"late":         "1 message waits",
		"endless":      "Last sent:",
	} {
		var got string
		poll(t, time.Minute, func() bool {
			got = plainText(s.channelsPage("", nil).Find("#channel-" + ids[name]))
			return strings.Contains(got, want)
		}, func() string { return name + ": " + got + "; want " + want })
	}
}
