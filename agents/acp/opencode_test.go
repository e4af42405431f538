package acp_test

import (
	"testing"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/orchestration"
)

// What opencode is told keeps the user's own configuration, and asks about all that a role
// that only reads must not do.
func TestOpenCodeIsToldToAskAndToGoOnAfterARefusal(t *testing.T) {
	t.Parallel()
	tell := acp.OpenCode("opencode").Env
	own := []string{`OPENCODE_CONFIG_CONTENT={"model":"x/m","experimental":{"other":1}}`}
	reads, writes := tell(own, agents.Spec{Role: orchestration.PathSeeker}, false), tell(nil, agents.Spec{Role: orchestration.Codeweaver}, false)
	for _, path := range []string{"edit", "bash", "external_directory"} {
		if got := gjson.Get(reads["OPENCODE_PERMISSION"], path).Str; got != "ask" {
			t.Errorf("a role that only reads: %s is %q", path, got)
		}
	}
	if gjson.Get(writes["OPENCODE_PERMISSION"], "bash").Exists() || writes["OPENCODE_DISABLE_PROJECT_CONFIG"] != "1" {
		t.Errorf("a role that writes is told %v", writes)
	}
	config := reads["OPENCODE_CONFIG_CONTENT"]
	if gjson.Get(config, "model").Str != "x/m" || !gjson.Get(config, "experimental.continue_loop_on_deny").Bool() || gjson.Get(config, "experimental.mcp_timeout").Int() != 60_000 || gjson.Get(config, "experimental.other").Int() != 1 {
		t.Errorf("the configuration is %s", config)
	}
	if broken := tell([]string{"OPENCODE_CONFIG_CONTENT={oops"}, agents.Spec{}, false)["OPENCODE_CONFIG_CONTENT"]; broken != "{oops" {
		t.Errorf("a broken configuration becomes %s", broken)
	}
}
