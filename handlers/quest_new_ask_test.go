package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A new quest can name the calls before which it asks. What cannot work is said beside the
// field, in the open options, and what was typed stays.
func TestANewQuestSaysBeforeWhichCallsItAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, timeout, field, says string }{
		{"git <b>push", "", "ask", `"git <b>push" cannot be read: a rule is a tool with a use in brackets`},
		{"Bash(git push *)\nBash(*)", "2h", "ask", "Bash(*) matches everything, and asking before every call stops all work"},
		{"Bash(" + strings.Repeat("x", 10_000) + ")", "", "ask", "A rule has 10006 characters, and 10,000 are allowed."},
		{"WebFetch", "soon", "askTimeout", "Write a time such as 2h or 45m, or nothing."},
		{"WebFetch", "-2h", "askTimeout", "Write a time such as 2h or 45m, or nothing."},
	} {
		s := newSite()
		form := url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "ask": {c.ask}, "askTimeout": {c.timeout}}
		for what, handler := range map[string]echo.HandlerFunc{"start": s.pages.CreateQuest, "draft": s.pages.SaveDraft} {
			w := call(t, handler, form)
			page := parsed(t, w)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#"+c.field+"-error"), c.says) {
				t.Errorf("%s %.40q: %d %.200q", what, c.ask, w.Code, words(page, "#"+c.field+"-error"))
			}
			if timeout, _ := page.Find("#askTimeout").Attr("value"); page.Find("#ask").Text() != c.ask || timeout != c.timeout || page.Find("#options[open]").Length() != 1 {
				t.Errorf("%s %.40q: lost, or hidden: %.40q %q", what, c.ask, page.Find("#ask").Text(), timeout)
			}
		}
	}
	s := newSite()
	form := url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "ask": {" Bash(git push *)\r\n\r\nWebFetch "}, "askTimeout": {"90m"}}
	call(t, s.pages.SaveDraft, form)
	page := parsed(t, call(t, s.pages.Draft, nil, "draft", "draft1"))
	if timeout, _ := page.Find("#askTimeout").Attr("value"); page.Find("#ask").Text() != "Bash(git push *)\nWebFetch" || timeout != "1h30m" || page.Find("#options[open]").Length() != 1 {
		t.Errorf("the draft has %q and %q", page.Find("#ask").Text(), timeout)
	}
	call(t, s.pages.CreateQuest, form)
	q := s.quest(t, &handlerstest.Party{Quest: "quest1"})
	if want := []string{"Bash(git push *)", "WebFetch"}; !slices.Equal(q.Asks.Rules, want) || q.Asks.Timeout != 90*time.Minute {
		t.Errorf("the quest asks %+v", q.Asks)
	}
	page = parsed(t, s.ask(t, s.pages.NewQuest, "", "/quests/new?from=quest1"))
	if page.Find("#ask").Text() != "Bash(git push *)\nWebFetch" {
		t.Errorf("its duplicate: %q", page.Find("#ask").Text())
	}
	s.press(t, &handlerstest.Party{Quest: "quest1"}, orchestration.AbandonPressed{})
	if n := s.quest(t, &handlerstest.Party{Quest: "quest1"}).FollowUp("more", ""); len(n.Asks.Rules) != 2 || n.Asks.Timeout != 90*time.Minute {
		t.Errorf("its follow-up asks %+v", n.Asks)
	}
}
