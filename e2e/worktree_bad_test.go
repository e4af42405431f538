package e2e_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// odd is the scenario of agents in unusual repositories.
const odd = `
- {role: codeweaver, step: newline, do: [{run: 'printf "1\n" >"$(printf "a\nb.txt")"'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: link, do: [{run: 'ln -s %OUTSIDE% out; echo 1 >work.txt'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: submodule, do: [{run: 'ls lib >work.txt; git submodule status >>work.txt'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: vanished, visit: 1, do: [{run: 'echo 1 >work.txt; touch waits; until test -e %OUTSIDE%/go; do sleep 0.02; done'}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, do: [{write: {path: work.txt, content: "1\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: siegemaster, step: deleted, visit: 1, do: [{run: touch waits; exec sleep 600}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: tested}}}]}
`

// oddity is a quest in an unusual repository.
type oddity struct {
	*apiServer
	t           *testing.T
	step        string // the only step of the plan
	repo, quest string
}

func (o *oddity) begins(fields string) {
	o.t.Helper()
	o.quest = o.begin(o.repo, fmt.Sprintf(`,"ward":"true","plan":{"steps":[{"id":%q,"title":"S","files":["work.txt"]}]}%s`, o.step, fields))
}

// completes waits until the quest is complete and checks that its branch has the work.
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

// refuses checks that the answer is a refusal that contains these parts.
func (o *oddity) refuses(r reply, parts ...string) {
	o.t.Helper()
	why, _ := r.refused(http.StatusConflict)
	for _, part := range parts {
		if !strings.Contains(why, part) {
			o.t.Errorf("%q does not say %q", why, part)
		}
	}
}

// cannotBegin checks that a quest in this repository is refused, with the fault at this
// field.
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

// commit makes a commit of the user.
func (o *oddity) commit(name, text string) {
	o.t.Helper()
	write(o.t, filepath.Join(o.repo, name), text)
	gitText(o.t, o.repo, "add", "--", name)
	gitText(o.t, o.repo, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "the user's")
}

// In unusual repositories worktree mode either works or gives a clear message, and
// nothing is lost.
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
		repo := apiRepo(t) // in the folder of the whole test, because the server tidies up there until it ends
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			own := *s
			own.t = t
			play(&oddity{apiServer: &own, t: t, step: step, repo: repo})
		})
	}
}
