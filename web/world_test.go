package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/web/paths"
)

// commentable is the place of a line of internal/form.go in the fixture's diff.
const commentable = "ec483364c7.n5"

// world is a door with everything that the product can show: quests in all states, a
// draft, kept work, and settings that differ from the defaults.
type world struct {
	*door
	gated, review, finished, red, paused *handlerstest.Party
	errand, sized                        *handlerstest.Party // a complete errand, and one that an agent said, at its gate
	draft, deleted                       string
	link                                 string // of a share that allows everything
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{door: newDoor(t, nil)}
	w.gated = handlerstest.Begin(w.engine, "Rates")
	w.gated.ToPlanGate()
	w.review = handlerstest.Review(w.engine, w.diffs)
	w.finished = handlerstest.Finished(w.engine, "Say hello", "main")
	w.red = handlerstest.OnBase(w.engine)
	w.red.BaseFails("FAIL TestOld")
	w.errand = handlerstest.Errand(w.engine)
	w.errand.FinishErrand()
	w.sized = handlerstest.Sized(w.engine, "Mend the typo", "one word is wrong")
	w.paused = handlerstest.Begin(w.engine, "Later")
	programs := orchestration.Programs{orchestration.ChaosWhisperer: {Fallback: []string{"simulated"}}} // could go on for its session
	if _, err := w.engine.Submit(t.Context(), w.paused.Quest, "user", orchestration.QuestEdited{Programs: &programs}); err != nil {
		t.Fatal(err)
	}
	w.paused.Exit(w.paused.Start(orchestration.StepRequirements), orchestration.EndInterrupted, orchestration.Exit{})
	if _, err := w.engine.Submit(t.Context(), w.paused.Quest, "user", orchestration.PausePressed{}); err != nil {
		t.Fatal(err)
	}
	going := service.Trial{Run: "trial-1", Command: "make check", Dir: "/repo", Began: w.clock(), Going: true}
	w.trials.Set(w.paused.Quest, going)
	w.trials.Set(service.PlaceOfNew("/repo").Name, going)
	w.trees.KeptWork = handlerstest.KeptSample(w.finished.Quest)
	w.output.Write(w.party.Quest+"-r1", `{"type":"assistant","message":{"content":[{"type":"text","text":"I read the step."}]}}`, "plain text, no JSON")
	w.draft, w.deleted = w.drafted(t), w.drafted(t)
	if err := w.drafts.DeleteDraft(t.Context(), w.deleted, w.clock()); err != nil {
		t.Fatal(err)
	}
	err := w.settings.ChangeSettings(context.Background(), func(now *record.Settings) {
		now.Editor = "vscode://file{path}"
		slack, _ := handlerstest.ASlackChannel()
		now.SetChannel(slack)
		now.SetAgent(record.AgentProgram{Name: "own", Command: "/bin/true", Env: map[string]string{"KEY": "sk-own-0123456789"}})
		now.SetRepo(record.RepoSettings{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}})
		now.AddTrust("/repo", record.RepoConfig{List: []record.Want{{File: ".mcp.json", Kind: "MCP server", Name: "db", Text: "{}"}}}.Sealed(), time.Unix(0, 0))
		role := record.RoleSettings{Role: orchestration.Codeweaver, Model: "claude-opus-4-8"}
		role.SetPrompt("You are **Codeweaver**, in other words.\n")
		now.SetRole(role)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.door.link(t, "output=true&answer=true")
	w.link = w.door.link(t, "output=true&answer=true&cost=true")
	return w
}

func (w *world) drafted(t *testing.T) string {
	t.Helper()
	d, err := w.drafts.SaveDraft(t.Context(), record.Draft{ChangedAt: w.clock(), Quest: orchestration.NewQuest{Title: "An idea", Request: "Say hello twice.", Repo: "/repo", Agent: "claude"}})
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// crawl visits every page that links lead to from the first ones, and returns their
// number. Every linked page must exist.
func (w *world) crawl(t *testing.T, visit func(url string, page *goquery.Document)) int {
	t.Helper()
	seen := map[string]bool{}
	review := "/quests/" + w.review.Quest
	queue := []string{"/", "/quests", "/login?token=wrong", w.link, paths.DeletedDraft(w.deleted), review + "/diff?on=" + commentable, review + "/steps/form/diff?on=" + commentable}
	for len(queue) > 0 {
		url := queue[0]
		queue = queue[1:]
		if seen[url] {
			continue
		}
		seen[url] = true
		w.now.Add(1)
		got := w.get(url)
		if got.Code != http.StatusOK && got.Code != http.StatusSeeOther {
			t.Errorf("%s: %d", url, got.Code)
			continue
		}
		if !strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
			continue
		}
		page, err := goquery.NewDocumentFromReader(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		page.Find("[href], [src], [hx-get]").Each(func(_ int, e *goquery.Selection) {
			for _, name := range []string{"href", "src", "hx-get"} {
				if to, ok := e.Attr(name); ok && strings.HasPrefix(to, "/") && !again(url, to) {
					to, _, _ = strings.Cut(to, "#")
					queue = append(queue, to)
				}
			}
		})
		visit(url, page)
	}
	return len(seen)
}

// again reports whether a link only closes one more column of a board: there are 256 ways to
// do that, and a crawler sees each column closed alone.
func again(at, to string) bool {
	return strings.Contains(at, "closed=") && strings.Contains(to, "closed=")
}

// routeOf is the pattern of the route that takes an address, or "" if none does.
func (w *world) routeOf(method, address string) string {
	path, _, _ := strings.Cut(address, "?")
	c := w.NewContext(nil, nil)
	w.Router().Find(method, path, c)
	return c.Path()
}
