package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// afterthought is a scenario in which the review asks for another step, and then starts
// again.
const afterthought = `
- {role: codeweaver, step: first, do: [{write: {path: first.txt, content: "1\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: second, do: [{write: {path: second.txt, content: "2\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- role: lawbringer
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: spiritmender, reason: a typo, context: note.txt, resume: true}}
- {role: spiritmender, do: [{write: {path: note.txt, content: "mended\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: mended}}}]}
- role: lawbringer
  visit: 2
  do:
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: pathseeker, reason: a step is missing, context: the second, resume: false}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: second, title: Second, description: x, files: [second.txt], dependsOn: [], observables: []}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: planned}}
- role: lawbringer
  do:
    - run: ls >%SEEN%
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// editor is a scenario in which Lawbringer mends something itself.
const editor = `
- {role: codeweaver, step: first, do: [{write: {path: first.txt, content: "1\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- role: lawbringer
  visit: 1
  do:
    - write: {path: first.txt, content: "2\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: mended a typo, findings: [{what: a typo, where: "first.txt:1"}]}}
- role: lawbringer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// Lawbringer's own edit brings a second, fresh look, which is told what was found and
// since which commit the work has changed. In a shared folder nothing is committed.
func TestLawbringersOwnEditBringsAFreshLook(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"worktree", "shared"} {
		t.Run(workspace, func(t *testing.T) {
			t.Parallel()
			s, repo := startAPI(t, editor), apiRepo(t)
			quest := s.begin(repo, `,"ward":"true","approve":[],"workspace":"`+workspace+`","plan":{"steps":[{"id":"first","title":"First","files":["first.txt"]}]}`)
			s.untilStatus(quest, "complete")
			var q struct {
				Outcome struct{ Reviewed bool }
				Runs    []struct {
					ID, Role, Start, Step string
					Commit, ResumedFrom   *string
				}
				Lines []struct {
					ID       string
					Rounds   int
					Findings []struct {
						What, Where, State string
						MendedBy, Commit   *string
					}
				}
			}
			if err := json.Unmarshal([]byte(s.get("/quests/"+quest).text), &q); err != nil {
				t.Fatal(err)
			}
			var looks []string
			for _, r := range q.Runs {
				if r.Role == "lawbringer" {
					looks = append(looks, r.ID)
					if r.Start != "fresh" || r.ResumedFrom != nil {
						t.Errorf("%s begins as %s, from %v", r.ID, r.Start, r.ResumedFrom)
					}
				}
			}
			review := q.Lines[2]
			if len(looks) != 2 || review.Rounds != 1 || len(review.Findings) != 1 || !q.Outcome.Reviewed {
				t.Fatalf("%d looks, outcome %+v, review %+v", len(looks), q.Outcome, review)
			}
			f := review.Findings[0]
			if f.What != "a typo" || f.Where != "first.txt:1" || f.State != "mended" || f.MendedBy == nil || *f.MendedBy != looks[0] {
				t.Errorf("finding %+v, looks %v", f, looks)
			}
			if workspace == "shared" {
				if f.Commit != nil {
					t.Errorf("nothing is committed in a shared folder, and the finding names %q", *f.Commit)
				}
				return
			}
			if f.Commit == nil || gitText(t, repo, "show", *f.Commit+":first.txt") != "2\n" {
				t.Errorf("the finding names the commit %v", f.Commit)
			}
		})
	}
}

// A review that begins again sees the steps that the last one asked for, and what was
// mended in that one.
func TestAReviewThatBeginsAgainSeesWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	s, repo := startAPI(t, strings.ReplaceAll(afterthought, "%SEEN%", seen)), apiRepo(t)
	quest := s.begin(repo, `,"ward":"true","approve":[],"workspace":"worktree","plan":{"steps":[{"id":"first","title":"First","files":["first.txt"]}]}`)
	s.untilStatus(quest, "complete")
	names, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first.txt", "second.txt", "note.txt"} {
		if !strings.Contains(string(names), name) {
			t.Errorf("lawbringer saw\n%sbut not %s", names, name)
		}
	}
	if got := gitText(t, repo, "show", "quest/"+quest+":note.txt"); got != "mended\n" {
		t.Errorf("what was mended in the review is %q", got)
	}
}
