package browser_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// payloadSeed makes the payloads; QUESTBOARD_PAYLOADS says how many (`make soak`).
const payloadSeed = 20261121

//go:embed testdata/payload_log.js
var harvestLog string

// docs/hardening.md#web, T1.5: everything that agents, repositories and people write is
// shown as text, on every page, for the owner and for guests, when the page is loaded
// and when it comes through the socket.
func TestNothingThatAnybodyWritesIsMoreThanText(t *testing.T) {
	t.Parallel()
	count, together := 24, 100 // one of each family
	if n, err := strconv.Atoi(os.Getenv("QUESTBOARD_PAYLOADS")); err == nil {
		count = n
	}
	rounds := 1
	if count > together {
		rounds = 5 // twenty stand in a text: each in each place
	}
	places, seen := map[string]bool{}, 0
	for chunk := range slices.Chunk(payloads(payloadSeed, count), together) {
		for round := range rounds {
			p := newPoisoner(chunk)
			p.next, p.thorough = round*p.together, rounds > 1
			seen += playRound(t, p, places)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d payloads in %d places: %d times shown whole", count, len(places), seen)
	for _, must := range mustShow {
		if !places[must] {
			t.Errorf("no page has shown %s", must)
		}
	}
}

// mustShow are the most important places that the pages must have shown. There are more.
var mustShow = []string{"output.text", "output.thinking", "output.tool name", "output.tool input", "output.tool result", "output.tool error", "output.sub-agent",
	"output.ward", "output.plain", "output.signal", "newest line", "quest.Title", "quest.Repo", "quest.Ward", "quest.Branch", "quest.KnownFaults",
	"quest.Requirements.Context", "quest.Requirements.Trigger", "quest.Requirements.Observables.Text", "step.Title", "step.Description", "step.Files", "step.Changed",
	"run.Signal.Summary", "run.Signal.Question", "run.Signal.Context", "run.Signal.Reason", "run.Why", "run.SessionID", "question.Text", "question.Context",
	"question.Answer", "question.AnsweredBy", "diff.name", "diff.new name", "diff.heading", "diff.added", "diff.removed", "diff.line", "diff.link", "kept.Subject",
	"wants.Faults", "wants.List.Text", "wants.List.Name", "audit.Actor", "audit.Target", "audit.Agent", "settings.Setup", "settings.Path", "hold.Reason",
	"history.Data", "history.Actor", "trial.Command", "trial.Why", "draft.Quest.Request", "doctor.Says", "roles.Prompt", "delivery.refusal", "push.refusal", "pushed.Note", "pushed.Command", "typed.request", "typed.repo", "typed.answer", "typed.comment", "url.step", "url.gate", "restore.refusal"}

// playRound shows the payloads everywhere and records the places. It returns how many
// texts were seen completely.
func playRound(t *testing.T, p *poisoner, places map[string]bool) int {
	t.Helper()
	w, s := newWatched(t), newStage(t)
	defer w.report()
	w.open(s.login)
	link := w.shared(s.site, s.busy, "#share-output", "#share-cost", "#share-answer")

	s.logs(w, p, link)
	w.visit(s.url + "/quests/" + s.busy.Quest + "/steps/form")
	w.live()
	s.poison(p) // this reaches the pages through the socket
	w.until(`['#quest-head h1', '#step-head', '#alerts', '.card'].every((at) => document.querySelector(at)?.textContent.includes('Qz'))`)
	w.at("the owner's page, live")
	w.read(p)
	eval[any](w.tab, `void document.getElementById('link-cookie').click()`) // it may be far away
	w.until(`!!document.querySelector('#panel form[id^=answer-form]')`)
	w.at("the panel")
	w.read(p)

	for _, path := range s.ownersPages(p) {
		w.visit(s.url + path)
		w.read(p)
	}
	s.forms(w, p)
	for _, path := range []string{"?closed=done", "/steps/form", "/steps/cookie", "/steps/routes", "/steps/adapter", "/steps/plan", "/steps/requirements", "/questions/" + s.busy.Quest + "-q1",
		"/runs/" + s.run + "/lines/2", "/steps/" + url.PathEscape(p.text("url.guest"))} {
		w.visit(link + path)
		w.read(p)
		if strings.Contains(eval[string](w.tab, "document.documentElement.outerHTML"), shareSecret) {
			w.note("secret: a guest is shown what looks like one")
		}
	}
	for at := range w.shown {
		places[p.places[at[1]]] = true
	}
	return w.seen
}

// logs lets the owner and a guest read all kinds of output, some of it from the
// page, some as it comes.
func (s *stage) logs(w *watched, p *poisoner, link string) {
	lines := p.lines()
	for _, who := range []string{s.url + "/quests/" + s.busy.Quest, link} {
		s.output.Write(s.run, lines[:len(lines)/2]...)
		w.visit(who + "/steps/form")
		w.live()
		s.output.Write(s.run, lines[len(lines)/2:]...)
		w.readLog(p)
		w.read(p)
		lines = lines[len(lines)*3/4:] // the guest finds those of the owner
	}
	if strings.Contains(eval[string](w.tab, "document.documentElement.outerHTML"), shareSecret) {
		w.note("secret: a guest is shown what looks like one")
	}
}

func (w *watched) visit(url string) {
	w.t.Helper()
	w.at(url)
	w.do(chromedp.Navigate(url), chromedp.WaitReady("body"))
}

// readLog goes through all rows of the log.
func (w *watched) readLog(p *poisoner) {
	w.t.Helper()
	w.size(1440, 4000)
	w.until(`!!document.querySelector('log-view .row[data-n]')`)
	rows, err := chromedp.Run(w.ctx, chromedp.Evaluate[[]saying](harvestLog, func(e *runtime.EvaluateParams) { chromedp.EvalAwaitPromise(e) }))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, row := range rows {
		w.hides(row.At, row.Says)
		if strings.HasSuffix(row.At, " .md") {
			w.compareProse(p, row.At, row.Says)
		} else {
			w.compare(p, row.At, row.Says)
		}
	}
	w.size(1440, 900)
}

// ownersPages returns the addresses of the owner's pages.
func (s *stage) ownersPages(p *poisoner) []string {
	busy, gated, review := "/quests/"+s.busy.Quest, "/quests/"+s.gated.Quest, "/quests/"+s.review.Quest
	pages := []string{"/quests", busy + "?closed=done", gated, gated + "/gates/plan", gated + "/gates/requirements", gated + "/steps/plan",
		"/questions", "/questions/" + s.busy.Quest + "-q1", "/questions/" + s.busy.Quest + "-q2",
		review, review + "/diff", review + "/steps/form", review + "/steps/form/diff?view=unified", review + "/steps/form/diff?view=split", review + "/delivery",
		"/quests/" + s.finished.Quest, "/quests/" + s.finished.Quest + "/delivery", "/quests/" + s.finished.Quest + "/kept", "/quests/" + s.finished.Quest + "/shares",
		"/quests/" + s.delivered.Quest, "/quests/" + s.delivered.Quest + "/delivery", "/quests/" + s.red.Quest, "/quests/" + s.red.Quest + "/steps/plan",
		"/settings", "/settings/disk", "/settings/trust?quest=" + s.review.Quest, "/settings/trust?repo=" + url.QueryEscape("/"+p.nameOf("url.repo", p.next)), "/audit",
		"/audit?action=" + url.QueryEscape(p.text("url.action")) + "&quest=" + url.QueryEscape(p.text("url.quest filter")),
		"/quests/new", "/quests/new/repository?repo=" + url.QueryEscape("/"+p.text("url.new repo")),
		"/quests/" + url.PathEscape(p.text("url.quest")), busy + "/steps/" + url.PathEscape(p.text("url.step")), gated + "/gates/" + url.PathEscape(p.text("url.gate")),
		"/questions/" + url.PathEscape(s.busy.Quest+"-q1"+p.text("url.question")), "/runs/" + url.PathEscape(p.text("url.run")) + "/lines/1", "/" + url.PathEscape(p.text("url.nothing")),
		"/runs/" + s.run + "/lines/2", "/runs/" + s.run + "/lines/" + strconv.Itoa(len(p.payloads)*len(outputs))}
	for _, line := range []string{"cookie", "adapter", "limit", "hash", "notes", "store", "routes", "plan", "requirements"} {
		pages = append(pages, busy+"/steps/"+line)
	}
	for _, line := range []string{"limit", "store", "hash"} {
		pages = append(pages, busy+"/steps/"+line+"/sessions")
	}
	return append(pages, s.routed(p)...)
}

// noPages are addresses that browsers do not show.
var noPages = regexp.MustCompile(`\.(txt|csv|json|jsonl|ico)$|/(output|patch|ws|find)$|^/(static|api|mcp|healthz|readyz|metrics|login|s)\b`)

// routed returns all pages that the router has, so that the test also covers new ones:
// those of the busy quest and, in a thorough run, those of the quest in review.
func (s *stage) routed(p *poisoner) []string {
	var pages []string
	parties := []*handlerstest.Party{s.busy, s.review}
	if !p.thorough {
		parties = parties[:1]
	}
	for _, party := range parties {
		names := strings.NewReplacer(":quest", party.Quest, ":step", "form", ":gate", "plan", ":question", party.Quest+"-q1", ":run", runOf(s.site, party, "form"), ":line", "1",
			":role", "codeweaver", ":draft", "draft1")
		for _, route := range s.router.Routes() {
			if path := names.Replace(route.Path); route.Method == "GET" && !noPages.MatchString(route.Path) && !slices.Contains(pages, path) {
				pages = append(pages, path)
			}
		}
	}
	return pages
}

// forms sends forms that are refused and come back with their texts, and shows messages
// of git.
func (s *stage) forms(w *watched, p *poisoner) {
	typed := func(place string) string {
		if place == "links" || place == "copies" { // one path a line
			return p.text("typed."+place, "\r", "", "\n", " ")
		}
		return p.text("typed."+place, "\r", "") // browsers send other line ends
	}
	refusal := func(place string) error {
		return &orchestration.Error{Code: orchestration.CodeConflict, Message: p.text(place)}
	}
	s.trees.DeliverErr, s.trees.RestoreErr = refusal("delivery.refusal"), &orchestration.Error{Code: orchestration.CodeInvalid, Message: "x", Fields: map[string]string{"branch": p.text("restore.refusal")}}
	finished, review := "/quests/"+s.finished.Quest, "/quests/"+s.review.Quest
	w.submit(s.url+"/quests", map[string]string{"request": typed("request"), "title": typed("title"), "repo": "/" + typed("repo"), "ward": typed("ward"), "base": typed("base"),
		"setup": typed("setup"), "links": typed("links"), "copies": typed("copies"), "slots": typed("slots"), "budget": typed("budget"), "agent": typed("agent")})
	w.read(p)
	w.submit(s.url+"/quests/new", map[string]string{"request": typed("request"), "repo": "/repo", "base": typed("base"), "workspace": "worktree", "setup": typed("setup")})
	w.read(p)
	w.submit(s.url+"/settings/repositories", map[string]string{"path": typed("path"), "setup": typed("setup"), "links": typed("links"), "copies": typed("copies")})
	w.read(p)
	w.submit(s.url+"/settings/editor", map[string]string{"editor": typed("editor")})
	w.read(p)
	w.submit(s.url+finished+"/delivery", map[string]string{"how": "merge", "message": typed("message")})
	w.read(p)
	w.submit(s.url+finished+"/delivery/push", nil)
	w.read(p)
	s.trees.Pushed.PullRequest = p.one("pushed.PullRequest", 5) // a javascript URL
	w.submit(s.url+finished+"/delivery/push", nil)
	w.read(p)
	s.trees.PushErr = refusal("push.refusal")
	w.submit(s.url+finished+"/delivery/push", nil)
	w.read(p)
	w.submit(s.url+finished+"/kept/restore", map[string]string{"ref": s.trees.KeptWork[0].Ref, "branch": typed("branch")})
	w.read(p)
	w.submit(s.url+"/quests/"+s.busy.Quest+"/abandon", map[string]string{"title": typed("abandon")})
	w.read(p)
	w.submit(s.url+"/questions/"+s.busy.Quest+"-q2/answer", map[string]string{"answer": typed("answer")})
	w.read(p)
	w.submit(s.url+review+"/steps/form/diff", map[string]string{"comment-file": strconv.QuoteToASCII(typed("comment file")), "comment-at": "n1", "comment-quote": typed("quote"),
		"comment-text": typed("comment"), "on": "x.n1"})
	w.read(p)
	w.submit(s.url+"/login", map[string]string{"token": typed("token"), "next": typed("next")})
	w.read(p)
}

// submit sends a form as a page of ours does.
func (w *watched) submit(url string, values map[string]string) {
	w.t.Helper()
	data, err := json.Marshal(values)
	if err != nil {
		w.t.Fatal(err)
	}
	w.at("form " + url)
	eval[any](w.tab, `void (() => {
		const form = document.createElement('form');
		form.method = 'post';
		form.action = `+fmt.Sprintf("%q", url)+`;
		for (const [name, value] of Object.entries(`+string(data)+` ?? {})) {
			const field = document.createElement('textarea');
			field.name = name;
			field.value = value;
			form.append(field);
		}
		window.before = true;
		document.body.append(form);
		HTMLFormElement.prototype.submit.call(form);
	})()`)
	w.until(`!window.before && document.readyState === 'complete' && !!document.getElementById('main')`)
}
