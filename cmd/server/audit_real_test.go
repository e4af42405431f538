//go:build soak

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This test runs the real tool on two small databases. It downloads the tool, so it runs
// only in "make soak".
func TestAuditOfTheRealToolKnowsWhatIsCalled(t *testing.T) {
	t.Parallel()
	govulncheck := os.Getenv("QUESTBOARD_GOVULNCHECK") // the tool's module
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

// vulnerabilities creates a database in which one function of Echo is vulnerable. Without
// a function the database is empty.
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
