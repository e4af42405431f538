package browser_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// The pages of the settings are accessible, empty and filled.
func TestSettingsAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	err := s.settings.ChangeSettings(context.Background(), func(set *record.Settings) {
		text := "You are **Codeweaver**.\n\n# Your job\n\nWork on {{code .Line}}, and write a test first.\n" + strings.Repeat("A longer paragraph that has to wrap somewhere. ", 12) + "\n"
		r := record.RoleSettings{Role: orchestration.Codeweaver, Model: "claude-opus-4-8", Effort: "high",
			Allow: []string{"WebSearch", "Bash(npm view *)"}, Deny: []string{"Task"}}
		r.SetPrompt(text)
		set.SetRole(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"role-long", "/settings/roles/codeweaver"}, {"role-built-in", "/settings/roles/pathseeker"}})
	b.size(390, 900)
	b.open(s.url + "/settings/roles/codeweaver")
	if h1 := eval[string](b, `document.querySelector("h1").textContent`); h1 != "Codeweaver" {
		t.Errorf("the heading is %q", h1)
	}
	eval[any](b, `void document.querySelector("button[formaction*=preview]").click()`)
	b.until(`!!document.querySelector('#preview pre')`)
	b.accessible("role-preview")
	b.shot("role-preview")
}

// The doctor's page follows the checks until the last has an answer.
func TestTheDoctorsPageFollowsTheChecks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	s.doctor.Find(time.Now(), service.Finding{What: "claude", Running: true}, service.Finding{What: "git", Says: "2.47.3 at /usr/bin/git"})
	b.open(s.url + "/doctor")
	b.accessible("doctor-running")
	b.shot("doctor-running")
	s.doctor.Find(time.Now(), service.Finding{What: "claude", Bad: true, Took: 1200 * time.Millisecond,
		Says: "claude is not logged in: run claude once in a terminal, or set ANTHROPIC_API_KEY for the server, and check again"},
		service.Finding{What: "git", Says: "2.47.3 at /usr/bin/git"}, service.Finding{What: "SQLite", Says: "3.51.3, built in"},
		service.Finding{What: "data directory", Says: "/home/you/.local/share/questboard, can be written"})
	b.until(`document.querySelector('#doctor h2').textContent.includes('cannot run here')`)
	b.until(`!document.querySelector('#doctor').hasAttribute('hx-trigger')`)
}
