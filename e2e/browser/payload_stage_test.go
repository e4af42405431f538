package browser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// stage is a site that shows everything the product can show: quests in all states, at
// first with harmless texts.
type stage struct {
	*site
	busy, gated, review, finished, delivered, red *handlerstest.Party
	run                                           string // the run whose output is shown
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{site: newSite(t)}
	s.busy = handlerstest.Busy(s.engine)
	s.busy.Start("routes")
	s.busy.Ask("routes", "Which prefix?")
	s.submit(s.busy, orchestration.AnswerGiven{Question: s.busy.Quest + "-q2", Answer: "none"})
	s.gated = handlerstest.Begin(s.engine, "Show the exchange rate")
	s.gated.ToPlanGate()
	s.review = handlerstest.Review(s.engine, s.diffs)
	s.finished = handlerstest.Finished(s.engine, "Ready to be merged", "main")
	s.delivered = handlerstest.Finished(s.engine, "Merged", "main")
	s.submit(s.delivered, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	s.red = handlerstest.OnBase(s.engine)
	s.red.BaseFails("TestOld", "TestOlder")
	s.run = runOf(s.site, s.busy, "form")
	return s
}

// poison puts payloads into all texts of the quests and into everything beside them.
func (s *stage) poison(p *poisoner) {
	s.around(p)
	for _, party := range []*handlerstest.Party{s.gated, s.review, s.finished, s.delivered, s.red} {
		p.rewrite(s.site, party.Quest)
	}
	s.engine.Say(s.run, p.text("newest line"))
	p.rewrite(s.site, s.busy.Quest)
}

func (s *stage) around(p *poisoner) {
	s.engine.Hold(poisoned(p, "hold", orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "x"}))
	s.trees.KeptWork = poisoned(p, "kept", handlerstest.KeptSample(s.finished.Quest))
	s.trees.Pushed = poisoned(p, "pushed", record.Pushed{Branch: "x", Remote: "x", Command: "x", Note: "x"})
	s.repos.Wanted = poisoned(p, "wants", record.RepoConfig{Faults: []string{"x"}, Files: []record.WantedFile{{Path: "x"}},
		List: []record.Want{{File: "x", Kind: "hook", Name: "x", Text: "x"}, {File: "x", Kind: record.WantRules, Name: "x", Text: "x"}}}).Sealed()
	for _, action := range []string{"answer", record.AuditLoginRefused} {
		entry := poisoned(p, "audit", record.AuditEntry{At: time.Now(), Actor: "x", Via: "x", Action: action, Target: "x", Remote: "x", Status: 400})
		entry.Agent = p.text("audit.Agent")
		_ = s.audit.Record(context.Background(), entry)
	}
	_ = s.settings.ChangeSettings(context.Background(), func(now *record.Settings) {
		now.Repos = poisoned(p, "settings", []record.RepoSettings{{Path: "x", Setup: "x", Links: []string{"x"}, Copies: []string{"x"}}})
		now.Editor = "https://editor.example/?{path}" + p.text("editor")
	})
	s.beside(p)
	for _, line := range []string{"", "store", "form"} {
		s.diffs.Set(s.review.Quest, line, p.patch())
	}
}

// beside puts payloads into everything beside the quests, and into their history.
func (s *stage) beside(p *poisoner) {
	ctx := context.Background()
	for _, party := range []*handlerstest.Party{s.busy, s.review} {
		s.trials.Set(party.Quest, poisoned(p, "trial", service.Trial{Command: "x", Dir: "x", Why: "x", Began: time.Now()}))
		events, err := s.engine.Events(ctx, party.Quest, orchestration.EventFilter{N: 1000})
		if err != nil {
			panic(err)
		}
		for _, e := range events {
			e.Actor = p.one("history.Actor", p.next)
			data := map[string]string{}
			for name := range e.Data {
				data[name] = p.one("history.Data", p.next)
				p.next++
			}
			e.Data = data
			s.engine.Note(party.Quest, e)
		}
	}
	draft := poisoned(p, "draft", record.Draft{Quest: orchestration.NewQuest{Request: "x", Title: "x", Repo: "x", Ward: "x", Branch: "x"}, Setup: "x", Links: "x", Copies: "x"})
	if _, err := s.drafts.SaveDraft(ctx, draft); err != nil {
		panic(err)
	}
	s.doctor.Find(time.Now(), poisoned(p, "doctor", []service.Finding{{What: "x", Says: "x", Bad: true}, {What: "x", Says: "x"}})...)
	_ = s.settings.ChangeSettings(ctx, func(now *record.Settings) {
		now.Roles = poisoned(p, "roles", []record.RoleSettings{{Role: orchestration.Codeweaver, Model: "x", Effort: "x", Allow: []string{"x"}, Deny: []string{"x"}}})
		now.Roles[0].Prompt = p.text("roles.Prompt", "\n", " ") // its difference is shown line by line
	})
}

// patch returns a diff as git writes it, with hostile names, headings and lines.
func (p *poisoner) patch() string {
	var b strings.Builder
	for n := range 8 {
		name := p.nameOf("diff.name", p.next+n)
		fmt.Fprintf(&b, "diff --git %s %s\n", gitName("a/", name), gitName("b/", name))
		switch n {
		case 0:
			to := p.nameOf("diff.new name", p.next)
			b.Reset()
			fmt.Fprintf(&b, "diff --git %s %s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", gitName("a/", name), gitName("b/", to), gitName("", name), gitName("", to))
			continue
		case 1:
			fmt.Fprintf(&b, "new file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+%s\n\\ No newline at end of file\n", gitName("b/", name), p.lineOf("diff.link", n))
			continue
		case 2:
			fmt.Fprintf(&b, "new file mode 100644\nindex 0000000..1\nBinary files /dev/null and %s differ\n", gitName("b/", name))
			continue
		}
		fmt.Fprintf(&b, "index 1..2 100644\n--- %s\n+++ %s\n@@ -1,3 +1,%d @@ %s\n", gitName("a/", name), gitName("b/", name), 2+len(p.payloads)/5, p.lineOf("diff.heading", n))
		fmt.Fprintf(&b, " %s\n-%s\n-%s\n", p.lineOf("diff.line", n+1), p.lineOf("diff.removed", n+2), p.lineOf("diff.removed", n+3))
		for i := range len(p.payloads)/5 + 1 {
			fmt.Fprintf(&b, "+%s\n", p.lineOf("diff.added", (n-3)*len(p.payloads)/5+i))
		}
	}
	p.next += 8
	return b.String()
}

// lineOf is a payload on one line, nameOf one as the name of a file.
func (p *poisoner) lineOf(place string, n int) string { return p.one(place, n, "\n", " ") }

func (p *poisoner) nameOf(place string, n int) string {
	return p.one(place, n, "///", "/", "//", "/", "../", "..", "\x00", "")
}

// gitName is a name as git quotes it.
func gitName(prefix, name string) string {
	var b strings.Builder
	for _, c := range []byte(prefix + name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}
