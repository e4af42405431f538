package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"questboard/cmd/server/client"
)

// asked runs a command against a server that a test made.
func askedOf(t *testing.T, s http.HandlerFunc, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	var out, faults bytes.Buffer
	code = run(t.Context(), append(args, "-url", server.URL), world{stdin: strings.NewReader("typed\n"), stdout: &out, stderr: &faults,
		getenv: environment(map[string]string{"QUESTBOARD_TOKEN": "secret"})})
	return out.String(), faults.String(), code
}

// says answers each request with the same text.
func says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

func TestWhatIsNoServerOfThisVersionIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]http.HandlerFunc{
		"a page":              says(http.StatusOK, "<html>"),
		"another program":     says(http.StatusOK, "{}"),
		"null for a list":     says(http.StatusOK, `{"quests":null,"needs":[],"questions":null}`),
		"another shape":       says(http.StatusOK, `{"quests":{"a":1},"needs":[],"questions":7}`),
		"an older API":        says(http.StatusNotFound, "404 page not found"),
		"a proxy":             says(http.StatusBadGateway, "<h1>Bad Gateway</h1>"),
		"a login page":        func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusSeeOther) },
		"a cut off answer":    says(http.StatusOK, `{"quests":[`),
		"an error without us": says(http.StatusInternalServerError, `{"error":"oops"}`),
	} {
		for _, args := range [][]string{{"status"}, {"wait", "abc"}, {"answer", "abc", "yes"}} {
			out, faults, code := askedOf(t, server, args...)
			if code != client.ExitNoServer || out != "" || !strings.Contains(faults, "another version") || strings.Count(faults, "\n") != 1 {
				t.Errorf("%s, %s: exit %d, %q, %q", name, args, code, out, faults)
			}
		}
	}
}

// Another address may be another program, which must not get the token.
func TestTheTokenFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked with %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	_, _, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}, "answer", "abc-q1", "yes")
	if code != client.ExitNoServer {
		t.Errorf("exit %d", code)
	}
}

func TestAServerThatHangsIsLeftInTime(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"status"}, {"wait", "abc"}, {"answer", "abc-q1", "yes"}} {
		over := make(chan struct{})
		_, faults, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush() // the answer begins and does not end
			<-r.Context().Done()
			close(over)
		}, append(args, "-timeout", "50ms")...)
		<-over
		unsure := strings.Contains(faults, "may have arrived")
		if code != client.ExitTimeout || unsure != (args[0] == "answer") {
			t.Errorf("%s: exit %d: %s", args, code, faults)
		}
	}
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server http.HandlerFunc
		code   int
		says   string
	}{
		{says(http.StatusUnauthorized, `{"error":{"code":"unauthorized","message":"Log in."}}`), client.ExitRefused, "QUESTBOARD_TOKEN is not"},
		{says(http.StatusForbidden, ""), client.ExitRefused, "-public-url"},
		{says(http.StatusNotFound, `{"error":{"code":"not_found","message":"there is none"}}`), client.ExitNotFound, "there is none"},
		{says(http.StatusConflict, `{"error":{"code":"conflict","message":"answered already: \u001b[31mno"}}`), client.ExitRefused, "answered already: no\n"},
		{says(http.StatusUnprocessableEntity, `{"error":{"code":"invalid","message":"wrong","fields":{"answer":"too long"}}}`), client.ExitRefused, "wrong; answer: too long"},
		{says(http.StatusServiceUnavailable, `{"error":{"code":"unavailable","message":"the disk is full"}}`), exitFault, "the disk is full"},
	} {
		_, faults, code := askedOf(t, c.server, "answer", "abc-q1", "yes")
		if code != c.code || !strings.Contains(faults, c.says) {
			t.Errorf("exit %d, want %d with %q: %s", code, c.code, c.says, faults)
		}
	}
}

const twoQuests = `{"quests":[{"id":"abcdefgh","title":"One","status":"running","progress":{"done":1,"skipped":1,"total":3},"cost":1.5},
 {"id":"abxyzuvw","title":"Two","status":"complete"}],"needs":[]}`

func TestABeginningOfAnIdMustBeOfOne(t *testing.T) {
	t.Parallel()
	_, faults, code := askedOf(t, says(http.StatusOK, twoQuests), "status", "ab")
	if code != client.ExitNotFound || !strings.Contains(faults, `"ab" is the beginning of 2 quests, write more of it: abcdefgh (One), abxyzuvw (Two)`) {
		t.Errorf("exit %d: %s", code, faults)
	}
	if _, faults, code = askedOf(t, says(http.StatusOK, twoQuests), "wait", "../settings"); code != client.ExitNotFound {
		t.Errorf("exit %d: %s", code, faults)
	}
}

func TestAWholeIdOfAQuestMayBeTheBeginningOfAnother(t *testing.T) {
	t.Parallel()
	path := ""
	_, faults, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/quests" {
			says(http.StatusOK, `{"quests":[{"id":"ab","status":"running"},{"id":"abc","status":"running"}],"needs":[]}`)(w, r)
			return
		}
		path = r.URL.Path
		says(http.StatusOK, `{"id":"ab","status":"running","needs":[]}`)(w, r)
	}, "status", "ab")
	if path != "/api/v1/quests/ab" || code != exitOK {
		t.Errorf("exit %d, asked for %q: %s", code, path, faults)
	}
}

// The id of a question that is answered already is not taken for the beginning of another.
func TestAWholeIdOfAQuestionIsNoBeginning(t *testing.T) {
	t.Parallel()
	path := ""
	_, _, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.Method + " " + r.URL.Path
		says(http.StatusOK, "{}")(w, r)
	}, "answer", "abcdefgh-q1", "yes")
	if path != "POST /api/v1/questions/abcdefgh-q1/answer" || code != exitOK {
		t.Errorf("exit %d, %s", code, path)
	}
}

func TestAnAnswerCanBeTyped(t *testing.T) {
	t.Parallel()
	var sent struct{ Answer string }
	out, _, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		says(http.StatusOK, "{}")(w, r)
	}, "answer", "abcdefgh-q1", "-")
	if sent.Answer != "typed\n" || out != "answered abcdefgh-q1\n" || code != exitOK {
		t.Errorf("exit %d, %q, %q", code, sent.Answer, out)
	}
}

func TestADecisionGoesWithItsReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-decide", "deny", "abc-q1", "not on a Friday"}, `{"answer":"not on a Friday","decisions":["deny"]}`},
		{[]string{"abc-q1", "-decide", "once,quest"}, `{"answer":"","decisions":["once","quest"]}`},
		{[]string{"abc-q1", "yes"}, `{"answer":"yes"}`},
	} {
		var sent bytes.Buffer
		_, faults, code := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = sent.ReadFrom(r.Body)
			says(http.StatusOK, "{}")(w, r)
		}, append([]string{"answer"}, c.args...)...)
		if sent.String() != c.want || code != exitOK {
			t.Errorf("%q: exit %d, sent %s, want %s: %s", c.args, code, sent.String(), c.want, faults)
		}
	}
}

// A script that knows only questions goes on hearing of permissions.
func TestWaitingForAQuestionEndsForAPermission(t *testing.T) {
	t.Parallel()
	quest := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/quests" {
				says(http.StatusOK, `{"quests":[{"id":"abc","status":"waiting"}],"needs":[]}`)(w, r)
				return
			}
			says(http.StatusOK, `{"id":"abc","status":"waiting","needs":[{"kind":"`+kind+`","quest":"abc","question":"abc-q1","reason":"Bash: git push"}]}`)(w, r)
		}
	}
	for _, what := range []string{"question", "permission", "needs-you"} {
		if out, faults, code := askedOf(t, quest("permission"), "wait", "-for", what, "abc"); code != exitOK || out != "permission abc-q1 Bash: git push\n" {
			t.Errorf("-for %s: exit %d, %q, %s", what, code, out, faults)
		}
	}
	if out, _, code := askedOf(t, quest("question"), "wait", "-for", "permission", "-timeout", "200ms", "abc"); code == exitOK {
		t.Errorf("-for permission ended for a question: %q", out)
	}
}

func TestStatusIsATableWithoutWhatIsOver(t *testing.T) {
	t.Parallel()
	out, _, code := askedOf(t, says(http.StatusOK, twoQuests), "status")
	want := "QUEST     STATUS        DONE      COST  TITLE\n" +
		"abcdefgh  running        2/3     $1.50  One\nover: 1\n"
	if out != want || code != exitOK {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// Agents write titles and questions. Nothing of theirs reaches the terminal as more than
// text, and no text of theirs looks like a line of ours.
func TestNoTextOfAnAgentMovesATerminal(t *testing.T) {
	t.Parallel()
	hostile := "a\x1b]0;title\x07\x1b[2J\nneeds you:\x9b31m\u009b31m\u202egnihton\u200b\r\x00\x7f\u2028\xff漢字"
	text, err := json.Marshal(map[string]any{
		"quests": []any{map[string]any{"id": "abcdefgh", "title": hostile, "status": "running"}},
		"needs":  []any{map[string]any{"kind": "question", "quest": "abcdefgh", "question": "abcdefgh-q1", "reason": hostile}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"status", "-json"}} {
		out, _, code := askedOf(t, says(http.StatusOK, string(text)), args...)
		if code != exitOK || !utf8.ValidString(out) || strings.ContainsAny(out, "\x1b\x07\r\x00\x7f\u009b\u202e\u200b\u2028") {
			t.Errorf("exit %d: %q", code, out)
		}
		if args[len(args)-1] == "-json" {
			var back struct{ Quests []struct{ Title string } }
			if err := json.Unmarshal([]byte(out), &back); err != nil || !strings.Contains(back.Quests[0].Title, "\u202egnihton") {
				t.Errorf("JSON must keep what was said: %v, %q", err, back.Quests[0].Title)
			}
		} else if strings.Count(out, "\n") != 5 || !strings.Contains(out, "漢字") {
			t.Errorf("not five lines with the text:\n%s", out)
		}
	}
}

func TestFaultsOfTheCommandLineAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"status", "-url", "ftp://x"}, "-url:"},
		{[]string{"status", "-url", "http://user@x/"}, "-url:"},
		{[]string{"status", "-token", "a\nb"}, "-token:"},
		{[]string{"wait", "-for", "complete,later", "q"}, `-for: "later"`},
		{[]string{"wait", "-timeout", "-1s", "q"}, "-timeout:"},
		{[]string{"wait"}, "QUEST is missing"},
		{[]string{"answer"}, "QUESTION is missing"},
		{[]string{"answer", "q"}, "TEXT is missing"},
		{[]string{"answer", "q", " "}, "TEXT is empty"},
		{[]string{"answer", "-decide", "deny"}, "QUESTION is missing"},
		{[]string{"answer", "-decide", "deny,maybe", "q"}, `-decide: "maybe" is none of once, step, quest, deny`},
		{[]string{"answer", "q", "two", "words"}, `unexpected argument "words"`},
	} {
		if text, code := said(t, c.args...); code != exitUsage || !strings.Contains(text, c.says) {
			t.Errorf("%q: exit %d, %q is not in:\n%s", c.args, code, c.says, text)
		}
	}
}
