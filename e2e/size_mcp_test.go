package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// sizeless is a scenario in which ChaosWhisperer says nothing of the size before it hangs,
// so that the test can call the tools in its place.
const sizeless = `
- role: chaoswhisperer
  do:
    - say: I wait.
    - hang: true
    - tool: {name: set-size, input: {size: full, reason: never}}
- {role: codeweaver, do: [{hang: true}]}
`

const someRequirements = `[{"id":"r","context":"c","observables":[{"id":"o1","text":"1"},{"id":"o2","text":"2"},{"id":"o3","text":"3"},{"id":"o4","text":"4"}]}]`

// caller returns the token of the run of a role that is at work. Its session is open: nothing
// else happens to the quest by itself.
func (s *apiServer) caller(quest, role, step string, visit int) string {
	s.t.Helper()
	q := s.until(quest, role+" is at work", func(q object) bool {
		runs := ofStep(q, role, step)
		return len(runs) == visit && runs[visit-1]["state"] == "running" && runs[visit-1]["sessionOpened"] == true
	})
	return runToken(s.t, s.data, ofStep(q, role, step)[visit-1]["id"].(string))
}

// In auto nothing is written before there is a size. What is no size, has no reason or
// comes from another role is refused, and changes nothing.
func TestASizeIsSaidFirstAndByChaosWhispererAlone(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, sizeless), apiRepo(t)
	quest := s.begin(repo, `,"approve":[]`)
	token := s.caller(quest, "chaoswhisperer", "requirements", 1)
	before := s.get("/quests/" + quest).want(200)
	if before["size"] != "auto" {
		t.Fatalf("without a choice the size is %v", before["size"])
	}
	complete := object{"signal": "complete", "stepId": "requirements", "summary": "s"}
	for _, c := range []struct {
		tool  string
		input object
		says  []string
	}{
		{"set-requirements", object{"requirements": list(t, someRequirements)}, []string{"no size yet", "set-size"}},
		{"signal-back", complete, []string{"no size yet", "set-size"}},
		{"set-size", object{"size": "huge", "reason": "r"}, []string{"huge", "errand", "quick", "full"}},
		{"set-size", object{"size": "auto", "reason": "r"}, []string{"auto", "errand", "quick", "full"}},
		{"set-size", object{"size": "errand"}, []string{"reason is missing"}},
		{"set-size", object{"size": "errand", "reason": " \n"}, []string{"reason"}},
		{"set-size", object{"size": "errand", "reason": strings.Repeat("x", 501)}, []string{"reason", "500"}},
		{"set-size", object{}, []string{"size is missing", "reason is missing"}},
		{"set-size", object{"size": "errand", "reason": "r", "why": "x"}, []string{`unknown field "why"`}},
	} {
		text, refused := s.tool(token, c.tool, c.input).answer()
		for _, says := range c.says {
			if !refused || !strings.Contains(text, says) {
				t.Errorf("%s %s: refused %v, %q does not say %q", c.tool, jsonText(c.input), refused, text, says)
			}
		}
	}
	if after := s.get("/quests/" + quest).want(200); after["version"] != before["version"] || after["size"] != "auto" {
		t.Errorf("refusals made version %v of version %v, size %v", after["version"], before["version"], after["size"])
	}
	other := s.begin(repo, `,"plan":{"steps":[{"id":"part","title":"Part"}]}`)
	text, refused := s.tool(s.caller(other, "codeweaver", "part", 1), "set-size", object{"size": "errand", "reason": "r"}).answer()
	if !refused || !strings.Contains(text, "set-size belongs to chaoswhisperer, and your role is codeweaver") {
		t.Errorf("Codeweaver says the size: %v %q", refused, text)
	}
	if q := s.get("/quests/" + other).want(200); q["size"] != "full" {
		t.Errorf("a quest with a plan of its own is %v", q["size"])
	}

	for _, size := range []string{"errand", "quick", "errand", "quick"} { // the last one counts
		if text, refused := s.tool(token, "set-size", object{"size": size, "reason": "r"}).answer(); refused || !strings.HasPrefix(text, "Stored: "+size+". Go on: ") {
			t.Errorf("%s: %v %q", size, refused, text)
		}
	}
	if text, refused := s.tool(token, "set-requirements", object{"requirements": list(t, someRequirements)}).answer(); !refused || !strings.Contains(text, "r has 4 observables") {
		t.Errorf("four observables of a quick quest: %v %q", refused, text)
	}
}

// After the first complete a size only grows, and an equal repeat gets the same answer.
func TestAfterTheFirstCompleteASizeOnlyGrows(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, sizeless), apiRepo(t)
	quest := s.begin(repo, "")
	token := s.caller(quest, "chaoswhisperer", "requirements", 1)
	size := func(size string) (string, bool) {
		return s.tool(token, "set-size", object{"size": size, "reason": "r"}).answer()
	}
	first, _ := size("quick")
	s.tool(token, "set-requirements", object{"requirements": list(t, `[{"id":"r","context":"c","observables":[{"id":"o1","text":"1"}]}]`)}).answer()
	s.tool(token, "signal-back", object{"signal": "complete", "stepId": "requirements", "summary": "s"}).answer()
	s.until(quest, "the gate opens", func(q object) bool { return q["gates"].(object)["requirements"] == "open" })
	s.post("/quests/"+quest+"/gates/requirements", `{"approve":false,"feedback":"more"}`).want(200)
	token = s.caller(quest, "chaoswhisperer", "requirements", 2)
	before := s.get("/quests/" + quest).want(200)
	if text, refused := size("errand"); !refused || !strings.Contains(text, "the quest is quick") || !strings.Contains(text, "only a larger one") {
		t.Errorf("a smaller size: %v %q", refused, text)
	}
	if text, refused := size("quick"); refused || text != first {
		t.Errorf("an equal repeat: %v %q, and the first answer was %q", refused, text, first)
	}
	if after := s.get("/quests/" + quest).want(200); after["version"] != before["version"] {
		t.Errorf("they made version %v of version %v", after["version"], before["version"])
	}
	if text, refused := size("full"); refused || !strings.HasPrefix(text, "Stored: full. ") {
		t.Errorf("a larger size: %v %q", refused, text)
	}
}

// The size that a person chose wins. That is told, and is no error.
func TestAPersonsSizeWins(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, sizeless), apiRepo(t)
	quest := s.begin(repo, `,"size":"quick"`)
	token := s.caller(quest, "chaoswhisperer", "requirements", 1)
	for _, size := range []string{"errand", "quick", "full"} {
		text, refused := s.tool(token, "set-size", object{"size": size, "reason": "the README says so"}).answer()
		if refused || !strings.HasPrefix(text, "The human chose quick. Go on with that: ") {
			t.Errorf("%s: %v %q", size, refused, text)
		}
	}
	if q := s.get("/quests/" + quest).want(200); q["size"] != "quick" || q["sizedBy"] != nil || q["sizeReason"] != "" {
		t.Errorf("the quest is %v, by %v: %v", q["size"], q["sizedBy"], q["sizeReason"])
	}
}

// list reads a JSON list.
func list(t *testing.T, text string) (v []any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
