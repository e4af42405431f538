package workspace_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// A step that was repaired before it passed has commits that fail the check. They are not
// on the quest's branch: each commit there was checked.
func TestAStepsCommitsArriveAsOne(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "one.txt", "wrong\n")
	g.commit("one")
	put(t, one, "own.txt", "own\n")
	gitOutput(t, one, "add", "own.txt")
	gitOutput(t, one, "commit", "-q", "-m", "the agent's own\n\nQuest: forged")
	put(t, one, "one.txt", "right\n")
	tip := g.commit("one").Commit
	g.ward("one")
	g.bring("one", workspace.UpToDate)

	base := gitOutput(t, one, "rev-parse", "refs/questboard/base/q1")
	done, err := g.trees.Advance(t.Context(), g.ref, "one", "one: Say what is right")
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Folded) != 3 || done.Folded[0] != tip || done.Commit == tip {
		t.Errorf("%+v, want three commits from %s", done, tip)
	}
	if got := gitOutput(t, g.ref.Repo, "rev-list", base+"..quest/q1"); got != done.Commit {
		t.Errorf("the branch in the user's repository has %q, want %s", got, done.Commit)
	}
	if got := gitOutput(t, one, "rev-parse", done.Commit+"^{tree}"); got != gitOutput(t, one, "rev-parse", tip+"^{tree}") {
		t.Error("the one commit has other files than the last one")
	}
	text := gitOutput(t, one, "log", "-1", "--format=%B", done.Commit)
	for _, want := range []string{"one: Say what is right\n\nOne commit of these:\n", tip, "the agent's own"} {
		if !strings.Contains(text, want) {
			t.Errorf("the message lacks %q:\n%s", want, text)
		}
	}
	if got := gitOutput(t, one, "log", "-1", "--format=%(trailers)", done.Commit); strings.TrimSpace(got) != "Quest: q1\nStep: one" {
		t.Errorf("the trailers are %q", got)
	}

	// A server that was killed asks again.
	again, err := g.trees.Advance(t.Context(), g.ref, "one", "one: Say what is right")
	if err != nil || again.Commit != done.Commit || !slices.Equal(again.Folded, done.Folded) {
		t.Errorf("the second time: %+v, %v, want %+v", again, err, done)
	}

	// The step goes on from there.
	if head, left := gitOutput(t, one, "rev-parse", "HEAD"), gitOutput(t, one, "status", "--porcelain"); head != done.Commit || left != "" {
		t.Errorf("the step's tree is at %s with %q", head, left)
	}
	put(t, one, "more.txt", "more\n")
	more := g.commit("one")
	if more.From != done.Commit {
		t.Errorf("the next commit begins at %s, want %s", more.From, done.Commit)
	}
	g.ward("one")
	g.bring("one", workspace.UpToDate)
	if got := g.advance("one"); got != more.Commit {
		t.Errorf("one commit arrived as %s, want itself, %s", got, more.Commit)
	}
	if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
		t.Fatal(err)
	}
	if kept, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1"); err != nil || len(kept) > 0 {
		t.Errorf("kept after all of it was merged: %+v, %v", kept, err)
	}
	gitOutput(t, g.ours(), "gc", "-q", "--prune=now")
	if subject := gitOutput(t, g.ours(), "log", "-1", "--format=%s", tip); subject == "" {
		t.Error("the step's own commits are gone while the quest is there")
	}
}

// A merge brings the quest's branch into the step; the branch has no merges.
func TestTheQuestsBranchIsOneLineOfCommits(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	for _, step := range []string{"one", "two", "three"} {
		put(t, g.dir(step), step+".txt", "x\n")
		g.commit(step)
	}
	for n, step := range []string{"one", "two", "three"} {
		if want := workspace.Updated; n > 0 {
			g.bring(step, want)
			g.ward(step)
		}
		g.bring(step, workspace.UpToDate)
		g.advance(step)
	}
	got := gitOutput(t, g.ref.Repo, "log", "--format=%(trailers:key=Step,valueonly,separator=%x2C)%P", "refs/heads/quest/q1", "^"+gitOutput(t, g.ours(), "rev-parse", "refs/questboard/base/q1"))
	lines := strings.Split(got, "\n")
	if len(lines) != 3 || strings.Contains(got, " ") {
		t.Errorf("the branch is %q, want three commits with one parent each", lines)
	}
}

// A commit that somebody made after the check stays outside, and is merged by the next Bring.
func TestWhatIsCommittedAfterTheCheckStaysOutOfTheFold(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "one.txt", "1\n")
	g.commit("one")
	put(t, one, "one.txt", "2\n")
	tip := g.commit("one").Commit
	g.ward("one")
	put(t, one, "one.txt", "3\n") // the same file: git alone would call that a conflict
	gitOutput(t, one, "add", "one.txt")
	gitOutput(t, one, "commit", "-q", "-m", "late")
	late := gitOutput(t, one, "rev-parse", "HEAD")
	arrived := g.advance("one")
	if gitOutput(t, one, "rev-parse", arrived+"^{tree}") != gitOutput(t, one, "rev-parse", tip+"^{tree}") {
		t.Error("something else arrived than what was checked")
	}
	if got := gitOutput(t, one, "rev-parse", "HEAD^{tree}", "HEAD^@"); got != gitOutput(t, one, "rev-parse", late+"^{tree}", late, arrived) {
		t.Errorf("the step is at %s, want the files of %s after %s", got, late, arrived)
	}
	g.bring("one", workspace.Updated)
	if got := gitOutput(t, one, "status", "--porcelain"); got != "" || read(t, one, "one.txt") != "3\n" {
		t.Errorf("the step's tree has %q", got)
	}
}

// A kill between the refs costs at most one more check, and loses nothing.
func TestAFoldThatWasCutShortIsFinished(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	for _, text := range []string{"1\n", "2\n"} {
		put(t, one, "one.txt", text)
		g.commit("one")
	}
	tip := gitOutput(t, one, "rev-parse", "HEAD")
	g.ward("one")
	for _, moved := range [][]string{{"refs/heads/quest-steps/q1/one"}, {"refs/heads/quest-steps/q1/one", "refs/questboard/tip/q1/one"}} {
		cmd := exec.Command("git", "commit-tree", "-p", "refs/questboard/base/q1", "-m", "folded", tip+"^{tree}")
		cmd.Dir = one
		made, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range moved {
			gitOutput(t, g.ours(), "update-ref", ref, strings.TrimSpace(string(made)))
		}
		if len(moved) == 1 {
			g.bring("one", workspace.Updated) // looks like a commit of the agent's own
			g.ward("one")
		}
		g.bring("one", workspace.UpToDate)
	}
	arrived := g.advance("one")
	if gitOutput(t, one, "rev-parse", arrived+"^{tree}") != gitOutput(t, one, "rev-parse", tip+"^{tree}") {
		t.Error("other files arrived")
	}
	if got := gitOutput(t, one, "status", "--porcelain"); got != "" {
		t.Errorf("the step's tree has %q", got)
	}
}
