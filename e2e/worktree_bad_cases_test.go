package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
	o.begins("") // without a choice, the quest works in the repository itself
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

// takenBranch tests a repository with a branch "quest", which prevents quest/<id>.
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
	o.refuses(o.deliver("fast-forward"), "has new commits", "Merge commit", "Squash")
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
		o.refuses(o.deliver(how), "work.txt", "by hand", "merge here again")
	}
	assertUntouched(o.t, o.repo, users)
}

// deletedTree tests what happens if a tree is deleted while an agent works in it.
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

// vanishedWork tests what happens if a tree is deleted with uncommitted work in it.
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
