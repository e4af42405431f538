package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// repo makes a git repository with one commit of a.txt.
func repo(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	put(t, dir, "a.txt", "one\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

// gitOf returns a Git with its own folder.
func gitOf(t testing.TB) workspace.Git { return workspace.Git{Dir: t.TempDir()} }

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	print, err := gitOf(t).Fingerprint(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return print
}

// oddNames are unusual but valid file names.
var oddNames = []string{
	"new\nline", "-rf", "--exec=x", "日本語 𝄞", "tab\there", `quo"te`, `back\slash`, " lead", "trail ", "$(touch x);`y`", "a => b", "\xff\xfe", ":(glob)*", "dir/-x",
}

func TestNothingOfARepositoryIsExecuted(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	proof := filepath.Join(t.TempDir(), "executed")
	script := filepath.Join(t.TempDir(), "evil")
	if err := e2etest.WriteProgram(script, []byte("#!/bin/sh\ntouch '"+proof+"'\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".gitattributes", "*.txt filter=evil diff=evil\n*.bin filter=a=b.c\n")
	put(t, dir, "b.bin", "x")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	for key, value := range map[string]string{
		"filter.evil.clean": script, "filter.evil.process": script, "filter.evil.required": "true", "filter.evil.smudge": script,
		"filter.a=b.c.clean": script, "diff.evil.textconv": script, "diff.evil.command": script, "diff.external": script,
		"core.fsmonitor": script, "core.pager": script, "pager.status": script, "pager.diff": script, "core.sshCommand": script,
		"core.editor": script, "gpg.program": script, "log.showSignature": "true", "alias.status": "!" + script,
	} {
		git(t, dir, "config", key, value)
	}
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout"} {
		if err := os.Symlink(script, filepath.Join(dir, ".git/hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "a.txt", "two!\n")
	put(t, dir, "b.bin", "y")
	put(t, dir, "new.txt", "new\n")

	g := gitOf(t)
	facts, err := g.Check(t.Context(), dir)
	if err != nil || facts.Changed != 3 {
		t.Errorf("Check = %+v, %v", facts, err)
	}
	changes, err := g.Changes(t.Context(), dir)
	if err != nil || !strings.Contains(changes, "+two!") {
		t.Errorf("Changes = %q, %v", changes, err)
	}
	if fingerprint(t, dir) == "" {
		t.Error("no fingerprint")
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("something of the repository was executed")
	}
}

func TestTheHostsGitVariablesDoNotReachGit(t *testing.T) {
	t.Parallel()
	dir, other := repo(t), repo(t)
	put(t, other, "x", "x")
	g := gitOf(t)
	g.Environ = append(os.Environ(), "GIT_DIR="+other+"/.git", "GIT_WORK_TREE="+other, "GIT_INDEX_FILE=/dev/null")
	facts, err := g.Check(t.Context(), dir)
	if err != nil || facts.Toplevel != dir || !facts.Clean {
		t.Errorf("Check = %+v, %v", facts, err)
	}
}
