package e2e_test

import (
	"slices"
	"testing"
)

// The first version of the server (commit b138c14, the last before a quest had a git
// directory of its own) was killed with kill -9 at one moment of a quest. Each
// testdata/first-version-MOMENT.tar.gz has its files as TestAQuestOfTheFirstVersionGoesOn
// says; scenario.yaml in it is what the agents had played. Today's server and agents bring
// the quest to its end.

// Spiritmender mends what Lawbringer found, and Lawbringer waits for it.
func TestAReviewOfTheFirstVersionGoesOn(t *testing.T) {
	t.Parallel()
	m := ofTheFirstVersion(t, "first-version-review.tar.gz", `
- {role: spiritmender, do: [{write: {path: page, content: "a title\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: added the title}}}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
`)
	q := m.untilStatus(m.quest, "complete")
	mending, look := m.theRun(q, "spiritmender"), m.theRun(q, "lawbringer")
	if mending["signal"] != nil || m.resumed(q, mending)["signal"] == nil {
		t.Errorf("who mended is not resumed: %s", jsonText(mending))
	}
	if r := m.resumed(q, look); r["start"] != "followup-done" {
		t.Errorf("Lawbringer, who waited, goes on with %s", jsonText(r))
	}
	m.wantFiles(map[string]string{"page": "a title\n"})
}

// PathSeeker has written a draft of new steps that Lawbringer asked for.
func TestNewStepsOfAReviewOfTheFirstVersionAreBuilt(t *testing.T) {
	t.Parallel()
	m := ofTheFirstVersion(t, "first-version-new-steps.tar.gz", `
- {role: pathseeker, do: [{tool: {name: signal-back, input: {signal: complete, summary: one more step}}}]}
- {role: codeweaver, step: index, do: [{write: {path: index, content: "index\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote it}}}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
`)
	q := m.untilStatus(m.quest, "complete")
	if index := named(q["steps"], "index"); index["stage"] != "done" || len(objects(q["steps"])) != 2 {
		t.Errorf("the steps are %s", jsonText(q["steps"]))
	}
	m.wantFiles(map[string]string{"page": "page\n", "index": "index\n"})
}

// PathSeeker has written a draft whose list replaces the step, without a mark on each of
// its steps.
func TestAResplitOfTheFirstVersionReplacesItsStep(t *testing.T) {
	t.Parallel()
	m := ofTheFirstVersion(t, "first-version-resplit.tar.gz", `
- {role: pathseeker, do: [{tool: {name: signal-back, input: {signal: complete, summary: two steps}}}]}
- {role: codeweaver, step: left, do: [{write: {path: left, content: "left\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote left}}}]}
- {role: codeweaver, step: right, do: [{write: {path: right, content: "right\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote right}}}]}
- {role: codeweaver, step: after, do: [{write: {path: after, content: "after\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote after}}}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
`)
	q := m.untilStatus(m.quest, "complete")
	if wide := named(q["steps"], "wide"); wide["stage"] != "superseded" || jsonText(wide["replacedBy"]) != `["left","right"]` {
		t.Errorf("the step that was split again is %s", jsonText(wide))
	}
	if after := named(q["steps"], "after"); jsonText(after["dependsOn"]) != `["left","right"]` {
		t.Errorf("what depended on it depends on %s", jsonText(after["dependsOn"]))
	}
	m.wantFiles(map[string]string{"left": "left\n", "right": "right\n", "after": "after\n"})
}

// One step is blocked by crashes, one by its check, one by a hand-over that came twice.
func TestBlocksOfTheFirstVersionAreStillThereAndRetryGoesOn(t *testing.T) {
	t.Parallel()
	m := ofTheFirstVersion(t, "first-version-block.tar.gz", `
- {role: codeweaver, step: falls, do: [{write: {path: falls, content: "whole\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote it}}}]}
- {role: spiritmender, step: red, do: [{run: rm bad}, {write: {path: red, content: "red\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: removed it}}}]}
- {role: spiritmender, step: twice, do: [{tool: {name: signal-back, input: {signal: complete, summary: renamed it}}}]}
- {role: codeweaver, step: twice, do: [{write: {path: twice, content: "twice\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: wrote it}}}]}
- {role: siegemaster, do: [{tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: good}}}]}
`)
	before := m.whole()
	for step, kind := range map[string]string{"falls": "crash", "red": "ward", "twice": "repeat"} {
		s := named(before["steps"], step)
		if block, _ := s["block"].(object); s["hold"] != "blocked" || block["kind"] != kind {
			t.Errorf("%s is %s", step, jsonText(s))
		}
	}
	m.post("/quests/"+m.quest+"/steps/falls/retry", "").want(200)
	m.post("/quests/"+m.quest+"/steps/red/retry", `{"instructions":"remove the file bad"}`).want(200)
	m.post("/quests/"+m.quest+"/steps/twice/retry", "").want(200)
	m.untilStatus(m.quest, "complete")
	m.wantFiles(map[string]string{"falls": "whole\n", "red": "red\n", "twice": "twice\n"})
}

// theRun returns the only run of a role that the first version began.
func (m *mortal) theRun(q object, role string) object {
	m.t.Helper()
	at := slices.IndexFunc(objects(q["runs"]), func(r object) bool { return r["role"] == role })
	if at < 0 {
		m.t.Fatalf("there is no run of %s", role)
	}
	return objects(q["runs"])[at]
}

// resumed returns the run that resumed the session of another.
func (m *mortal) resumed(q, r object) object {
	m.t.Helper()
	at := slices.IndexFunc(objects(q["runs"]), func(next object) bool { return next["resumedFrom"] == r["id"] })
	if at < 0 {
		m.t.Fatalf("nobody resumed %s", jsonText(r))
	}
	return objects(q["runs"])[at]
}

// wantFiles checks the files of the quest's branch, and then ends the server.
func (m *mortal) wantFiles(want map[string]string) {
	m.t.Helper()
	for name, text := range want {
		if got := gitText(m.t, m.repo, "show", "quest/"+m.quest+":"+name); got != text {
			m.t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
	if m.endsWhole(); m.t.Failed() {
		m.t.Log(m.said.String())
	}
}
