package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/orchestration"
)

// Codex asks about a call by its id alone: what it is was told before.
func TestAQuestionIsAboutTheCallThatWasTold(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../transcript/testdata/acp/codex-asked.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, agents.Spec{Role: orchestration.PathSeeker}, "play", file)
	ended, out := p.wait(), p.output()
	signalled := strings.Index(out, `answer {\"outcome\":{\"optionId\":\"allow_once\"`)
	if refused := strings.Index(out, `answer {\"outcome\":{\"optionId\":\"cancel\"`); signalled < 0 || refused < signalled {
		t.Errorf("the signal is answered at %d, the command that writes at %d:\n%s", signalled, refused, out)
	}
	if ended.End != orchestration.EndClean || strings.Join(ended.Exit.Denied, " ") != "Bash" {
		t.Errorf("ended %+v", ended)
	}
}

func TestCodexStartsInNoTreeWithConfigurationOfItsOwn(t *testing.T) {
	t.Parallel()
	home, repo := t.TempDir(), t.TempDir()
	refusal := acp.Codex("codex-acp").Refusal
	at := func(dir string) string {
		return refusal([]string{"HOME=" + home}, agents.Spec{Dir: dir, Trusted: true})
	}
	inner := filepath.Join(repo, "a", "b")
	for _, dir := range []string{filepath.Join(home, ".codex"), filepath.Join(home, "work"), inner, filepath.Join(repo, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{inner, repo, filepath.Join(home, "work")} {
		if why := at(dir); why != "" {
			t.Errorf("%s: %s", dir, why)
		}
	}
	if err := os.Mkdir(filepath.Join(repo, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{inner, repo} {
		if why := at(dir); !strings.Contains(why, filepath.Join(repo, ".codex")) {
			t.Errorf("%s: %q", dir, why)
		}
	}
}

func TestCodexWorksInTheModeOfTheRole(t *testing.T) {
	t.Parallel()
	env := acp.Codex("codex-acp").Env
	for _, c := range []struct {
		role     orchestration.Role
		confined bool
		mode     string
	}{
		{orchestration.PathSeeker, false, "read-only"}, {orchestration.PathSeeker, true, "read-only"},
		{orchestration.Codeweaver, false, "workspace-write"}, {orchestration.Codeweaver, true, "agent-full-access"},
	} {
		if got := env(nil, agents.Spec{Role: c.role}, c.confined)["INITIAL_AGENT_MODE"]; got != c.mode {
			t.Errorf("%s, confined %t: %s", c.role, c.confined, got)
		}
	}
}

func TestASignalOfGeminiIsAllowedToARoleThatReads(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../transcript/testdata/acp/gemini-work.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, agents.Spec{Role: orchestration.PathSeeker}, "play", file)
	ended, out := p.wait(), p.output()
	refused := strings.Index(out, `answer {\"outcome\":{\"optionId\":\"cancel\"`)
	if signalled := strings.Index(out, `answer {\"outcome\":{\"optionId\":\"proceed_once\"`); refused < 0 || signalled < refused {
		t.Errorf("the command that writes is answered at %d, the signal at %d:\n%s", refused, signalled, out)
	}
	if ended.End != orchestration.EndClean || strings.Join(ended.Exit.Denied, " ") != "Bash" {
		t.Errorf("ended %+v", ended)
	}
}
