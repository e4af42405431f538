package browser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"questboard/orchestration"
)

// A line of a megabyte in output or a diff, and texts of 100 KB elsewhere, with no
// spaces or only spaces, are shown as far as anybody reads. The layout stays as it is,
// on a desktop and on a phone.
func TestALineOfAMegabyteHoldsTheLayout(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	defer w.report() // before the server ends
	s := newStage(t)
	w.open(s.login)
	link := w.shared(s.site, s.busy, "#share-output", "#share-answer")
	p := newPoisoner([]payload{{0, "long", strings.Repeat("x<b>W", 200_000)}, {1, "blank", strings.Repeat("\u2003", 300_000)}, {2, "lines", strings.Repeat("<i>\n", 30_000)}})
	p.together = 1
	s.output.Write(s.run, p.lines()...)
	for _, line := range []string{"", "form"} {
		s.diffs.Set(s.review.Quest, line, fmt.Sprintf("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+%s\n+%s\n",
			p.lineOf("diff.line", 0), p.lineOf("diff.line", 1)))
		for n := range 2 { // so much of a line is shown, and then how much is not
			at := [2]int{n, p.place("diff.line")}
			p.written[at] = strings.ToValidUTF8(p.written[at][:2000], "")
		}
	}
	for i := range p.payloads {
		p.payloads[i].text = p.payloads[i].text[:99_000]
	}
	s.lengthen(p)
	busy, review := s.url+"/quests/"+s.busy.Quest, s.url+"/quests/"+s.review.Quest
	for _, url := range []string{busy, busy + "/steps/form", busy + "/steps/cookie", busy + "/steps/store", s.url + "/questions", s.url + "/runs/" + s.run + "/lines/1",
		review + "/diff", review + "/steps/form/diff?view=split", link + "/steps/cookie"} {
		w.size(1440, 900)
		w.visit(url)
		w.read(p)
		w.size(390, 844)
		w.at("on a phone, " + url)
		w.read(p)
	}
	if w.seen == 0 {
		t.Error("no text was seen")
	}
}

// lengthen makes the texts of agents long.
func (s *stage) lengthen(p *poisoner) {
	q, err := s.engine.Quest(context.Background(), s.busy.Quest)
	if err != nil {
		panic(err)
	}
	out := *q
	out.Version++
	for i, step := range out.Steps.All() {
		copied := *step
		switch step.ID {
		case "admin":
			copied.Title, copied.Files = p.one("step.Title", 0), []string{p.one("step.Files", 0)}
		case "form":
			copied.Description = p.one("step.Description", 0)
		case "store":
			copied.Description = p.one("step.Description", 2)
		}
		out.Steps = out.Steps.With(i, &copied)
	}
	for i, r := range out.Runs.All() {
		copied := *r
		if r.Step == "store" && r.Signal != nil {
			signal := *r.Signal
			signal.Summary, copied.Why = p.one("run.Signal.Summary", i%2), p.one("run.Why", i%3)
			copied.Signal = &signal
		}
		out.Runs = out.Runs.With(i, &copied)
	}
	asked := *out.Questions.At(0)
	asked.Text, asked.Context = p.one("question.Text", 0), p.one("question.Context", 1)
	out.Questions = out.Questions.With(0, &asked)
	s.engine.Replace(orchestration.Restore(&out))
	s.engine.Say(s.run, p.one("newest line", 0))
}
