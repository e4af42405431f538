package signalback_test

import (
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// What happens to steps that share a file is said once: PathSeeker's text and the tool have
// the same words.
func TestTheRuleOfSharedFilesHasOneWording(t *testing.T) {
	t.Parallel()
	text, err := agents.RoleText(orchestration.PathSeeker)
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(text, "as paths relative to the repository. ")
	rule, _, _ = strings.Cut(rule, ". So cut along files")
	_, tools := post(t, serve(t, newQuests()).URL, "pathseeker", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if len(rule) < 50 || !strings.Contains(tools, rule) || strings.Count(tools, "share a file") != 1 {
		t.Errorf("PathSeeker reads %q, and the tools say %s", rule, tools)
	}
}
