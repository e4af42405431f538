package e2e_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trapper is a scenario in which an agent fills its tree with traps. The test looks at
// the committed ones while Siegemaster waits (git commits no link named .gitmodules).
// The run of the other step never ends.
const trapper = `
- role: codeweaver
  step: done
  do:
    - run: |
        %TRAPS%; truncate -s 64M sparse
        rm .gitmodules
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: codeweaver
  step: going
  do:
    - run: |
        %TRAPS%; truncate -s 10G sparse; touch made
    - hang: true
- role: siegemaster
  do:
    - run: touch looks
    - hang: true
`

const traps = `ln -s %OUTSIDE%/secret.txt secret; ln -s %OUTSIDE% outside; ln -s loop loop; ln -s /dev/zero zero; ln -s /proc/self/environ environ; mkfifo fifo; mkdir deep; mkfifo deep/fifo;` +
	` printf 'one line\n' >plain.txt; ln -s %OUTSIDE%/secret.txt CLAUDE.md; ln -s /dev/zero .mcp.json; mkdir .claude; mkfifo .claude/settings.json; ln -s %OUTSIDE%/secret.txt .claude/CLAUDE.md;` +
	` ln -s %OUTSIDE%/secret.txt .gitignore; ln -s /dev/zero .gitattributes; ln -s %OUTSIDE%/secret.txt .gitmodules`

// docs/hardening.md#web, T1.6, for files within a tree: an agent makes links that lead
// out, pipes, links to devices and a sparse file of 10 GB. No page reads anything
// outside, waits, or loads the file into memory.
func TestNothingThatAnAgentPutsIntoItsTreeLeadsOut(t *testing.T) {
	t.Parallel()
	o := newOutside(t)
	scenario := strings.NewReplacer("%OUTSIDE%", o.dir).Replace(strings.ReplaceAll(trapper, "%TRAPS%", traps))
	s, pid, _ := startWith(t, append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken, "DISPLAY="), scenario)
	p := &prober{apiServer: s, outside: o, pid: pid}
	routes := productRoutes(t)
	for step, sign := range map[string]string{"done": "looks", "going": "made"} {
		p.repo = apiRepo(t)
		quest := s.begin(p.repo, `,"plan":{"steps":[{"id":"`+step+`","title":"One","files":["plain.txt"]}]}`)
		tree := treeOf(s.data, quest, step)
		poll(t, time.Minute, func() bool { _, err := os.Lstat(filepath.Join(tree, sign)); return err == nil }, func() string { return step + ": the traps" })
		memory, real := p.memory(), map[string]string{"quest": quest, "step": step, "run": quest + "-r1", "gate": "plan", "question": quest + "-q1", "share": "none", "line": "1", "token": "none", "name": "app.js"}
		for _, route := range routes {
			if route.method != http.MethodGet || strings.HasSuffix(route.path, "/ws") {
				continue
			}
			at := route.with(real)
			for _, query := range []string{"", "?view=split&quest=" + quest, "?repo=" + url.QueryEscape(tree)} {
				p.probe(address{"GET", at.path + query}, "", "")
			}
		}
		if n := p.memory() - memory; n > memoryGrowth {
			t.Errorf("%s: the server grew by %d MiB", step, n>>20)
		}
		diff := s.send("GET", "/quests/"+quest+"/steps/"+step+"/diff", "").text
		for _, shown := range []string{"plain.txt", "one line", "symbolic link", o.dir + "/secret.txt", ">sparse<", ">zero<"} {
			if strings.Contains(diff, shown) != (step == "done") { // unfinished work is not shown yet
				t.Errorf("%s: that the diff shows %q is %v", step, shown, step != "done")
			}
		}
		s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK)
	}
	t.Logf("%d probes, the slowest answer took %v", p.asked, p.slowest)
}

// A pipe replaces the tree itself.
func TestAPipeInPlaceOfATreeHoldsNobody(t *testing.T) {
	t.Parallel()
	o := newOutside(t)
	s, pid, _ := startWith(t, append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken, "DISPLAY="), workers)
	p := &prober{apiServer: s, outside: o, pid: pid}
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	run := s.running(quest, 1)
	tree := treeOf(s.data, quest, "one")
	if err := os.Rename(tree, tree+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(tree, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/diff", "/steps/one", "/steps/one/diff", "/delivery", "/disk", "/kept", "/patch"} {
		p.probe(address{"GET", "/quests/" + quest + path}, "", "")
	}
	for _, path := range []string{"/settings/trust?quest=" + quest, "/settings/disk", "/runs/" + run + "/output", "/api/v1/quests/" + quest + "/steps/one/diff", "/api/v1/quests/" + quest + "/workspace"} {
		p.probe(address{"GET", path}, "", "")
	}
}
