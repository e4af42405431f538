package channel_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"questboard/orchestration/record"
)

// secret is that of the published vector of Standard Webhooks.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// The vector of standardwebhooks.com: what we sign with gives the published signature.
func TestTheSignatureIsThatOfThePublishedVector(t *testing.T) {
	t.Parallel()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	got, err := signer.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}

func TestAWebhookIsSignedAndNamesEachNotice(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	m := two()
	m.Tries = 3
	if err := sender(t).Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: url + "/hook?key=1", Secret: secret, Local: true}, m); err != nil {
		t.Fatal(err)
	}
	got := <-came
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.VerifyIgnoringTimestamp(got.body, got.header); err != nil {
		t.Errorf("the signature: %v", err)
	}
	if got.path != "POST /hook?key=1" || got.header.Get("Webhook-Id") != "msg_1" || got.header.Get("Webhook-Timestamp") != "1795262400" {
		t.Errorf("%s %v", got.path, got.header)
	}
	var body, want any
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"type": "bundle", "timestamp": "2026-11-21T12:00:00Z", "data": {"id": "msg_1", "late": true, "notices": [
		{"id": "quest-e9", "kind": "question", "at": "2026-11-21T12:00:00Z", "needsYou": true, "words": "A question for you · Tides",
		 "text": "<!channel> *Which* <https://evil|tide> & [redacted]?", "url": "https://board.example/questions/quest-q1",
		 "quest": "quest", "title": "Tides", "step": "step-0", "question": "quest-q1", "agent": ""},
		{"id": "quest-e12", "kind": "complete", "at": "2026-11-21T12:00:00Z", "needsYou": false, "words": "Complete · Tides", "text": "",
		 "url": "https://board.example/quests/quest/delivery", "quest": "quest", "title": "Tides", "step": "", "question": "", "agent": ""}]}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

func TestAWrongSecretIsRefusedByTheReceiverAndSaid(t *testing.T) {
	t.Parallel()
	verifier, err := standardwebhooks.NewWebhook("whsec_" + strings.Repeat("AAAA", 8))
	if err != nil {
		t.Fatal(err)
	}
	url, came := receiver(t, nil)
	refusing, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if verifier.VerifyIgnoringTimestamp((<-came).body, r.Header) != nil {
			http.Error(w, "wrong signature", http.StatusUnauthorized)
		}
	})
	c := record.Channel{Kind: record.ChannelWebhook, Address: url, Secret: secret, Local: true}
	if err := sender(t).Send(t.Context(), c, question()); err != nil { // so that the other receiver knows the body
		t.Fatal(err)
	}
	c.Address = refusing
	fault := faultOf(t, sender(t).Send(t.Context(), c, question()))
	if fault == nil || fault.Why != "it answered 401 Unauthorized: wrong signature" || fault.Stop {
		t.Errorf("%+v", fault)
	}
}

func TestWhatAReceiverAnswersDecidesWhatFollows(t *testing.T) {
	t.Parallel()
	elsewhere, redirected := receiver(t, nil)
	for name, c := range map[string]struct {
		status int
		header map[string]string
		why    string
		after  time.Duration
		stop   bool
	}{
		"no content": {status: 204},
		"gone":       {status: 410, why: "it answered 410 Gone", stop: true},
		"seconds":    {status: 429, header: map[string]string{"Retry-After": "90"}, why: "it answered 429 Too Many Requests", after: 90 * time.Second},
		"a time": {status: 503, header: map[string]string{"Retry-After": "Sat, 21 Nov 2026 12:05:00 GMT"}, why: "it answered 503 Service Unavailable",
			after: 5 * time.Minute},
		"nonsense":   {status: 429, header: map[string]string{"Retry-After": "-soon"}, why: "it answered 429 Too Many Requests"},
		"a redirect": {status: 302, header: map[string]string{"Location": elsewhere}, why: "it answered 302 Found; redirects are not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				for key, value := range c.header {
					w.Header().Set(key, value)
				}
				w.WriteHeader(c.status)
			})
			fault := faultOf(t, sender(t).Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: url, Local: true}, question()))
			switch {
			case c.why == "" && fault != nil:
				t.Errorf("it failed: %+v", fault)
			case c.why != "" && (fault == nil || fault.Why != c.why || fault.After != c.after || fault.Stop != c.stop):
				t.Errorf("%+v", fault)
			}
			select {
			case got := <-redirected:
				t.Errorf("the redirect was followed: %s", got.path)
			default:
			}
		})
	}
}

// What a receiver says is shown on pages and in the log.
func TestAnAnswerThatRepeatsTheAddressOrTheSecretShowsNeither(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind            record.ChannelKind
		address, secret string // the address without the host
		answer          func(r *http.Request) string
		why             string
	}{
		"the address": {record.ChannelWebhook, "/hook/x?key=4711-secret", "", func(r *http.Request) string {
			return "no hook at http://" + r.Host + r.URL.RequestURI()
		}, "no hook at …"},
		"the request": {record.ChannelWebhook, "/hook/x?key=4711-secret", "", func(r *http.Request) string {
			return "Cannot POST " + r.URL.RequestURI() + " of " + r.URL.Path + ": " + r.URL.Query().Get("key")
		}, "Cannot POST … of …: …"},
		"escaped": {record.ChannelSlack, "/services/T000/Bd%20tide-of-night", "", func(r *http.Request) string {
			return `{"path":"\/services\/T000\/Bd tide-of-night", "raw": "` + r.URL.EscapedPath() + `"}`
		}, `{"path":"\/…\/T000\/…", "raw": "…"}`},
		"the secret": {record.ChannelWebhook, "/", secret, func(*http.Request) string {
			return "refused: " + secret + " or " + strings.TrimPrefix(secret, "whsec_") + " / A"
		}, "refused: … or … / A"},
		"the token and the topic": {record.ChannelNtfy, "/my", "tk_tides", func(r *http.Request) string {
			return r.Header.Get("Authorization") + " may not write to my"
		}, "Bearer … may not write to …"},
		"where the text is cut": {record.ChannelWebhook, "/hook/x?key=4711-secret", "", func(*http.Request) string {
			return "no" + strings.Repeat(" ", 1015) + "4711-secret"
		}, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, c.answer(r))
			})
			fault := faultOf(t, sender(t).Send(t.Context(), record.Channel{Kind: c.kind, Address: url + c.address, Secret: c.secret, Local: true}, question()))
			if want := "it answered 404 Not Found: " + c.why; fault == nil || fault.Why != want {
				t.Errorf("%+v, want %q", fault, want)
			}
		})
	}
}

func TestAnAnswerThatComesTooLateIsNone(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	url, _ := receiver(t, func(http.ResponseWriter, *http.Request) { <-over })
	t.Cleanup(func() { close(over) }) // before the receiver, which waits for it
	s := sender(t)
	s.HTTPLimit = 50 * time.Millisecond
	fault := faultOf(t, s.Send(t.Context(), record.Channel{Kind: record.ChannelWebhook, Address: url, Local: true}, question()))
	if fault == nil || fault.Why != "no answer within 50ms" {
		t.Errorf("%+v", fault)
	}
}

func TestNtfyGetsItsFieldsAndTheTokenOfTheTopic(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	c := record.Channel{Kind: record.ChannelNtfy, Address: url + "/base/my-topic", Secret: "tk_1", Local: true}
	if err := sender(t).Send(t.Context(), c, two()); err != nil {
		t.Fatal(err)
	}
	got := <-came
	if got.path != "POST /base/" || got.header.Get("Authorization") != "Bearer tk_1" {
		t.Errorf("%s %v", got.path, got.header)
	}
	wantJSON(t, got.body, `{"topic": "my-topic", "title": "2 things happened, 1 for you to do", "priority": 4, "click": "https://board.example/questions",
		"message": "A question for you · Tides\n<!channel> *Which* <https://evil|tide> & [redacted]?\n\nComplete · Tides", "sequence_id": "msg_1",
		"actions": [{"action": "view", "label": "Open: A question for you · Tides", "url": "https://board.example/questions/quest-q1"},
			{"action": "view", "label": "Open: Complete · Tides", "url": "https://board.example/quests/quest/delivery"}]}`)
}

func TestSlackReadsNoMarkupOfAnAgent(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	m := question()
	m.Notices[0].Title = "<!here> & co"
	if err := sender(t).Send(t.Context(), record.Channel{Kind: record.ChannelSlack, Address: url + "/services/T/B/x", Local: true}, m); err != nil {
		t.Fatal(err)
	}
	got := <-came
	if bytes.Contains(got.body, []byte(`"mrkdwn","text"`)) || got.path != "POST /services/T/B/x" {
		t.Errorf("%s %s", got.path, got.body)
	}
	wantJSON(t, got.body, `{"mrkdwn": false, "text": "A question for you · &lt;!here&gt; &amp; co", "blocks": [
		{"type": "header", "text": {"type": "plain_text", "emoji": false, "text": "A question for you · <!here> & co"}},
		{"type": "section", "text": {"type": "plain_text", "emoji": false, "text": "<!channel> *Which* <https://evil|tide> & [redacted]?"}},
		{"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "emoji": false, "text": "Open"}, "url": "https://board.example/questions/quest-q1"}]}]}`)
}

func TestLongTextsAreCutAndSayHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	url, came := receiver(t, nil)
	m := question()
	for range 19 {
		m.Notices = append(m.Notices, m.Notices[0])
	}
	for i := range m.Notices {
		m.Notices[i].Text = strings.Repeat("é", 5000)
	}
	for _, c := range []record.Channel{{Kind: record.ChannelNtfy, Address: url + "/topic", Local: true}, {Kind: record.ChannelSlack, Address: url, Local: true}} {
		if err := sender(t).Send(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		got := <-came
		if !bytes.Contains(got.body, []byte("… and 1")) || len(got.body) > 16<<10 {
			t.Errorf("%s: %d bytes: %.300s", c.Kind, len(got.body), got.body)
		}
	}
}

func wantJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var is, expected any
	if err := json.Unmarshal(got, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, is); diff != "" {
		t.Error(diff)
	}
}
