package handlers_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// begunWith begins a quest with this request in worktree mode.
func begunWith(t *testing.T, s *site, request string) *handlerstest.Party {
	t.Helper()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Asked", Request: request, Repo: "/repo", Workspace: orchestration.WorkspaceWorktree,
		Branch: "main", Agent: "claude", ApproveReqs: true, ApprovePlan: true})
	if err != nil {
		t.Fatal(err)
	}
	return &handlerstest.Party{Engine: s.engine, Quest: q.ID}
}

func TestTheRequestStandsWhereItIsComparedWithWhatBecomesOfIt(t *testing.T) {
	t.Parallel()
	s := newSite()
	quest := begunWith(t, s, "Add **login** to billing.\n\n1. <script>alert(1)</script>\n2. a \u202eright\n[link](javascript:alert(1))").Quest
	for what, page := range s.asking(t, quest) {
		asked := page.Find("#asked")
		if got := textOf(asked); !strings.HasPrefix(got, "You asked Add login to billing. ") || !strings.Contains(got, "<script>alert(1)</script>") || !strings.Contains(got, "⟨U+202E⟩right") {
			t.Errorf("%s: %q", what, got)
		}
		if asked.Find("strong").Text() != "login" || asked.Find("ol li").Length() != 2 {
			t.Errorf("%s: it is not read as Markdown", what)
		}
		if asked.Find("script, a").Length() > 0 {
			t.Errorf("%s: what was asked became an element", what)
		}
	}
	facts := parsed(t, call(t, s.pages.Board, nil, "quest", quest)).Find("#quest-menu dl > *")
	if first := textOf(facts.Slice(0, 2)); !strings.HasPrefix(first, "You asked Add **login** to billing. 1. <script>") || facts.Find("script").Length() > 0 {
		t.Errorf("the board's facts begin with %q", first)
	}
}

// asking returns the pages that show the whole request.
func (s *site) asking(t *testing.T, quest string) map[string]*goquery.Document {
	t.Helper()
	return map[string]*goquery.Document{
		"the gate of the requirements": parsed(t, call(t, s.pages.Gate, nil, "quest", quest, "gate", "requirements")),
		"the gate of the plan":         parsed(t, call(t, s.pages.Gate, nil, "quest", quest, "gate", "plan")),
		"the requirements":             parsed(t, call(t, s.pages.Step, nil, "quest", quest, "step", "requirements")),
		"the delivery":                 parsed(t, call(t, s.pages.Delivery, nil, "quest", quest)),
	}
}

// A request may have a megabyte of any text. The page shows its beginning, with a link to
// the whole.
func TestALongRequestIsFolded(t *testing.T) {
	t.Parallel()
	s := newSite()
	const megabyte = 1 << 20
	for what, text := range map[string]string{
		"one word": strings.Repeat("W", megabyte), "lines": strings.Repeat("line\n", megabyte/5),
		"lists": strings.Repeat("- a\n", megabyte/4), "stars": strings.Repeat("*a", megabyte/2), "brackets": strings.Repeat("[", megabyte), "runes": strings.Repeat("€", megabyte/3), "links": strings.Repeat("<http://a> ", megabyte/11),
	} {
		quest := begunWith(t, s, text).Quest
		w := call(t, s.pages.Gate, nil, "quest", quest, "gate", "requirements")
		if size := w.Body.Len(); size > 400<<10 {
			t.Errorf("%s: the page has %d KiB", what, size>>10)
		}
		asked := parsed(t, w).Find("#asked")
		if href := asked.ChildrenFiltered("p").Find("a").AttrOr("href", ""); href != "/quests/"+quest+"/request.txt" || !strings.Contains(textOf(asked), "Full request, 10") && !strings.Contains(textOf(asked), "Full request, 1.0 MiB") {
			t.Errorf("%s: leads to %q: %q", what, href, textOf(asked.ChildrenFiltered("p")))
		}
		if strings.Contains(textOf(asked), "⟨U+FFFD⟩") || strings.Contains(textOf(asked), "\uFFFD") {
			t.Errorf("%s: cut within a character", what)
		}
		if board := call(t, s.pages.Board, nil, "quest", quest); board.Body.Len() > 60<<10 {
			t.Errorf("%s: the board has %d KiB", what, board.Body.Len()>>10)
		}
		if whole := call(t, s.pages.RequestText, nil, "quest", quest); whole.Body.String() != text+"\n" || whole.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: the whole has %d bytes, as %s", what, whole.Body.Len(), whole.Header().Get("Content-Type"))
		}
	}
}
