package questfile_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/questfile"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// asking plays a quest with two steps until one of them asks the user.
func asking(t testing.TB) (*orchestration.Quest, []orchestration.Event) {
	t.Helper()
	tr, err := orchestration.Create(orchestration.NewQuest{ID: "abc", At: epoch, Request: "Greet", Repo: "/repo",
		Workspace: orchestration.WorkspaceShared, Agent: "simulated",
		Plan: &orchestration.OwnPlan{Steps: []orchestration.PlanStep{
			{ID: "one", Title: "One", Files: []string{"one.go"}},
			{ID: "two", Title: "Two", DependsOn: []string{"one"}},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	q, events := tr.Quest, tr.Events
	do := func(f orchestration.InputKind) {
		tr, err := orchestration.Apply(q, orchestration.Input{At: epoch, Actor: "server", Kind: f})
		if err != nil {
			t.Fatalf("%T: %v", f, err)
		}
		q, events = tr.Quest, append(events, tr.Events...)
	}
	do(orchestration.SlotGranted{Step: "one", Slot: 1, SessionID: "s1", TokenHash: "secret", HostID: "host", BootID: "boot"})
	do(orchestration.ProcessStarted{Run: "abc-r1", PID: 42})
	do(orchestration.SignalReceived{Run: "abc-r1", Signal: orchestration.Signal{Kind: orchestration.NeedsUserInput,
		StepID: "one", Question: "Whom?", Context: "one.go"}})
	do(orchestration.RunExited{Run: "abc-r1", End: orchestration.EndClean})
	return q, events
}

func TestAQuestFileReadsBackAsTheSameQuest(t *testing.T) {
	t.Parallel()
	q, events := asking(t)
	data, err := questfile.Encode(q, events)
	if err != nil {
		t.Fatal(err)
	}
	got, history, err := questfile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := questfile.Encode(got, history)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, again) {
		t.Errorf("read back and written again, the file is another:\n%s", again)
	}
	if _, err := orchestration.Apply(got, orchestration.Input{At: epoch, Actor: "user",
		Kind: orchestration.AnswerGiven{Question: "abc-q1", Answer: "the world"}}); err != nil {
		t.Errorf("the quest that was read does not go on: %v", err)
	}
}

// An older version did not reserve the id "baseline". Such a plan is taken in as it is,
// from a file of that version and from one that this version wrote of it.
func TestAPlanWithAStepNamedBaselineIsTakenIn(t *testing.T) {
	t.Parallel()
	data, err := questfile.Encode(asking(t))
	if err != nil {
		t.Fatal(err)
	}
	var old map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(data, []byte(`"one"`), []byte(`"baseline"`)), &old); err != nil {
		t.Fatal(err)
	}
	quest := old["quest"].(map[string]any)
	quest["lines"] = quest["lines"].([]any)[:3]
	if data, err = json.Marshal(old); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		q, history, err := questfile.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if s := q.Step("baseline"); s.Title != "One" || q.Steps.At(1).DependsOn[0] != "baseline" {
			t.Errorf("the step is %+v", s.PlanStep)
		}
		tr, err := orchestration.Apply(q, orchestration.Input{At: epoch, Actor: "user", Kind: orchestration.AnswerGiven{Question: "abc-q1", Answer: "the world"}})
		if err != nil || tr.Quest.Run(tr.Quest.Step("baseline").Run).ResumedFrom != "abc-r1" {
			t.Errorf("the quest does not go on: %v", err)
		}
		title := "Again"
		if _, err := orchestration.Apply(q, orchestration.Input{At: epoch, Actor: "user", Kind: orchestration.StepEdited{Step: "two", Title: &title}}); err != nil {
			t.Errorf("its plan can be changed no more: %v", err)
		}
		if data, err = questfile.Encode(q, history); err != nil {
			t.Fatal(err)
		}
	}
	text := string(data)
	for _, bad := range []string{
		strings.Replace(text, `"id": "two"`, `"id": "baseline"`, 1), // twice
		strings.ReplaceAll(text, `"two"`, `"review"`),
		atWork(t, data),
	} {
		if _, _, err := questfile.Decode([]byte(bad)); bad == text || err == nil || !strings.Contains(err.Error(), "reserved") && !strings.Contains(err.Error(), "twice") {
			t.Errorf("taken in: %v", err)
		}
	}
}

// atWork gives a run to the check of the base, too.
func atWork(t *testing.T, data []byte) string {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	file["quest"].(map[string]any)["lines"].([]any)[3].(map[string]any)["run"] = "abc-r1"
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAQuestFileHoldsNothingOfItsHost(t *testing.T) {
	t.Parallel()
	data, err := questfile.Encode(asking(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{`"secret"`, `"host"`, `"boot"`, `"pid": 42`} {
		// The history keeps the pid as text, as the board showed it.
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the file holds %s", secret)
		}
	}
}

func TestABadQuestFileIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	data, err := questfile.Encode(asking(t))
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for name, c := range map[string]struct{ old, new, want string }{
		"other JSON":               {questfile.Format, "something", "no quest file"},
		"a newer version":          {`"version": 1,`, `"version": 2,`, "version 2"},
		"a field of nobody":        {`"phase":`, `"colour": "red", "phase":`, "colour"},
		"an id that is a path":     {`"id": "abc"`, `"id": "../abc"`, "id"},
		"a step id that is a path": {`"id": "one"`, `"id": "../one"`, "id"},
		"a file outside":           {`"one.go"`, `"../../one.go"`, "inside the repository"},
		"a cycle":                  {"],\n        \"dependsOn\": null", `], "dependsOn": ["two"]`, "cycle"},
		"an unknown dependency": {`"dependsOn": [
          "one"
        ]`, `"dependsOn": ["three"]`, "three"},
		"a run of no step":       {`"step": "one",`, `"step": "",`, "step"},
		"a run with another id":  {`"id": "abc-r1"`, `"id": "abc-r7"`, "abc-r1"},
		"a question of no run":   {`"run": "abc-r1",`, `"run": "abc-r9",`, "abc-"},
		"a history with a gap":   {`"seq": 2,`, `"seq": 3,`, "seq"},
		"a state out of reach":   {`"hold": "question"`, `"hold": ""`, "waits"},
		"something after it":     {"\n}\n", "\n}\n{}", "follows"},
		"half a file":            {good[len(good)/2:], "", "no quest file"},
		"a relative folder":      {`"/repo"`, `"repo"`, "repo"},
		"a role that nobody has": {`"role": "codeweaver"`, `"role": "wizard"`, "wizard"},

		"a rule that allows every command": {`"phase":`, `"allowed": [{"rule": "Bash"}], "phase":`, "matches everything"},
		"a rule that allows two tools":     {`"phase":`, `"allowed": [{"rule": "Bash(ls),Bash"}], "phase":`, "comma"},
		"a rule of no step":                {`"phase":`, `"allowed": [{"rule": "Bash(ls *)", "step": "three"}], "phase":`, "three"},
		"a rule that is there twice":       {`"phase":`, `"allowed": [{"rule": "WebSearch"}, {"rule": "WebSearch"}], "phase":`, "twice"},
		"too many rules": {`"phase":`, `"allowed": [` + strings.Repeat(`{"rule": "WebSearch"},`, 50) + `{"rule": "WebFetch"}], "phase":`,
			"51 rules"},
		"a rule to ask that nobody can read": {`"phase":`, `"asks": {"rules": ["Bash("]}, "phase":`, "cannot be read"},
		"a wait of a moment":                 {`"phase":`, `"asks": {"rules": ["WebFetch"], "timeoutNanoseconds": 1}, "phase":`, "a minute"},
		"a model that is an option": {`"phase":`, `"roles": {"codeweaver": {"model": "--settings=x"}}, "phase":`,
			"roles.codeweaver.model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := strings.Replace(good, c.old, c.new, 1)
			if bad == good {
				t.Fatalf("the file has no %s to spoil", c.old)
			}
			_, _, err := questfile.Decode([]byte(bad))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want a refusal that says %q", err, c.want)
			}
		})
	}
}

// A file of a version without priorities has no such field.
func TestAFileWithoutPrioritiesIsNormal(t *testing.T) {
	t.Parallel()
	q, events := asking(t)
	data, err := questfile.Encode(q, events)
	if err != nil || bytes.Contains(data, []byte(`"priority"`)) {
		t.Fatalf("a normal priority is written: %s (%v)", data, err)
	}
	got, _, err := questfile.Decode(data)
	if err != nil || got.Priority != orchestration.PriorityNormal || got.Step("one").Priority != orchestration.PriorityNormal {
		t.Errorf("it reads as %+v (%v)", got, err)
	}
	for _, before := range []string{`"slots":`, `"stage":`} { // of the quest, of a step
		bad := bytes.ReplaceAll(data, []byte(before), []byte(`"priority":"urgent",`+before))
		if _, _, err = questfile.Decode(bad); err == nil {
			t.Errorf("an unknown priority is accepted before %s", before)
		}
	}
}

// A file of a version without sizes is that of a full quest, and one with a size that
// nobody knows is refused.
func TestAFileWithoutASizeIsFull(t *testing.T) {
	t.Parallel()
	data, err := questfile.Encode(asking(t))
	if err != nil {
		t.Fatal(err)
	}
	const size = `"size": "full",`
	old := bytes.Replace(data, []byte(size), nil, 1)
	if len(old) == len(data) {
		t.Fatalf("the file has no %s", size)
	}
	q, _, err := questfile.Decode(old)
	if err != nil || q.Size != orchestration.SizeFull || q.SiegeMode() != orchestration.SiegeEach {
		t.Errorf("it reads as %+v (%v)", q, err)
	}
	for bad, names := range map[string]string{
		`"size": "huge",`:                       "huge",
		size + ` "siege": "none",`:              "none",
		size + ` "sizedBy": "abc-r7",`:          "abc-r7",
		size + ` "sizeReason": 7,`:              "sizeReason",
		size + ` "siege": "risky", "size": "",`: "", // an empty one stands for none
	} {
		_, _, err := questfile.Decode(bytes.Replace(data, []byte(size), []byte(bad), 1))
		if names == "" && err != nil || names != "" && (err == nil || !strings.Contains(err.Error(), names)) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	risky := bytes.Replace(data, []byte(`"stage":`), []byte(`"risk": "deadly", "riskReason": "it bites", "stage":`), 1)
	if _, _, err := questfile.Decode(risky); err == nil || !strings.Contains(err.Error(), "deadly") {
		t.Errorf("an unknown risk: %v", err)
	}
}

// The step of an errand has a reserved id. Its file is taken in all the same, and so is an
// older one whose plan has such a step.
func TestAFileWithAStepNamedErrandIsTakenIn(t *testing.T) {
	t.Parallel()
	data, err := questfile.Encode(asking(t))
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := questfile.Decode(bytes.ReplaceAll(data, []byte(`"one"`), []byte(`"errand"`)))
	if err != nil || q.Step(orchestration.StepErrand) == nil || q.Steps.At(1).DependsOn[0] != orchestration.StepErrand {
		t.Errorf("%v", err)
	}
}
