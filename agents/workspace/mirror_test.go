package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// sendTo copies a quest to another machine.
func (g *treesTest) sendTo(to *treesTest) error {
	g.Helper()
	tips, err := g.trees.Tips(g.Context(), g.ref)
	has, hasErr := to.trees.Heads(g.Context(), to.ref)
	there, thereErr := to.trees.Tips(g.Context(), to.ref)
	if err := errors.Join(err, hasErr, thereErr); err != nil {
		g.Fatal(err)
	}
	var pack bytes.Buffer
	if err := g.trees.Pack(g.Context(), g.ref, slices.Collect(maps.Values(tips)), append(has, slices.Collect(maps.Values(there))...), &pack); err != nil {
		g.Fatal(err)
	}
	_, err = to.trees.Take(g.Context(), to.ref, tips, &pack)
	return err
}

// newMirror returns a quest that has begun at a server, and the same quest on a host with a
// clone of the repository.
func newMirror(t *testing.T) (server, host *treesTest) {
	t.Helper()
	server = newTreesTest(t, repo(t))
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, filepath.Dir(clone), "clone", "-q", server.ref.Repo, clone)
	host = &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "worktrees")), ref: workspace.Ref{Quest: "q1", Repo: clone}}
	host.trees.Elsewhere = true
	return server, host
}

func TestAQuestWorksOnAnotherMachineAndItsWorkArrivesInTheUsersRepository(t *testing.T) {
	t.Parallel()
	server, host := newMirror(t)
	if err := server.sendTo(host); err != nil {
		t.Fatal(err)
	}
	if _, err := host.trees.Begin(t.Context(), host.ref); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host.dir("one"), "made.txt"), []byte("made\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host.commit("one")
	if err := host.sendTo(server); err != nil {
		t.Fatal(err)
	}
	patch, _, err := server.trees.Diff(t.Context(), server.ref, "one")
	if err != nil || !strings.Contains(string(patch), "+made") {
		t.Errorf("the server shows %q, %v", patch, err)
	}
	host.ward("one")
	_, bringErr := host.trees.Bring(t.Context(), host.ref, "one")
	_, advanceErr := host.trees.Advance(t.Context(), host.ref, "one", "one: made")
	if err := errors.Join(bringErr, advanceErr, host.trees.Remove(t.Context(), host.ref, "one"), host.sendTo(server)); err != nil {
		t.Fatal(err)
	}
	if made := gitOutput(t, server.ref.Repo, "show", "quest/q1:made.txt"); made != "made" {
		t.Errorf("the user's repository has %q", made)
	}
	if out := gitOutput(t, host.ref.Repo, "for-each-ref", "refs/heads/quest"); out != "" {
		t.Errorf("the clone of the host has %s", out)
	}
	want, _ := host.trees.Tips(t.Context(), host.ref)
	if have, err := server.trees.Tips(t.Context(), server.ref); err != nil || !maps.Equal(want, have) {
		t.Errorf("the server has %v, the host %v (%v)", have, want, err)
	}
	if err := host.trees.Drop(t.Context(), "q1"); err != nil {
		t.Error(err)
	}
	if err := server.sendTo(host); err != nil {
		t.Errorf("a quest that comes back: %v", err)
	}
}

func TestWhatAnotherMachineSendsTouchesOnlyItsQuest(t *testing.T) {
	t.Parallel()
	server, _ := newMirror(t)
	tips, err := server.trees.Tips(t.Context(), server.ref)
	if err != nil {
		t.Fatal(err)
	}
	head := gitOutput(t, server.ref.Repo, "rev-parse", "HEAD")
	for name, id := range map[string]string{
		"refs/heads/main":                       head,
		"refs/heads/quest/q2":                   head,
		"refs/heads/quest-steps/q2/one":         head,
		"refs/questboard/tip/q2/one":            head,
		"refs/questboard/published/q1":          head,
		"refs/heads/quest-steps/q1/../../main":  head,
		"refs/heads/quest-steps/q1/a b":         head,
		"refs/heads/quest-steps/q1/one":         strings.Repeat("1", 40),
		"refs/heads/quest-steps/q1/two":         "HEAD",
		"refs/heads/quest-steps/q1/three\x00x":  head,
		"refs/questboard/tip/q1/one\ndelete ok": head,
	} {
		sent := maps.Clone(tips)
		sent[name] = id
		if _, err := server.trees.Take(t.Context(), server.ref, sent, bytes.NewReader(emptyPack(t, server))); err == nil {
			t.Errorf("%q at %s was taken", name, id)
		}
		if now, err := server.trees.Tips(t.Context(), server.ref); err != nil || !maps.Equal(now, tips) {
			t.Errorf("after %q: %v, %v", name, now, err)
		}
	}
	base := "refs/questboard/base/q1"
	for what, sent := range map[string]map[string]string{
		"nothing":           {},
		"no base":           without(tips, base),
		"no branch":         without(tips, "refs/heads/quest/q1"),
		"another base":      with(tips, base, gitOutput(t, server.ref.Repo, "rev-parse", "HEAD^{tree}")),
		"a quest that fell": with(tips, "refs/questboard/tip/q1/_quest", gitOutput(t, server.ref.Repo, "commit-tree", "-m", "other", "HEAD^{tree}")),
	} {
		if _, err := server.trees.Take(t.Context(), server.ref, sent, bytes.NewReader(emptyPack(t, server))); err == nil {
			t.Errorf("%s was taken", what)
		}
		if now, err := server.trees.Tips(t.Context(), server.ref); err != nil || !maps.Equal(now, tips) {
			t.Errorf("after %s: %v, %v", what, now, err)
		}
	}
	if _, err := server.trees.Take(t.Context(), server.ref, tips, strings.NewReader("no pack")); err == nil {
		t.Error("text was taken for a pack")
	}
}

func without(tips map[string]string, name string) map[string]string {
	less := maps.Clone(tips)
	delete(less, name)
	return less
}

func with(tips map[string]string, name, id string) map[string]string {
	more := maps.Clone(tips)
	more[name] = id
	return more
}

func emptyPack(t *testing.T, g *treesTest) []byte {
	t.Helper()
	var pack bytes.Buffer
	if err := g.trees.Pack(t.Context(), g.ref, nil, nil, &pack); err != nil {
		t.Fatal(err)
	}
	return pack.Bytes()
}

// A server that was killed while it took work left git's locks on the refs of any step.
func TestALockThatAKilledServerLeftDoesNotKeepWorkOut(t *testing.T) {
	t.Parallel()
	server, host := newMirror(t)
	if err := server.sendTo(host); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(host.dir(step), "made.txt"), []byte(step), 0o600); err != nil {
			t.Fatal(err)
		}
		host.commit(step)
	}
	if err := host.sendTo(server); err != nil {
		t.Fatal(err)
	}
	common, err := server.trees.TreesGit("q1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"refs/heads/quest-steps/q1/two.lock", "refs/heads/quest/q1.lock", "refs/questboard/tip/q1/one.lock"} {
		if err := os.WriteFile(filepath.Join(common, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(host.dir("two"), "more.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host.commit("two")
	if err := host.sendTo(server); err != nil {
		t.Error(err)
	}
}

// A git that was killed while it deleted a ref, because its host went away, left the lock of the
// packed refs. The server lives on, and so does the quest.
func TestALockThatAKilledGitLeftDoesNotKeepWorkOut(t *testing.T) {
	t.Parallel()
	server, host := newMirror(t)
	if err := server.sendTo(host); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host.dir("one"), "made.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host.commit("one")
	if err := host.sendTo(server); err != nil {
		t.Fatal(err)
	}
	tips, err := server.trees.Tips(t.Context(), server.ref)
	if err != nil || tips["refs/heads/quest-steps/q1/one"] == "" {
		t.Fatal(tips, err)
	}
	tips = without(tips, "refs/heads/quest-steps/q1/one")
	exe, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dying := filepath.Join(t.TempDir(), "git")
	script := "#!/bin/sh\ncase \" $* \" in *' update-ref '*) : >'" + server.ours() + "/packed-refs.lock'; kill -KILL $$;; esac\nexec '" + exe + "' \"$@\"\n"
	if err := e2etest.WriteProgram(dying, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	server.trees.Git.Exe = dying
	if _, err := server.trees.Take(t.Context(), server.ref, tips, bytes.NewReader(emptyPack(t, server))); err == nil {
		t.Fatal("the killed git is taken for one that succeeded")
	}
	server.trees.Git.Exe = exe
	gone, cancel := context.WithCancel(t.Context())
	cancel() // another request that is cut before it has cleared anything
	if _, err := server.trees.Take(gone, server.ref, tips, bytes.NewReader(emptyPack(t, server))); err == nil {
		t.Error("a request that is over was carried out")
	}
	if _, err := server.trees.Take(t.Context(), server.ref, tips, bytes.NewReader(emptyPack(t, server))); err != nil {
		t.Error(err)
	}
	if now, err := server.trees.Tips(t.Context(), server.ref); err != nil || !maps.Equal(now, tips) {
		t.Errorf("%v, %v, want %v", now, err, tips)
	}
}

// A server that was killed between taking work and publishing it makes up for that when the host
// asks what the server has, and finds that it has nothing to send.
func TestWorkThatAKilledServerTookIsPublished(t *testing.T) {
	t.Parallel()
	server, host := newMirror(t)
	if err := server.sendTo(host); err != nil {
		t.Fatal(err)
	}
	before := gitOutput(t, server.ref.Repo, "rev-parse", "quest/q1")
	if _, err := host.trees.Begin(t.Context(), host.ref); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host.dir("one"), "made.txt"), []byte("made\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host.commit("one")
	host.ward("one")
	_, bringErr := host.trees.Bring(t.Context(), host.ref, "one")
	_, advanceErr := host.trees.Advance(t.Context(), host.ref, "one", "one: made")
	if err := errors.Join(bringErr, advanceErr, host.sendTo(server)); err != nil {
		t.Fatal(err)
	}
	common, err := server.trees.TreesGit("q1")
	if err != nil {
		t.Fatal(err)
	}
	after := gitOutput(t, server.ref.Repo, "rev-parse", "quest/q1")
	git(t, server.ref.Repo, "update-ref", "refs/heads/quest/q1", before)
	git(t, filepath.Dir(common), "--git-dir="+common, "update-ref", "refs/questboard/published/q1", before)
	there, err := server.trees.Tips(t.Context(), server.ref)
	if here, hereErr := host.trees.Tips(t.Context(), host.ref); err != nil || hereErr != nil || !maps.Equal(there, here) {
		t.Errorf("the server has %v, the host %v (%v, %v)", there, here, err, hereErr)
	}
	if is := gitOutput(t, server.ref.Repo, "rev-parse", "quest/q1"); is != after || is == before {
		t.Errorf("the user's branch is at %s, want %s", is, after)
	}
}
