package claude_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/agents/claude"
	"questboard/orchestration"
)

var hostileNames = flag.Int("names", 12, "hostile prompts, sessions and folders")

// docs/hardening.md#web, T1.7: prompts, sessions and folders that begin with "-" or
// contain shell syntax reach the CLI as data. The arguments are those of a harmless
// run, except for the session, which is joined to its flag.
func TestHostilePromptsReachTheCLIAsData(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	runner := claude.New(cfg)
	plain := specOf(t, orchestration.Codeweaver)
	want := play(t, runner, cfg, plain).Args
	mark := filepath.Join(t.TempDir(), "mark")
	for i, name := range agentstest.HostileNames(*hostileNames, mark) {
		spec := plain
		spec.Prompt, spec.Dir = name+"\n"+name, t.TempDir()
		if dir := filepath.Join(spec.Dir, strings.ReplaceAll(name, "/", "|")); len(name) < 200 && !strings.ContainsRune(name, 0) && os.MkdirAll(dir, 0o755) == nil {
			spec.Dir = dir
		}
		if i%2 == 1 {
			spec.Resume, spec.SessionID = true, name
		}
		if spec.Resume && (strings.ContainsRune(name, 0) || len(name) > 127<<10) {
			var notStarted *agents.NotStarted
			if _, err := runner.Start(t.Context(), spec, ignore{}); !errors.As(err, &notStarted) {
				t.Errorf("session %.80q, which no argument can hold: %v", name, err)
			}
			continue
		}
		args := append([]string(nil), want...)
		if spec.Resume {
			args[3] = "--resume=" + name
		}
		got := play(t, runner, cfg, spec)
		if diff := cmp.Diff(quoted(args), got.Quoted); diff != "" {
			t.Errorf("arguments with %.80q (-want +got):\n%.2000s", name, diff)
		}
		if got.Prompt != quotedOne(spec.Prompt) || got.Dir != quotedOne(spec.Dir) {
			t.Errorf("prompt %.80s in %.80s, want %.80q", got.Prompt, got.Dir, spec.Prompt)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a shell read a name")
	}
}
