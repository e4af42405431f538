package e2e_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"questboard/agents/agentstest"
)

// forkers is the model of a quest with three steps. The check refuses the work of two of
// them at first.
type forkers struct {
	large bool // ChaosWhisperer's conversation is too large to go on from
}

func (f forkers) play(r agentstest.Request) agentstest.Reply {
	prompt, turn := r.Since("[questboard] quest=")
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) == 0 {
		return agentstest.Say(say("I have no prompt."))
	}
	role, step := lines[len(lines)-1][1], lines[len(lines)-1][2]
	at := job{toProve: []string{"o1"}}
	turns := map[string][][]use{
		"chaoswhisperer": {
			{say("THE RULES ARE IN rules.go."), agentstest.Use("Grep", map[string]any{"pattern": "Rules"})},
			{agentstest.Use("mcp__quest__set-requirements", map[string]any{"requirements": []any{map[string]any{"id": "polite", "context": "a name",
				"observables": []any{map[string]string{"id": "o1", "text": "three files"}}}}})},
			{signal("complete", step, "summary", "1 observable")},
		},
		"pathseeker": {
			{agentstest.Use("mcp__quest__plan-steps", map[string]any{"steps": []any{small("a"), small("b"), small("c")}, "review": []string{"o1"}})},
			{signal("complete", step, "summary", "3 steps")},
		},
		"codeweaver":   {{run("echo x >" + step + ".txt; [ " + step + " = c ] || echo x >bad." + step)}, {signal("complete", step, "summary", "written")}},
		"spiritmender": {{run("rm -f bad.*")}, {signal("complete", step, "summary", "mended")}},
		"lawbringer":   {{at.complete(step, "all is there")}},
	}[role]
	reply := agentstest.Say(say("Done."))
	if turn < len(turns) {
		reply = agentstest.Say(turns[turn]...)
	}
	if f.large && role == "chaoswhisperer" {
		return reply.Filling(90_000)
	}
	return reply
}

func small(id string) map[string]any {
	s := planned(id, []string{}, "o1", id+".txt")
	s["observables"], s["risk"], s["riskReason"] = []string{}, "low", "a file of text"
	return s
}

// forked plays such a quest to its end. meanwhile is called while the requirements wait
// for approval.
func forked(t *testing.T, version string, f forkers, settings string, meanwhile func(home string), flags ...string) (object, *agentstest.Model) {
	t.Helper()
	model, repo, home := agentstest.NewModel(t, f.play), shop(t), t.TempDir()
	s, _ := startRealIn(t, home, claudeCLI(t, version), model, flags...)
	s.send("PATCH", "/api/v1/settings", settings).want(200)
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "size": "full", "approve": []string{"requirements"},
		"ward": "! ls bad.* 2>/dev/null"})).want(201)["id"].(string)
	s.eventually(id, "the requirements wait", func(q object) bool { return q["gates"].(object)["requirements"] == "open" })
	s.eventually(id, "ChaosWhisperer has left", func(q object) bool { return objects(q["runs"])[0]["state"] == "ended" })
	if meanwhile != nil {
		meanwhile(home)
	}
	s.post("/quests/"+id+"/gates/requirements", `{"approve":true}`).want(200)
	return s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" }), model
}

// origins returns from which role each role's runs went on.
func origins(q object) map[string][]string {
	roles, from := map[string]string{}, map[string][]string{}
	for _, r := range objects(q["runs"]) {
		roles[r["id"].(string)] = r["role"].(string)
		if parent, ok := r["forkedFrom"].(string); ok {
			role := r["role"].(string)
			from[role] = append(from[role], roles[parent])
		}
	}
	return from
}

// With the real CLI PathSeeker goes on from ChaosWhisperer, codeweavers go on in other
// trees from PathSeeker, and Spiritmender from the codeweaver whose work was refused. The
// model's service can serve what it has read from its cache, and nothing is charged twice.
func TestRealCLIGoesOnFromTheConversationOfAnotherRole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		flags   []string
	}{
		"newest":    {version: cliVersion},
		"oldest":    {version: oldestCLI},
		"sandboxed": {version: cliVersion, flags: []string{"-sandbox"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(c.flags) > 0 {
				needSandbox(t)
			}
			q, model := forked(t, c.version, forkers{}, `{}`, nil, c.flags...)
			from := origins(q)
			if got := jsonText(from); got != `{"codeweaver":["pathseeker","pathseeker","pathseeker"],"pathseeker":["chaoswhisperer"],"spiritmender":["codeweaver","codeweaver"]}` {
				t.Fatalf("they went on from %s\n%s", got, jsonText(q["runs"]))
			}
			// All answers have the same price, and the first run goes on from nobody.
			first, all := objects(q["runs"])[0], model.Requests()
			answer := first["costUsd"].(float64) / float64(len(requestsOf(all, first["id"].(string))))
			cost, served := q["cost"].(float64), answer*float64(len(all))
			t.Logf("charged %.6f, served %.6f", cost, served)
			if math.Abs(cost-served) > answer/100 {
				t.Errorf("charged %.6f, served %.6f", cost, served)
			}
			for _, r := range objects(q["runs"]) {
				parent, forked := r["forkedFrom"].(string)
				if !forked {
					continue
				}
				share := sharedBeginning(model.Requests(), parent, r["id"].(string))
				t.Logf("%s of %s: %.1f %% of the last request before begins its first", r["role"], r["step"], 100*share)
				if share < 0.95 && c.version == cliVersion {
					t.Errorf("%s begins unlike the last request of %s", r["id"], parent)
				}
			}
			for _, request := range model.Requests() {
				if text := request.Text(); strings.Contains(text, "role=codeweaver") && !strings.Contains(text, "THE RULES ARE IN rules.go.") {
					t.Fatal("a codeweaver does not have what ChaosWhisperer said")
				}
			}
		})
	}
}

var cacheMark = regexp.MustCompile(`,?"cache_control":\{[^}]*\}`)

// modelReads is what the model reads, in its order: tools, system prompt, conversation. The
// marks of what to cache move from request to request.
func modelReads(r agentstest.Request) string {
	tools, system := r.Beginning()
	messages := strings.TrimSuffix(gjson.GetBytes(r.Body, "messages").Raw, "]")
	return cacheMark.ReplaceAllString(tools+system+messages, "")
}

// requestsOf returns the requests of a run.
func requestsOf(requests []agentstest.Request, run string) []agentstest.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r agentstest.Request) bool {
		said, _ := r.Since("[questboard] quest=")
		return !strings.Contains(said, "run="+run+" ")
	})
}

// sharedBeginning returns which part of a run's last request begins the first one of another run.
func sharedBeginning(requests []agentstest.Request, parent, fork string) float64 {
	before := requestsOf(requests, parent)
	last, first := modelReads(before[len(before)-1]), modelReads(requestsOf(requests, fork)[0])
	same := 0
	for same < min(len(last), len(first)) && last[same] == first[same] {
		same++
	}
	return float64(same) / float64(max(len(last), 1))
}

// Where a conversation cannot be gone on from, the run begins its own and is told all that
// it must know. Nobody is blamed, and the quest goes on.
func TestRealCLIBeginsAfreshWhereNoConversationIsToGoOnFrom(t *testing.T) {
	t.Parallel()
	conversations := func(home string) []string {
		found, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
		if err != nil || len(found) != 1 {
			t.Errorf("conversations: %q (%v)", found, err)
		}
		return found
	}
	for name, c := range map[string]struct {
		model     forkers
		settings  string
		meanwhile func(home string)
		why       string // of the run that tried
	}{
		"too large": {model: forkers{large: true}},
		"too old":   {settings: `{"forks":{"within":"1ns","small":1}}`},
		"set to":    {settings: `{"forks":{"fresh":["pathseeker"]}}`},
		"gone": {meanwhile: func(home string) {
			if err := os.Remove(conversations(home)[0]); err != nil {
				t.Error(err)
			}
		}, why: "is not there any more"},
		"cut": {meanwhile: func(home string) {
			name := conversations(home)[0]
			info, err := os.Stat(name)
			if err != nil || os.Truncate(name, info.Size()/2) != nil {
				t.Errorf("cut %s: %v", name, err)
			}
		}, why: "is cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.settings == "" {
				c.settings = `{}`
			}
			q, model := forked(t, cliVersion, c.model, c.settings, c.meanwhile)
			tried, planned := "", ""
			for _, r := range objects(q["runs"]) {
				switch {
				case r["role"] != "pathseeker":
				case r["forkedFrom"] != nil:
					tried = r["why"].(string)
				default:
					planned = r["id"].(string)
				}
			}
			for _, r := range objects(q["runs"]) {
				t.Logf("%v %v %v from %v: %v (%v)", r["id"], r["role"], r["start"], r["forkedFrom"], r["why"], r["sessionId"])
			}
			if planned == "" || !strings.Contains(tried, c.why) || (tried == "") != (c.why == "") {
				t.Fatalf("PathSeeker: %q tried, %q planned\n%s", tried, planned, jsonText(q["runs"]))
			}
			if counts := line(q, "plan")["counts"].(object); counts["crash"] != 0.0 {
				t.Errorf("it counts as %v", counts)
			}
			r := requestsOf(model.Requests(), planned)[0]
			if said, _ := r.Since("[questboard] quest="); !strings.Contains(said, "three files") || strings.Contains(r.Text(), "THE RULES ARE IN") {
				t.Errorf("it is told\n%s", said)
			}
		})
	}
}

// line returns a quest-wide step of the API's quest.
func line(q object, id string) object {
	for _, s := range objects(q["lines"]) {
		if s["id"] == id {
			return s
		}
	}
	return object{}
}
