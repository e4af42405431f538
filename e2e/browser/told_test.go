package browser_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/telling/channel"
)

// telling has a plan that waits for approval, and a step that asks.
const telling = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: hello.txt}}
- role: codeweaver
  do: [{hang: true}]
`

// phone is a receiver that has got the notifications of ntfy, or of a webhook.
type phone struct {
	t     *testing.T
	url   string
	links chan string // where a press on each leads
}

func newPhone(t *testing.T) *phone {
	t.Helper()
	p := &phone{t: t, links: make(chan string, 20)}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var got struct {
			Click string
			Data  struct{ Notices []struct{ URL string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Errorf("%s: %v", r.URL, err)
		}
		if len(got.Data.Notices) > 0 {
			got.Click = got.Data.Notices[0].URL
		}
		p.links <- got.Click
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// link waits for a notification that leads to such a page.
func (p *phone) link(part string) string {
	p.t.Helper()
	for late := time.After(patience); ; {
		select {
		case link := <-p.links:
			if strings.Contains(link, part) {
				return link
			}
		case <-late:
			p.t.Fatalf("no notification leads to %s", part)
		}
	}
}

// call makes a request of the API with the owner's token, and reads the answer.
func (p *product) call(t *testing.T, method, path, body string, into any) {
	t.Helper()
	if status, answer := p.ask(t, method, "/api/v1"+path, body); status >= http.StatusBadRequest || json.Unmarshal([]byte(answer), into) != nil {
		t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

// On a phone, the press on a notification opens the page that it is about. There a question
// takes the text and one press; what waits for approval takes one press.
func TestANotificationIsOnePressAwayFromItsAnswer(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ntfy", "webhook"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			phone, p := newPhone(t), newProduct(t, telling)
			var made struct{ ID string }
			p.call(t, http.MethodPost, "/channels", `{"kind":"`+kind+`","name":"Phone","address":"`+phone.url+`/tides","local":true,"bundle":false}`, &made)
			s := &stranger{tab: newTab(t)}
			s.size(390, 844)
			s.open(p.login)
			request, err := json.Marshal(map[string]any{"request": "- say hello", "repo": p.repo, "approve": []string{"plan"}})
			if err != nil {
				t.Fatal(err)
			}
			p.call(t, http.MethodPost, "/quests", string(request), &made)

			s.open(phone.link("/gates/plan"))
			s.press("button", "Approve and continue")
			s.took("from the notification to the approval", 1, 0, 0)

			link := phone.link("/questions/")
			s.open(link)
			s.write("Your answer", "Everybody, please.")
			s.press("button", "Send answer and resume")
			s.took("from the notification to the answer", 1, 1, 0)
			s.until(`location.pathname.endsWith('/steps/hello') && !document.querySelector('textarea[name=answer]')`)
			s.open(link) // pressed again, it shows what was answered
			s.find("StaticText", "Everybody, please.")
			var q struct{ Questions []struct{ Answer string } }
			if p.call(t, http.MethodGet, "/quests/"+made.ID, "", &q); len(q.Questions) != 1 || q.Questions[0].Answer != "Everybody, please." {
				t.Errorf("the agent gets %+v", q)
			}
			if wide := eval[int64](s.tab, "document.documentElement.scrollWidth"); wide > 390 {
				t.Errorf("%d px wide", wide)
			}
			s.accessible("an answered question on a phone")
		})
	}
}

// The same of an agent that asks before a call. Simulated agents never do, so its run is
// played here, and only the message is sent as the server sends it.
func TestANotificationOfACallIsOnePressAwayFromItsDecision(t *testing.T) {
	t.Parallel()
	phone, site := newPhone(t), newSite(t)
	party := handlerstest.Busy(site.engine)
	if _, err := site.engine.Submit(t.Context(), party.Quest, "user", orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: "the SSO"}); err != nil {
		t.Fatal(err)
	}
	party.AskPermission("cookie", orchestration.Call{Tool: "Bash", Text: "git push origin main", Rules: []string{"Bash(git push *)"}})
	q, err := site.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	asked := q.Questions.At(q.Questions.Len() - 1)
	sender := channel.Sender{Site: site.url, Clean: func(_ context.Context, _, text string) string { return text }, Clock: time.Now, HTTPLimit: patience}
	err = sender.Send(t.Context(), record.Channel{Kind: record.ChannelNtfy, Address: phone.url + "/tides", Local: true},
		record.Message{ID: "msg_1", Notices: []orchestration.Notice{{ID: "e1", Kind: "question", Quest: q.ID, Question: asked.ID, Step: asked.Step, Needs: true}}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{tab: newTab(t)}
	s.size(390, 844)
	s.open(site.login)
	s.open(phone.link("/questions/"))
	s.press("button", "Allow once")
	s.took("from the notification to the decision", 1, 0, 0)
	s.until(`location.pathname.endsWith('/steps/cookie')`)
	if q, err = site.engine.Quest(t.Context(), party.Quest); err != nil || q.Question(asked.ID).Open() {
		t.Errorf("it is still open (%v)", err)
	}
}
