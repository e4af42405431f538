package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// An agent sends a signal of 2 MiB, a second signal, and half a line at the end. The
// agent is told, and the quest goes on.
func TestTooMuchFromAnAgentChangesNothing(t *testing.T) {
	t.Parallel()
	s := startAPI(t, `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: "`+strings.Repeat("x", 2<<20)+`"}}
    - tool: {name: signal-back, input: {signal: complete, summary: short}}
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Again?, context: none}}
    - garbage: "half a li"
`)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	q := s.untilStatus(quest, "complete")
	first := objects(q["runs"])[0]
	if first["signal"].(object)["summary"] != "short" || first["outcome"] != "signalled" || len(objects(q["questions"])) != 0 {
		t.Errorf("the run: %v, questions %v", first, q["questions"])
	}
}

// A check prints a line of 20 MiB, bytes that are not text, and no newline at the end.
// The output is kept and shown, and nothing crashes.
func TestOutputOfACheckThatIsNoTextIsShown(t *testing.T) {
	t.Parallel()
	s := startAPI(t, greeting)
	quest := s.begin(apiRepo(t), `,"ward":"head -c 20971520 /dev/zero | tr '\\0' x; printf '\\nbad \\377\\n\\033[31mred\\n<script>alert(1)</script>\\nhalf'",`+
		`"plan":{"steps":[{"id":"one","title":"One"}]}`)
	q := s.untilStatus(quest, "complete")
	for _, run := range objects(q["runs"]) {
		if run["role"] != "ward" {
			continue
		}
		text := ""
		for from := 0; ; {
			page := s.get("/runs/" + run["id"].(string) + "/output?from=" + jsonText(from)).want(http.StatusOK)
			lines := page["lines"].([]any)
			for _, line := range lines {
				if !utf8.ValidString(line.(string)) {
					t.Error("a line is no text")
				}
				text += line.(string) + "\n"
			}
			if from += len(lines); len(lines) == 0 || float64(from) >= page["total"].(float64) {
				break
			}
		}
		if len(text) < 15<<20 || !strings.Contains(text, "half") || !strings.Contains(text, "red") {
			t.Errorf("%d bytes are shown, half: %v", len(text), strings.Contains(text, "half"))
		}
		return
	}
	t.Error("no run of ward")
}
