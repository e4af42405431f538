package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const noAnswer = "NO ANSWER: "

// audit runs the script of "make audit" and returns all that it prints.
func audit(t *testing.T, environment ...string) (said string, code int) {
	t.Helper()
	cmd := exec.Command("./.ci/audit")
	cmd.Dir, cmd.Env = root(t), append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// An audit that could not ask looks neither clean nor like a finding.
func TestAuditSaysWhenItHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		install string // what "go install" does, $tool is where govulncheck belongs
		code    int
		silent  bool
	}{
		"nothing is known":    {tool("echo No vulnerabilities found.; exit 0"), 0, false},
		"a vulnerable call":   {tool("echo 'Vulnerability #1'; exit 3"), 3, false},
		"no database":         {tool("echo 'govulncheck: fetching vulnerabilities: no such host' >&2; exit 1"), 75, true},
		"an odd database":     {tool("echo 'creating client: unrecognized vulndb format' >&2; exit 1"), 75, true},
		"it does not build":   {tool("echo 'govulncheck: loading packages: syntax error' >&2; exit 1"), 1, true},
		"it is killed":        {tool("kill -9 $$"), 1, true},
		"the tool is missing": {"echo 'no such host' >&2; exit 1", 75, true},
		"nothing is made":     {"exit 0", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, code := audit(t, "GO="+filepath.Join(root(t), "cmd/server/testdata/go"), "INSTALL="+c.install,
				"GOVULNCHECK=tool@version", "VULNDB=")
			if code != c.code || strings.Contains(said, noAnswer) != c.silent {
				t.Errorf("exit code %d, want %d; it said:\n%s", code, c.code, said)
			}
			if c.silent && strings.Contains(said, "No vulnerabilities") {
				t.Errorf("it looks clean:\n%s", said)
			}
		})
	}
}

// tool is a govulncheck that does as told.
func tool(does string) string {
	return "cat >$tool <<'END'\n#!/bin/sh\n" + does + "\nEND\nchmod +x $tool\n"
}

// The same with the real tool, for which two small databases are made. It is
// fetched for that, so this belongs to "make soak".
func TestAuditOfTheRealToolKnowsWhatIsCalled(t *testing.T) {
	t.Parallel()
	govulncheck := os.Getenv("QUESTBOARD_GOVULNCHECK")
	if govulncheck == "" {
		t.Skip("QUESTBOARD_GOVULNCHECK names the module of the tool: make soak")
	}
	for name, c := range map[string]struct {
		symbol string
		code   int
		says   string
	}{
		"called":     {"New", 3, "web.New calls echo.New"},
		"not called": {"NewBindingError", 0, "Your code is affected by 0 vulnerabilities"},
		"gone":       {"", 75, noAnswer},
	} {
		said, code := audit(t, "GOVULNCHECK="+govulncheck, "VULNDB=file://"+vulnerabilities(t, c.symbol))
		if code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit code %d, want %d and %q; it said:\n%s", name, code, c.code, c.says, said)
		}
	}
}

// vulnerabilities makes a database that says that one function of Echo is
// vulnerable; without a function there is none.
func vulnerabilities(t *testing.T, symbol string) string {
	t.Helper()
	dir := t.TempDir()
	if symbol == "" {
		return filepath.Join(dir, "none")
	}
	for name, text := range map[string]string{
		"index/db.json":      `{"modified":"2026-01-01T00:00:00Z"}`,
		"index/vulns.json":   `[{"id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z"}]`,
		"index/modules.json": `[{"path":"github.com/labstack/echo/v4","vulns":[{"id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z"}]}]`,
		"ID/GO-2026-0001.json": `{"schema_version":"1.3.1","id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z","summary":"made up",
			"affected":[{"package":{"name":"github.com/labstack/echo/v4","ecosystem":"Go"},
			"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
			"ecosystem_specific":{"imports":[{"path":"github.com/labstack/echo/v4","symbols":["` + symbol + `"]}]}}],"database_specific":{"url":"https://example.org"}}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
