package signalback_test

import (
	"strings"
	"testing"

	"questboard/agents/signalback"
	"questboard/orchestration"
)

// The answer says which size counts and what comes next, by the quest as it is after the
// call. A size that a person chose is no error: it is told.
func TestTheAnswerToASizeIsWhatTheQuestSays(t *testing.T) {
	t.Parallel()
	grown := []orchestration.Change{{Text: "it needs the store, too", Grew: orchestration.StepErrand}}
	for name, c := range map[string]struct {
		size    orchestration.Size
		by      string
		changes []orchestration.Change
		says    []string
	}{
		"an errand":       {orchestration.SizeErrand, "q1-r7", nil, []string{"Stored: errand. Go on: ", "signal complete", "files, lines, what to watch for", "No requirements"}},
		"quick":           {orchestration.SizeQuick, "q1-r7", nil, []string{"Stored: quick. Go on: ", "set-requirements", "at most three observables each"}},
		"full":            {orchestration.SizeFull, "q1-r7", nil, []string{"Stored: full. Go on: ", "set-requirements"}},
		"a person's":      {orchestration.SizeQuick, "", nil, []string{"The human chose quick. Go on with that: ", "three observables"}},
		"of an old quest": {orchestration.SizeFull, "", nil, []string{"The human chose full. Go on with that: "}},
		"a grown errand":  {orchestration.SizeFull, "", grown, []string{"The quest has grown, so it is full. Go on with that: ", "set-requirements"}},
	} {
		q := newQuests()
		q.quest.Size, q.quest.SizedBy, q.quest.Changes = c.size, c.by, c.changes
		s := serve(t, q)
		first, isError := call(t, s.URL, "chaoswhisperer", "set-size", `{"size":"errand","reason":"one word"}`)
		for _, want := range c.says {
			if isError || !strings.Contains(first, want) {
				t.Errorf("%s: %v %q does not say %q", name, isError, first, want)
			}
		}
		if again, _ := call(t, s.URL, "chaoswhisperer", "set-size", `{"size":"errand","reason":"one word"}`); again != first {
			t.Errorf("%s: the repeat got %q, the first %q", name, again, first)
		}
	}
}

// What is missing, misspelt or of another type is named, all of it in one answer, and
// nothing is submitted.
func TestASizeIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	for arguments, faults := range map[string][]string{
		`{}`:                          {"size is missing", "reason is missing"},
		`{"size":"errand"}`:           {"reason is missing"},
		`{"size":null,"reason":"x"}`:  {"size is missing"},
		`{"size":7,"reason":["x"]}`:   {"size must be a string, not this number", "reason must be a string, not a list"},
		`{"Size":"errand","why":"x"}`: {`unknown field "Size"; allowed are size, reason`, `unknown field "why"`, "size is missing", "reason is missing"},
		`["errand","x"]`:              {"must be an object"},
	} {
		text, isError := call(t, s.URL, "chaoswhisperer", "set-size", arguments)
		for _, fault := range faults {
			if !isError || !strings.Contains(text, fault) {
				t.Errorf("%s: %v %q does not say %q", arguments, isError, text, fault)
			}
		}
	}
	if n := len(q.submitted()); n != 0 {
		t.Errorf("%d inputs were submitted", n)
	}
	q.fail = &orchestration.Error{Code: orchestration.CodeInvalid, Message: "size must be errand, quick or full, not auto", Fields: map[string]string{"size": "auto"}, Told: true}
	if text, isError := call(t, s.URL, "chaoswhisperer", "set-size", `{"size":"auto","reason":"x"}`); !isError || text != "Refused, nothing changed: size must be errand, quick or full, not auto" {
		t.Errorf("a refusal of the rules: %v %q", isError, text)
	}
	if set, faults := signalback.DecodeSize([]byte(`{"size":"full","reason":"several features"}`)); len(faults) > 0 ||
		set != (orchestration.SizeSet{Size: orchestration.SizeFull, Reason: "several features"}) {
		t.Errorf("got %+v %q", set, faults)
	}
}

// The agent of an errand that asks for PathSeeker is told what becomes of its work, and
// that nobody resumes it. A repeat gets the same answer.
func TestTheAnswerToAnErrandThatGrows(t *testing.T) {
	t.Parallel()
	q := newQuests()
	q.quest.Changes = []orchestration.Change{{Text: "it needs the store, too", Grew: "part"}}
	s := serve(t, q)
	const call1 = `{"signal":"needs-role-followup","stepId":"part","targetRole":"pathseeker","reason":"r","context":"c","resume":true}`
	for range 2 {
		text, isError := call(t, s.URL, "codeweaver", "signal-back", call1)
		if isError || !strings.HasPrefix(text, "Stored. The quest becomes full") || !strings.Contains(text, "resume is not honoured") || !strings.HasSuffix(text, "end your turn now.") {
			t.Errorf("%v %q", isError, text)
		}
	}
	q.run = func(r *orchestration.Run) { r.Step = "another" }
	if text, _ := call(t, s.URL, "codeweaver", "signal-back", call1); !strings.HasPrefix(text, "Stored. pathseeker acts now") {
		t.Errorf("a run of another step: %q", text)
	}
	if text, _ := call(t, s.URL, "codeweaver", "get-quest", `{}`); strings.Contains(text, "it needs the store") || !strings.Contains(text, `"size":`) {
		t.Errorf("an agent's reason is told as a change by the person, or no size: %s", text)
	}
}
