package record_test

import (
	"strings"
	"testing"

	"questboard/orchestration/record"
)

func TestSettings_editorLinkTakesNoSchemeThatDoesHarm(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "vscode://file{path}", "cursor://file{path}", "zed://file{path}", "idea://open?file={path}",
		"jetbrains://goland/navigate/reference?path={path}", "emacs://open?url=file://{path}", "txmt://open?url=file://{path}", "subl://open?file={path}"} {
		if why := record.CheckEditor(good); why != "" {
			t.Errorf("%s: %s", good, why)
		}
	}
	for _, bad := range []string{"{path}", "vscode", "vscode://file", "{path}://x", "http://x/{path}", "https://x/{path}", "javascript:alert('{path}')",
		"data:text/html,{path}", "vbscript:{path}", "file://{path}", "JavaScript:{path}", "java\tscript:{path}", " javascript:{path}", "\x01javascript:{path}",
		"vscode://file{path} x", "vscode://file{path}\"", "vscode://file{path}\n", "vscode://%zz{path}", "blob:{path}", "vscode:" + strings.Repeat("x", 500) + "{path}"} {
		if record.CheckEditor(bad) == "" {
			t.Errorf("%q was taken", bad)
		}
		if link := (record.Settings{Editor: bad}).EditorLink("/tree"); link != "" {
			t.Errorf("%q became the link %q", bad, link)
		}
	}
}

func TestSettings_editorLinkEscapesThePath(t *testing.T) {
	t.Parallel()
	s := record.Settings{Editor: "idea://open?file={path}&line=1"}
	if got, want := s.EditorLink("/a b/c&d=e+f#g?h%/é"), "idea://open?file=/a%20b/c%26d%3De%2Bf%23g%3Fh%25/%C3%A9&line=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSettings_pathsOfARepositoryStayWithinIt(t *testing.T) {
	t.Parallel()
	check := func(p string) bool {
		r := record.RepoSettings{Path: "/repo", Links: []string{p}}
		return r.Check()["links"] == ""
	}
	for _, good := range []string{"node_modules", "web/node_modules", ".env", "a b/ü.txt", ".github"} {
		if !check(good) {
			t.Errorf("%q was refused", good)
		}
	}
	for _, bad := range []string{"", ".", "..", "../x", "a/../b", "/etc/passwd", "a/", "a//b", "./a", ".git", ".git/hooks", "sub/.git/config", "a\nb"} {
		if check(bad) {
			t.Errorf("%q was taken", bad)
		}
	}
	for field, r := range map[string]record.RepoSettings{
		"path": {Path: "repo"}, "setup": {Path: "/repo", Setup: "a\nb"},
		"copies": {Path: "/repo", Links: []string{".env"}, Copies: []string{".env"}},
	} {
		if faults := r.Check(); len(faults) != 1 || faults[field] == "" {
			t.Errorf("%+v: %v, want a fault of %s", r, faults, field)
		}
	}
}

func TestSettings_aRepositoryThatNeedsNothingIsForgotten(t *testing.T) {
	t.Parallel()
	var s record.Settings
	s.SetRepo(record.RepoSettings{Path: "/a", Setup: "npm ci"})
	s.SetRepo(record.RepoSettings{Path: "/b", Links: []string{"x"}})
	s.SetRepo(record.RepoSettings{Path: "/a", Setup: "make"})
	if len(s.Repos) != 2 || s.Repo("/a").Setup != "make" || s.Repo("/c").Path != "/c" {
		t.Errorf("%+v", s)
	}
	if s.SetRepo(record.RepoSettings{Path: "/b"}); len(s.Repos) != 1 {
		t.Errorf("%+v: /b needs nothing any more", s.Repos)
	}
}
