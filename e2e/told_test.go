package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// compacting is a scenario in which a conversation is compacted twice, and the process
// goes on.
const compacting = `
- {role: codeweaver, visit: 1, do: [{say: I begin.}, {compact: true}, {say: "Half is done, now the tests."}, {compact: true}, {hang: true}]}
- {role: codeweaver, do: [{compact: true}, {tool: {name: signal-back, input: {signal: complete, summary: done}}}]}
`

// The second compaction of a run ends it, and a fresh session is told the last text. What
// each run was told can be read afterwards.
func TestASecondCompactionLeadsToAFreshSessionThatIsToldTheLastText(t *testing.T) {
	t.Parallel()
	s := startAPI(t, compacting)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"The only step"}]}`)
	q := s.untilStatus(quest, "complete")
	runs := ofStep(q, "codeweaver", "one")
	if len(runs) != 2 || !strings.Contains(runs[0]["why"].(string), "compacted 2 times") || runs[1]["start"] != "continuation" ||
		runs[1]["sessionId"] == runs[0]["sessionId"] {
		t.Fatalf("the runs are %s", jsonText(runs))
	}
	dashes := strings.Repeat("-", 72) + "\n"
	for i, want := range []string{"The only step", "Half is done, now the tests."} {
		told := s.get("/runs/" + runs[i]["id"].(string) + "/prompt")
		if told.status != http.StatusOK || !strings.Contains(told.text, "Your text is not read by anybody") || !strings.Contains(told.text, "\n"+dashes+"[questboard] quest="+quest) || !strings.Contains(told.text, want) {
			t.Errorf("run %d was told %d %q", i+1, told.status, told.text)
		}
	}
	check := ofStep(q, "ward", "one")[0]["id"].(string)
	if told := s.get("/runs/" + check + "/prompt"); told.status != http.StatusNotFound || !strings.Contains(told.text, "a check is a command") {
		t.Errorf("the check was told %d %s", told.status, told.text)
	}
}
