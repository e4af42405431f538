package workspace_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// remote gives a repository a remote: a bare repository beside it.
func remote(t *testing.T, repo, name string) string {
	t.Helper()
	bare := filepath.Join(t.TempDir(), "o'rigin")
	git(t, repo, "init", "-q", "--bare", bare)
	git(t, repo, "remote", "add", name, bare)
	return bare
}

// script writes an executable.
func script(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := e2etest.WriteProgram(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThePushArrives(t *testing.T) {
	t.Parallel()
	g := finished(t)
	repo := g.ref.Repo
	if _, _, err := g.trees.Push(t.Context(), g.ref); err == nil || !strings.Contains(err.Error(), "no remote") {
		t.Errorf("without a remote: %v", err)
	}
	other, bare := remote(t, repo, "another"), remote(t, repo, "origin")
	script(t, filepath.Join(repo, ".git/hooks/pre-push"), "exit 1\n")
	settings := read(t, repo, ".git/config")
	tip := gitOutput(t, repo, "rev-parse", "quest/q1")
	for range 2 {
		branch, name, err := g.trees.Push(t.Context(), g.ref)
		if err != nil || branch != "quest/q1" || name != "origin" {
			t.Fatal(branch, name, err)
		}
	}
	if gitOutput(t, bare, "for-each-ref", "--format=%(objectname) %(refname)") != tip+" refs/heads/quest/q1" {
		t.Error("not pushed, or more than that")
	}
	if read(t, repo, ".git/config") != settings {
		t.Error("the user's settings changed")
	}
	git(t, repo, "config", "branch.main.remote", "another")
	if _, name, err := g.trees.Push(t.Context(), g.ref); err != nil || name != "another" || gitOutput(t, other, "rev-parse", "quest/q1") != tip {
		t.Errorf("to the base branch's remote: %s, %v", name, err)
	}
	git(t, repo, "config", "branch.main.remote", "--receive-pack=touch x")
	if _, name, err := g.trees.Push(t.Context(), g.ref); err != nil || name != "origin" {
		t.Errorf("to a remote that is an option: %s, %v", name, err)
	}
}

// An agent may have moved the branch. Only commits that ward has passed are pushed.
func TestThePushIsOfWhatWardPassed(t *testing.T) {
	t.Parallel()
	g := finished(t)
	bare := remote(t, g.ref.Repo, "origin")
	tip := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1")
	git(t, g.dir("plan"), "commit", "-q", "--allow-empty", "-m", "by itself")
	if _, _, err := g.trees.Push(t.Context(), g.ref); err != nil || gitOutput(t, bare, "rev-parse", "quest/q1") != tip {
		t.Errorf("pushed is %s, want %s (%v)", gitOutput(t, bare, "rev-parse", "quest/q1"), tip, err)
	}
}

func TestARemoteThatRefusesIsQuoted(t *testing.T) {
	t.Parallel()
	g := finished(t)
	git(t, g.ref.Repo, "remote", "add", "away", "ssh://127.0.0.1/x")
	ssh := script(t, filepath.Join(t.TempDir(), "ssh"), `printf 'Not on a \033[31mFriday\033[0m.\a\n' >&2; exit 1`)
	g.trees.Git.Environ = append(os.Environ(), "GIT_SSH_COMMAND="+ssh)
	_, _, err := g.trees.Push(t.Context(), g.ref)
	if err == nil || !strings.Contains(err.Error(), "Friday") || strings.ContainsAny(err.Error(), "\x1b\a\r") {
		t.Errorf("%q", err)
	}
	bare := remote(t, g.ref.Repo, "origin")
	// A remote on this machine may have come with the repository, so its hooks must not
	// run.
	mark := filepath.Join(t.TempDir(), "mark")
	script(t, filepath.Join(bare, "hooks/update"), "touch '"+mark+"'; exit 0\n")
	// The remote has commits of somebody else.
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, g.ref.Repo, "clone", "-q", g.ref.Repo, clone)
	git(t, clone, "commit", "-q", "--allow-empty", "-m", "theirs")
	git(t, clone, "push", "-q", "-f", bare, "HEAD:refs/heads/quest/q1")
	_ = os.Remove(mark)
	git(t, g.ref.Repo, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*")
	theirs := gitOutput(t, bare, "rev-parse", "quest/q1")
	if _, _, err := g.trees.Push(t.Context(), g.ref); err == nil || !strings.Contains(err.Error(), "rejected") || gitOutput(t, bare, "rev-parse", "quest/q1") != theirs {
		t.Errorf("pushed over other commits: %v", err)
	}
	git(t, bare, "update-ref", "-d", "refs/heads/quest/q1")
	if _, _, err := g.trees.Push(t.Context(), g.ref); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook of a remote on this machine was run")
	}
}

// git pushes to all addresses of a remote. One of them may be a directory that came
// with the repository.
func TestEveryAddressOfARemoteIsPushedToWithoutItsHooks(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"remote.origin.url", "remote.origin.pushurl"} {
		g := finished(t)
		repo := g.ref.Repo
		here, mark := remote(t, repo, "origin"), filepath.Join(t.TempDir(), "mark")
		hook := "touch '" + mark + "'\n"
		script(t, filepath.Join(here, "hooks/pre-receive"), hook)
		git(t, here, "config", "core.fsmonitor", script(t, filepath.Join(t.TempDir(), "monitor"), hook))
		git(t, repo, "config", "--replace-all", key, here)
		git(t, repo, "config", "--add", key, "ssh://127.0.0.1/away")
		ssh := script(t, filepath.Join(t.TempDir(), "ssh"), "exit 1")
		g.trees.Git.Environ = append(os.Environ(), "GIT_SSH_COMMAND="+ssh)
		_, _, err := g.trees.Push(t.Context(), g.ref)
		if err == nil {
			t.Errorf("%s: pushed to an address that refuses", key)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%s: a hook of an address on this machine was run", key)
		}
	}
}

// git asks the user's credential helper for a password, but neither the repository's
// helper nor a person.
func TestAPushAsksOnlyTheUsersHelpers(t *testing.T) {
	t.Parallel()
	g := finished(t)
	home, marks := t.TempDir(), t.TempDir()
	mark := func(name string) string {
		return script(t, filepath.Join(home, name), "echo >>'"+filepath.Join(marks, name)+"'\necho username=u\necho password=p\n")
	}
	put(t, home, ".gitconfig", "[credential]\n\thelper = "+mark("users")+"\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, ok := r.BasicAuth(); ok && password == "p" {
			http.Error(w, "no such repository here", http.StatusNotFound)
			return
		}
		w.Header().Set("WWW-Authenticate", "Basic")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	repo := g.ref.Repo
	git(t, repo, "remote", "add", "origin", server.URL+"/x.git")
	for _, key := range []string{"credential.helper", "credential." + server.URL + ".helper", "core.sshCommand", "core.askPass", "core.gitProxy", "gpg.program"} {
		git(t, repo, "config", key, mark("repositorys"))
	}
	git(t, repo, "config", "push.gpgSign", "true")
	git(t, repo, "config", "protocol.ext.allow", "always")
	git(t, repo, "config", "remote.origin.receivepack", mark("repositorys"))
	g.trees.Git.Environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_ASKPASS=" + mark("askpass"), "SSH_ASKPASS=" + mark("askpass")}
	if _, _, err := g.trees.Push(t.Context(), g.ref); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(marks, "users")); err != nil {
		t.Error("the user's helper was not asked")
	}
	script(t, filepath.Join(home, "users"), "exit 0\n") // it knows no password, so git would now ask others
	if _, _, err := g.trees.Push(t.Context(), g.ref); err == nil || !strings.Contains(err.Error(), "could not read Username") {
		t.Errorf("%v", err)
	}
	bare := remote(t, repo, "another")
	for _, url := range []string{bare, "git://127.0.0.1:1/x", "ssh://127.0.0.1:1/x", "ext::" + mark("repositorys") + " %S"} {
		git(t, repo, "config", "remote.origin.url", url)
		if _, _, err := g.trees.Push(t.Context(), g.ref); (err == nil) != (url == bare) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, name := range []string{"repositorys", "askpass"} {
		if _, err := os.Stat(filepath.Join(marks, name)); err == nil {
			t.Errorf("%s was run", name)
		}
	}
}

func TestAPushThatHangsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	g := finished(t)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	git(t, g.ref.Repo, "remote", "add", "origin", server.URL+"/x.git")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, _, err := g.trees.Push(ctx, g.ref); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestThePushCommandPushes(t *testing.T) {
	t.Parallel()
	g := finished(t)
	if _, err := g.trees.PushCommand(t.Context(), g.ref); err == nil {
		t.Error("a push without a remote")
	}
	bare := remote(t, g.ref.Repo, "origin")
	step, err := g.trees.PushCommand(t.Context(), g.ref)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("sh", "-c", step).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", step, err, out)
	}
	if gitOutput(t, bare, "rev-parse", "quest/q1") != gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1") {
		t.Error("not pushed")
	}
}

// withGh puts a gh on the PATH of the quest's git. It runs a few lines of shell. git
// itself is found as before.
func (g *treesTest) withGh(text string) string {
	dir := g.TempDir()
	script(g.T, filepath.Join(dir, "gh"), text)
	g.trees.Git.Environ = []string{"HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), "GH_TOKEN=secret", "AWS_SECRET=another's"}
	return dir
}

const nasty = "It's $(touch pwned) `touch pwned`\n--draft\x1b[2J"

func TestAPullRequestIsOpened(t *testing.T) {
	t.Parallel()
	g := finished(t)
	dir := g.withGh(`cat >"$HOME/body"; printf '%s\n' "$@" >"$HOME/args"; env >"$HOME/env"; pwd >"$HOME/pwd"
echo 'Warning: 1 uncommitted change' >&2; echo; echo 'https://github.com/o/r/pull/7'`)
	address, err := g.trees.PullRequest(t.Context(), g.ref, nasty, nasty)
	if err != nil || address != "https://github.com/o/r/pull/7" {
		t.Fatalf("%q, %v", address, err)
	}
	want := "pr\ncreate\n--head\nquest/q1\n--base\nmain\n--title=It's $(touch pwned) `touch pwned` --draft [2J\n--body-file\n-\n"
	if got := read(t, dir, "args"); got != want {
		t.Errorf("arguments:\n%s\nwant\n%s", got, want)
	}
	if got := read(t, dir, "body"); got != nasty {
		t.Errorf("body: %q", got)
	}
	if got := read(t, dir, "env"); !strings.Contains(got, "GH_TOKEN=secret\n") || strings.Contains(got, "AWS_SECRET") {
		t.Errorf("environment:\n%s", got)
	}
	if got := read(t, dir, "pwd"); strings.HasPrefix(got, g.ref.Repo) {
		t.Errorf("run in %s, where the repository has a say", got)
	}
	// After a crash the call is repeated, and the pull request is already there.
	g.withGh(`echo 'a pull request for branch "quest/q1" into branch "main" already exists:
https://github.com/o/r/pull/7' >&2; exit 1`)
	if address, err := g.trees.PullRequest(t.Context(), g.ref, "t", ""); err != nil || address != "https://github.com/o/r/pull/7" {
		t.Errorf("again: %q, %v", address, err)
	}
}

// gh calls git to ask about the checkout. That git runs no program of the repository.
func TestTheGitOfGhRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	g := finished(t)
	proof := filepath.Join(t.TempDir(), "executed")
	evil := script(t, filepath.Join(t.TempDir(), "evil"), "touch '"+proof+"'\ncat\n")
	put(t, g.ref.Repo, ".gitattributes", "*.txt filter=evil\n")
	for _, key := range []string{"filter.evil.clean", "filter.evil.process", "core.fsmonitor", "credential.helper", "core.sshCommand"} {
		git(t, g.ref.Repo, "config", key, evil)
	}
	put(t, g.ref.Repo, "a.txt", "ours\n") // so that git has to look
	_ = os.Remove(proof)
	g.withGh(`git status --porcelain >&2; git credential fill </dev/null >&2; git ls-remote ssh://127.0.0.1:1/x >&2; echo https://example.com/1`)
	if _, err := g.trees.PullRequest(t.Context(), g.ref, "t", ""); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("something of the repository was executed")
	}
}

func TestAPullRequestThatCannotBe(t *testing.T) {
	t.Parallel()
	g := finished(t)
	g.trees.Git.Environ = []string{"PATH=:relative:" + t.TempDir()}
	if _, err := g.trees.PullRequest(t.Context(), g.ref, "t", "b"); !errors.Is(err, workspace.ErrNoGh) || g.trees.Git.HasGh() {
		t.Errorf("without gh: %v", err)
	}
	for text, want := range map[string]string{
		`printf 'not \033[31mlogged in\n' >&2; exit 4`: "logged in",
		`echo done`:                   "does not say where",
		`echo 'javascript:alert(1)'`:  "does not say where",
		`echo https://user:pw@host/x`: "does not say where",
	} {
		g.withGh(text)
		if _, err := g.trees.PullRequest(t.Context(), g.ref, "t", "b"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") || !g.trees.Git.HasGh() {
			t.Errorf("%s: %v", text, err)
		}
	}
	g.ref.Base = gitOutput(t, g.ref.Repo, "rev-parse", "HEAD")
	if _, err := g.trees.PullRequest(t.Context(), g.ref, "t", "b"); !errors.Is(err, workspace.ErrNoBranch) {
		t.Errorf("into a commit: %v", err)
	}
	if _, err := g.trees.PullCommand(t.Context(), g.ref, "t"); !errors.Is(err, workspace.ErrNoBranch) {
		t.Errorf("into a commit: %v", err)
	}
}

// The command to copy makes a shell pass the same arguments to gh as we do.
func TestThePullCommandSurvivesAShell(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "branch", "a$(touch${IFS}pwned)=b")
	g := &treesTest{T: t, trees: newTrees(t.TempDir()), ref: workspace.Ref{Quest: "q1", Repo: dir, Base: "a$(touch${IFS}pwned)=b"}}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	step, err := g.trees.PullCommand(t.Context(), g.ref, nasty)
	if err != nil {
		t.Fatal(err)
	}
	home := g.withGh(`printf '%s\n' "$@" >"$HOME/args"; pwd >"$HOME/pwd"`)
	cmd := exec.Command("sh", "-c", step)
	cmd.Env, cmd.Dir = g.trees.Git.Environ, home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", step, err, out)
	}
	want := "pr\ncreate\n--head\nquest/q1\n--base\na$(touch${IFS}pwned)=b\n--title=It's $(touch pwned) `touch pwned` --draft [2J\n"
	if got := read(t, home, "args"); got != want || read(t, home, "pwd") != dir+"\n" {
		t.Errorf("%s\nsays\n%s", step, got)
	}
}
