package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func writing(t *testing.T, title string) (*player, string) {
	n := newQuest()
	n.Title, n.Request = title, "Links should expire.\nSoon."
	p := create(t, n)
	return p, p.at("requirements", orchestration.ChaosWhisperer).ID
}

func set(run, title string) orchestration.RequirementsSet {
	return orchestration.RequirementsSet{Run: run, Requirements: requirements(), Title: &title}
}

func TestTitle_ofChaosWhisperer_countsUntilThePersonGivesOne(t *testing.T) {
	t.Parallel()
	p, run := writing(t, "")
	if p.q.Title != "Links should expire." {
		t.Errorf("before the requirements: %q", p.q.Title)
	}
	p.do(set(run, " Let share links expire "))
	if p.q.Title != "Let share links expire" || p.last.Events[0].Data["title"] != p.q.Title {
		t.Errorf("with the requirements: %q, %+v", p.q.Title, p.last.Events)
	}
	p.do(orchestration.RequirementsSet{Run: run, Requirements: requirements()})
	if p.q.Title != "Let share links expire" {
		t.Errorf("a call without a title: %q", p.q.Title)
	}
	p.do(set(run, "Let links expire"))
	if p.q.Title != "Let links expire" {
		t.Errorf("a second title: %q", p.q.Title)
	}
	own := "Expiry"
	p.do(orchestration.QuestEdited{Title: &own})
	p.do(set(run, "Let links expire again"))
	if p.q.Title != own || p.last.Events[0].Data["title"] != "" {
		t.Errorf("after the person gave one: %q, %+v", p.q.Title, p.last.Events)
	}
}

func TestTitle_ofThePersonStays(t *testing.T) {
	t.Parallel()
	p, run := writing(t, "Expiry")
	p.do(set(run, "Let links expire"))
	if p.q.Title != "Expiry" {
		t.Errorf("%q", p.q.Title)
	}
}

func TestTitle_ofAChangeTakesThePlaceOfTheOldOne(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Title, n.ApproveReqs = "", false
	p := create(t, n)
	p.do(set(p.at("requirements", orchestration.ChaosWhisperer).ID, "Let links expire"))
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.ChangeRequested{Text: "and let them be renewed"})
	p.do(set(p.at("requirements", orchestration.ChaosWhisperer).ID, "Let links expire and be renewed"))
	if p.q.Title != "Let links expire and be renewed" {
		t.Errorf("%q", p.q.Title)
	}
}

func TestTitle_thatNobodyCanReadIsRefused_andNothingChanges(t *testing.T) {
	t.Parallel()
	p, run := writing(t, "")
	for title, says := range map[string]string{
		"":                      "is empty",
		" \t ":                  "is empty",
		strings.Repeat("x", 61): "has 61 characters, and 60 are the most",
		"Let links\nexpire":     "line break",
		"Let links\u2028expire": "line break",
		"Let \u202elinks":       "nobody sees",
		"Let\u200blinks":        "nobody sees",
		"Let \x1b[31mlinks":     "nobody sees",
		"Let\u00a0links":        "nobody sees",
		"Let \xfflinks":         "not UTF-8",
	} {
		version := p.q.Version
		err := p.try(set(run, title))
		if orchestration.CodeOf(err) != orchestration.CodeInvalid || !strings.Contains(err.Error(), says) || p.q.Version != version || len(p.q.Requirements) > 0 {
			t.Errorf("%q: want a refusal that says %q and changes nothing, have %v", title, says, err)
		}
	}
	p.do(set(run, strings.Repeat("ü", 60)))
	p.do(set(run, "-n <b>Let</b> \U0001F517 #42 $(rm) expire")) // data, wherever it is shown
}
