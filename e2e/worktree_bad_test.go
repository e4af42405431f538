package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// odd is what agents do in repositories that are not as one would wish.
const odd = `
- {role: codeweaver, step: newline, do: [{run: 'printf "1\n" >"$(printf "a\nb.txt")"'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: link, do: [{run: 'ln -s %OUTSIDE% out; echo 1 >work.txt'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: submodule, do: [{run: 'ls lib >work.txt; git submodule status >>work.txt'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: vanished, visit: 1, do: [{run: 'echo 1 >work.txt; touch waits; until test -e %OUTSIDE%/go; do sleep 0.02; done'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, do: [{write: {path: work.txt, content: "1\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: siegemaster, step: deleted, visit: 1, do: [{run: touch waits; exec sleep 600}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: tested}}}]}
`

// oddity is a quest in such a repository.
type oddity struct {
	*apiServer
	t           *testing.T
	step        string // of the plan, which has one
	repo, quest string
}

func (o *oddity) begins(fields string) {
	o.t.Helper()
	o.quest = o.begin(o.repo, fmt.Sprintf(`,"ward":"true","plan":{"steps":[{"id":%q,"title":"S","files":["work.txt"]}]}%s`, o.step, fields))
}

// completes insists that the quest's branch holds the work.
func (o *oddity) completes() object {
	o.t.Helper()
	q := o.untilStatus(o.quest, "complete")
	if text := onBranch(o.t, o.repo, o.quest, "work.txt"); text != "1\n" {
		o.t.Errorf("work.txt on the quest's branch: %q", text)
	}
	return q
}

func (o *oddity) deliver(how string) reply {
	o.t.Helper()
	return o.post("/quests/"+o.quest+"/deliver", fmt.Sprintf(`{"how":%q}`, how))
}

// refuses insists on a refusal in words.
func (o *oddity) refuses(r reply, parts ...string) {
	o.t.Helper()
	why, _ := r.refused(http.StatusConflict)
	for _, part := range parts {
		if !strings.Contains(why, part) {
			o.t.Errorf("%q does not say %q", why, part)
		}
	}
}

// cannotBegin insists that a quest in this repository is refused at a field.
func (o *oddity) cannotBegin(field string, parts ...string) {
	o.t.Helper()
	_, fields := o.post("/quests", fmt.Sprintf(`{"request":"x","repo":%q,"workspace":"worktree"}`, o.repo)).refused(http.StatusUnprocessableEntity)
	said, _ := fields[field].(string)
	for _, part := range parts {
		if !strings.Contains(said, part) {
			o.t.Errorf("fields %v: %s does not say %q", fields, field, part)
		}
	}
}

// commit is one of the user's own.
func (o *oddity) commit(name, text string) {
	o.t.Helper()
	write(o.t, filepath.Join(o.repo, name), text)
	gitText(o.t, o.repo, "add", "--", name)
	gitText(o.t, o.repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "the user's")
}

// Worktree mode in repositories that are not as one would wish: a clear message
// or the right thing, and nothing of anybody's is lost.
func TestOddRepositories(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "mine\n")
	s := startAPI(t, strings.ReplaceAll(odd, "%OUTSIDE%", outside), "-slots", "12")
	for step, play := range map[string]func(o *oddity){
		"dirty":     dirtyCheckout,
		"detached":  detachedHead,
		"empty":     emptyRepository,
		"bare":      bareRepository,
		"taken":     takenBranch,
		"moved":     baseMovedOn,
		"conflict":  baseConflicts,
		"deleted":   deletedTree,
		"vanished":  func(o *oddity) { vanishedWork(o, outside) },
		"newline":   newlineInName,
		"link":      func(o *oddity) { linkOutside(o, outside) },
		"submodule": withSubmodule,
	} {
		repo := apiRepo(t) // not the part's: the server tidies up there until it ends
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			own := *s
			own.t = t
			play(&oddity{apiServer: &own, t: t, step: step, repo: repo})
		})
	}
}

func dirtyCheckout(o *oddity) {
	o.repo = busyUser(o.t)
	users := usersOwn(o.t, o.repo)
	o.begins("")
	o.completes()
	o.refuses(o.deliver("merge"), "changed.txt", "staged.txt", "commit, stash or move")
	assertUntouched(o.t, o.repo, users)
}

func detachedHead(o *oddity) {
	gitText(o.t, o.repo, "checkout", "-q", "--detach")
	o.begins("")
	o.completes()
	o.refuses(o.deliver("merge"), "started from a commit", "by hand", "patch")
	if patch := o.get("/quests/" + o.quest + "/patch"); patch.status != http.StatusOK || !strings.Contains(patch.text, "work.txt") {
		o.t.Errorf("the patch: %d %s", patch.status, patch.text)
	}
}

func emptyRepository(o *oddity) {
	o.repo = o.t.TempDir()
	gitText(o.t, o.repo, "init", "-q")
	o.cannotBegin("workspace", "no commit yet", "make a first commit")
	o.begins("") // left to choose, it works in the repository itself
	if q := o.untilStatus(o.quest, "complete"); q["workspace"] != "shared" {
		o.t.Errorf("the workspace is %v", q["workspace"])
	}
	if text, err := os.ReadFile(filepath.Join(o.repo, "work.txt")); string(text) != "1\n" {
		o.t.Errorf("work.txt: %q, %v", text, err)
	}
}

func bareRepository(o *oddity) {
	bare := filepath.Join(o.t.TempDir(), "bare.git")
	gitText(o.t, o.repo, "clone", "-q", "--bare", o.repo, bare)
	o.repo = bare
	o.cannotBegin("repo", "bare", "clone")
}

// takenBranch: a branch "quest" leaves no room for quest/<id>.
func takenBranch(o *oddity) {
	gitText(o.t, o.repo, "branch", "quest")
	o.begins("")
	q := o.until(o.quest, "somebody says what is in the way", func(q object) bool {
		return q["status"] == "waiting" && strings.Contains(jsonText(q), "quest/"+o.quest+" cannot be made beside a branch that is there")
	})
	gitText(o.t, o.repo, "branch", "-m", "quest", "other")
	for _, line := range append(objects(q["lines"]), objects(q["steps"])...) {
		if line["hold"] == "blocked" {
			o.post("/quests/"+o.quest+"/steps/"+line["id"].(string)+"/retry", "").want(http.StatusOK)
		}
	}
	if q["wait"] != nil {
		o.post("/quests/"+o.quest+"/resume", "").want(http.StatusOK)
	}
	o.completes()
}

func baseMovedOn(o *oddity) {
	o.begins("")
	o.completes()
	o.commit("meanwhile.txt", "2\n")
	o.refuses(o.deliver("fast-forward"), "has moved on", "merge commit", "squash")
	o.deliver("merge").want(http.StatusOK)
	for name, want := range map[string]string{"work.txt": "1\n", "meanwhile.txt": "2\n"} {
		if text, err := os.ReadFile(filepath.Join(o.repo, name)); string(text) != want {
			o.t.Errorf("%s in the checkout: %q, %v", name, text, err)
		}
	}
	if parents := strings.Fields(gitText(o.t, o.repo, "log", "-1", "--format=%P")); len(parents) != 2 {
		o.t.Errorf("the base is at a commit with %d parents", len(parents))
	}
}

func baseConflicts(o *oddity) {
	o.begins("")
	o.completes()
	o.commit("work.txt", "the user's\n")
	users := usersOwn(o.t, o.repo)
	for _, how := range []string{"merge", "squash"} {
		o.refuses(o.deliver(how), "work.txt", "by hand", "deliver again")
	}
	assertUntouched(o.t, o.repo, users)
}

// deletedTree: the folder goes while somebody works in it.
func deletedTree(o *oddity) {
	o.begins("")
	tree := treeOf(o.data, o.quest, o.step)
	o.until(o.quest, "siegemaster is at work", func(object) bool { _, err := os.Stat(filepath.Join(tree, "waits")); return err == nil })
	if err := os.RemoveAll(tree); err != nil {
		o.t.Fatal(err)
	}
	q := o.get("/quests/" + o.quest).want(http.StatusOK)
	o.post("/runs/"+ofStep(q, "siegemaster", o.step)[0]["id"].(string)+"/stop", "").want(http.StatusOK)
	o.until(o.quest, "it is stopped", func(q object) bool { return named(q["steps"], o.step)["hold"] == "blocked" })
	o.post("/quests/"+o.quest+"/steps/"+o.step+"/retry", "").want(http.StatusOK)
	o.completes()
}

// vanishedWork: the folder goes with work in it that is not committed yet.
func vanishedWork(o *oddity, outside string) {
	o.begins("")
	tree := treeOf(o.data, o.quest, o.step)
	o.until(o.quest, "codeweaver is at work", func(object) bool { _, err := os.Stat(filepath.Join(tree, "waits")); return err == nil })
	if err := os.RemoveAll(tree); err != nil {
		o.t.Fatal(err)
	}
	write(o.t, filepath.Join(outside, "go"), "")
	q := o.until(o.quest, "the step is held", func(q object) bool {
		return named(q["steps"], o.step)["hold"] == "blocked" || q["status"] == "complete"
	})
	at := named(q["steps"], o.step)
	if block, _ := at["block"].(object); block["kind"] != "unsaved" || block["retry"] != "codeweaver" || !strings.Contains(at["why"].(string), tree+" is gone") {
		o.t.Errorf("held by %s: %s", jsonText(block), at["why"])
	}
	o.post("/quests/"+o.quest+"/steps/"+o.step+"/retry", "").want(http.StatusOK)
	o.completes()
}

func newlineInName(o *oddity) {
	o.begins("")
	q := o.untilStatus(o.quest, "complete")
	if text := onBranch(o.t, o.repo, o.quest, "a\nb.txt"); text != "1\n" {
		o.t.Errorf("the file with a newline in its name: %q", text)
	}
	if changed := jsonText(named(q["steps"], o.step)["changed"]); changed != `["a\nb.txt"]` {
		o.t.Errorf("changed: %s", changed)
	}
	o.deliver("squash").want(http.StatusOK)
	if text, err := os.ReadFile(filepath.Join(o.repo, "a\nb.txt")); string(text) != "1\n" {
		o.t.Errorf("delivered: %q, %v", text, err)
	}
}

func linkOutside(o *oddity, outside string) {
	o.begins("")
	o.completes()
	if mode := gitText(o.t, o.repo, "ls-tree", "quest/"+o.quest, "out"); !strings.HasPrefix(mode, "120000 ") {
		o.t.Errorf("the link is %s", mode)
	}
	patch := o.get("/quests/" + o.quest + "/patch").text
	o.deliver("merge").want(http.StatusOK)
	if target, err := os.Readlink(filepath.Join(o.repo, "out")); target != outside || strings.Contains(patch, "mine") {
		o.t.Errorf("delivered as a link to %q, %v; the patch: %s", target, err, patch)
	}
	if text := read(o.t, filepath.Join(outside, "secret")); text != "mine\n" {
		o.t.Errorf("what the link leads to has changed: %q", text)
	}
}

func withSubmodule(o *oddity) {
	lib := apiRepo(o.t)
	add := exec.Command("git", "-C", o.repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "lib")
	if out, err := add.CombinedOutput(); err != nil {
		o.t.Fatalf("%v: %s", err, out)
	}
	o.commit("own.txt", "1\n")
	pin := gitText(o.t, o.repo, "ls-tree", "HEAD", "lib")
	o.begins("")
	o.untilStatus(o.quest, "complete")
	if now := gitText(o.t, o.repo, "ls-tree", "quest/"+o.quest, "lib"); now != pin {
		o.t.Errorf("the submodule was at %s and is at %s", pin, now)
	}
	o.deliver("fast-forward").want(http.StatusOK)
	if state := gitText(o.t, o.repo, "submodule", "status"); !strings.HasPrefix(state, " ") {
		o.t.Errorf("the submodule in the checkout: %s", state)
	}
}
