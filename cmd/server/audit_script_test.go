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

// audit runs the script of "make audit", and returns its output.
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

// An audit without an answer looks neither clean nor like a finding.
func TestAuditSaysWhenItHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		install string // what "go install" does; $tool is where it puts govulncheck
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

// tool returns a govulncheck that runs the given commands.
func tool(does string) string {
	return "cat >$tool <<'END'\n#!/bin/sh\n" + does + "\nEND\nchmod +x $tool\n"
}
