package agents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// example is a mark in the page, and the text in a fence that may follow it.
var exampleMark = regexp.MustCompile("(?ms)^<!-- example: (\\w+) -->\n(?:\n`{5}text\n.*?\n`{5}\n)?")

// The page shows one whole prompt of each role as the program writes it. With -update the
// test puts it there.
func TestTheDocumentShowsAPromptOfEachRole(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "prompts.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	want := exampleMark.ReplaceAllStringFunc(string(page), func(block string) string {
		name := exampleMark.FindStringSubmatch(block)[1]
		shown = append(shown, name)
		role := orchestration.Role(name)
		if name == "system" {
			role = orchestration.Codeweaver
		}
		samples := agents.Samples(role)
		system, text, err := agents.SamplePrompt(role, "", agents.PromptFacts{}, samples[0].Name)
		if err != nil {
			t.Error(err)
		}
		if name == "system" {
			text = system
		}
		return "<!-- example: " + name + " -->\n\n`````text\n" + strings.TrimRight(text, "\n") + "\n`````\n"
	})
	if len(shown) != len(agentRoles)+1 {
		t.Errorf("the page has examples of %v", shown)
	}
	e2etest.GoldenFile(t, path, want)
}
