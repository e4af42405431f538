package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// A run's token is valid only for that run and only while it works.
func TestARunsTokenSpeaksForThatRunAlone(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"},{"id":"two","title":"Two"},{"id":"three","title":"Three"}]}`)
	tokens, runs := map[string]string{}, map[string]string{}
	for n := range 3 {
		run := s.running(quest, n+1)
		step := s.get("/runs/" + run).want(http.StatusOK)["step"].(string)
		runs[step], tokens[step] = run, runToken(t, s.data, run)
	}
	before := s.get("/quests/" + quest).want(http.StatusOK)["version"]

	complete := object{"signal": "complete", "stepId": "one", "summary": "made"}
	id, secret, _ := strings.Cut(tokens["one"], ".")
	otherID, _, _ := strings.Cut(tokens["two"], ".")
	for name, token := range map[string]string{"none": "", "the owner's": apiToken, "a guess": id + "." + secret[1:] + "x",
		"another run's secret": otherID + "." + secret, "a name without a secret": id + ".", "no token": "garbage"} {
		message, _ := s.tool(token, "signal-back", complete).want(http.StatusUnauthorized)["error"].(object)["message"].(string)
		if !strings.Contains(message, "token of a run is needed") {
			t.Errorf("%s is refused with %q", name, message)
		}
	}
	s.refuses(tokens["two"], complete, `this run works for "two"`)
	s.refuses(tokens["one"], object{"signal": "needs-role-followup", "targetRole": "codeweaver", "reason": "r", "context": "c", "resume": true}, "stepId")
	if after := s.get("/quests/" + quest).want(http.StatusOK)["version"]; after != before {
		t.Errorf("what was refused changed the quest from version %v to %v", before, after)
	}

	// The first signal counts. An equal repeat gets the same answer, even after the end
	// of the run. A different one does not count.
	first, refused := s.tool(tokens["one"], "signal-back", complete).answer()
	if refused {
		t.Fatal(first)
	}
	s.until(quest, "the run is over", func(q object) bool { return named(q["runs"], runs["one"])["state"] == "ended" })
	if again, refused := s.tool(tokens["one"], "signal-back", complete).answer(); refused || again != first {
		t.Errorf("the repeat got %q; the first %q", again, first)
	}
	s.refuses(tokens["one"], object{"signal": "complete", "stepId": "one", "summary": "other"}, "signal")
	if signal := s.get("/runs/" + runs["one"]).want(http.StatusOK)["signal"].(object); signal["summary"] != "made" {
		t.Errorf("the signal is %v", signal)
	}

	// A run that was stopped is over, whatever it still sends.
	s.post("/runs/"+runs["two"]+"/stop", "").want(http.StatusOK)
	s.until(quest, "the run is over", func(q object) bool { return named(q["runs"], runs["two"])["state"] == "ended" })
	s.refuses(tokens["two"], object{"signal": "complete", "stepId": "two", "summary": "late"}, "this run is over (stopped)")
	if two := named(s.get("/quests/" + quest).want(http.StatusOK)["steps"], "two"); two["hold"] != "blocked" {
		t.Errorf("the stopped step: %s", jsonText(two))
	}

	s.post("/quests/"+quest+"/abandon", "").want(http.StatusOK)
	s.refuses(tokens["three"], object{"signal": "complete", "stepId": "three", "summary": "late"}, "over")
}

// refuses checks that a signal is refused with these words.
func (s *apiServer) refuses(token string, signal object, words string) {
	s.t.Helper()
	if text, refused := s.tool(token, "signal-back", signal).answer(); !refused || !strings.Contains(text, words) {
		s.t.Errorf("%s got %q, refused %v; want the words %q", jsonText(signal), text, refused, words)
	}
}
