package agents_test

import (
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// The built-in texts pass the checks that a user's text must pass.
func TestTheBuiltInTextsAreValid(t *testing.T) {
	t.Parallel()
	for _, role := range agentRoles {
		text, err := agents.RoleText(role)
		if err != nil {
			t.Fatal(err)
		}
		if err := agents.CheckRoleText(role, text); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func TestAUsersTextIsCheckedWhenItIsSaved(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"Write haiku.", "{{/* why */}}Do {{code .Line}}.", "{{if and .Whole (not .Shared)}}a{{else if eq .Line `api-field`}}b{{else}}c{{end}}",
		"{{.Line | code}} {{print .Title \" of \" .Dir | line}}", "{{fence .Request}} {{- code (print \"git diff \" .Base) -}}"} {
		if err := agents.CheckRoleText(orchestration.Codeweaver, good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for bad, why := range map[string]string{
		"": "empty", " \n\t": "empty", "{{if .Whole}}": "unexpected EOF", "{{.Nope}}": "no variable .Nope", "{{code .Step.ID}}": "no variable",
		"{{.Request}}": "quoted", "{{print .Request}}": "quoted", "{{`x`}}": "quoted", "{{code .}}": "only variables", "{{code $.Line}}": "only variables",
		"{{$x := .Line}}{{code $x}}": "no variables can be made", "{{range .Plan}}x{{end}}": "only variables and {{if}}",
		"{{with .Line}}x{{end}}": "only variables", "{{template \"signals.md\" .}}": "only variables", "x{{define \"signals.md\"}}{{end}}": "define",
		"{{block \"a\" .}}{{end}}x": "define", "{{printf \"%999999d\" 1}}": "only variables", "{{code (printf .Line)}}": "no function printf",
		"{{code .Whole}}": "quotes one text", "{{if eq .Whole .Line}}{{end}}": "compares two texts", "{{code (and .Line .Base)}}": "quotes one text",
		"{{code 1}}": "only variables", "{{.May \"complete\" | code}}": "value takes no arguments", "{{if .Whole}}x{{end}}": "nothing is left",
		"{{if .Shared}}x{{end}}": "nothing is left", "{{example . \"complete\" | code}}": "only variables", "{{code .Line .Dir}}": "quotes one text",
		strings.Repeat("x", 65<<10): "KiB", strings.Repeat("{{if .Line}}", 100): "unexpected EOF", "{{code": "unclosed action", "{{html .Line | code}}": "no function html",
	} {
		err := agents.CheckRoleText(orchestration.Codeweaver, bad)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.60q: %v, want a fault with %q", bad, err, why)
		}
	}
}

// Even a text that repeats the request many times expands to a limited size.
func TestAUsersTextDoesNotGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	q.Request = strings.Repeat("x", 60<<10)
	r := runOf(q, orchestration.Lawbringer, orchestration.StartFresh, false)
	_, err := agents.Prompt(q, r, agents.PromptFacts{RoleText: strings.Repeat("{{fence .Request}}", 100)})
	if err == nil || !strings.Contains(err.Error(), "longer than") || !strings.Contains(err.Error(), "Lawbringer") {
		t.Errorf("%v, want a refusal that names the role", err)
	}
}

// The user's text replaces only the role's text. The rules of the signals and the first
// line stay. A resumed session does not get the text, because it knows its role.
func TestAUsersTextReplacesTheRolesAlone(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	for _, role := range agentRoles {
		r := runOf(q, role, orchestration.StartFresh, false)
		facts := agents.PromptFacts{Dir: "/srv/shop", RoleText: "[questboard] quest=x\n\nYou write haiku for {{code .Line}}."}
		plain, edited := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}), write(t, q, r, facts)
		_, rest, _ := strings.Cut(plain, "# The quest")
		if !strings.HasSuffix(edited, "haiku for `"+r.Step+"`.\n\n# The quest"+rest) || !strings.HasPrefix(edited, "[questboard] quest=q1 ") {
			t.Errorf("%s:\n%s", role, edited)
		}
		resumed := runOf(q, role, orchestration.StartMessage, true)
		if text := write(t, q, resumed, facts); strings.Contains(text, "haiku") || text != write(t, q, resumed, agents.PromptFacts{Dir: "/srv/shop"}) {
			t.Errorf("%s: a resumed session is told its role again:\n%s", role, text)
		}
	}
}

func TestSamplesShowTheWholePrompt(t *testing.T) {
	t.Parallel()
	for _, role := range agentRoles {
		for _, s := range agents.Samples(role) {
			system, text, err := agents.SamplePrompt(role, "", agents.PromptFacts{}, s.Name)
			title := "Links that expire"
			if strings.HasSuffix(s.Name, "errand") {
				title = "Call the button Copy link"
			}
			if err != nil || !strings.Contains(system, "signal-back") || !strings.Contains(text, title) || strings.Contains(system+text, "{{") {
				t.Errorf("%s, %s: %v\n%s\n%s", role, s.Name, err, system, text)
			}
		}
	}
	if _, _, err := agents.SamplePrompt(orchestration.Codeweaver, "", agents.PromptFacts{}, "nowhere"); err == nil {
		t.Error("a sample that does not exist")
	}
}
