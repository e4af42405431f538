package signalback_test

import (
	"reflect"
	"strings"
	"testing"

	"questboard/agents/signalback"
	"questboard/orchestration"
)

func TestASignalIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	for arguments, fault := range map[string]string{
		`{"signal":"complete","stepId":"s","summary":"x","extra":1}`:      `unknown field "extra"`,
		`{"Signal":"complete","stepId":"s","summary":"x"}`:                `unknown field "Signal"`,
		`{"signal":"complete","signal":"complete","stepId":"s"}`:          "given twice",
		`{"signal":"complete","type":"complete","stepId":"s"}`:            "two names of the same field",
		`{"signal":"done","stepId":"s"}`:                                  "must be one of complete, partially-complete, needs-user-input, needs-role-followup",
		`{"stepId":"s"}`:                                                  "must be one of",
		`{"signal":"complete","stepId":"s","summary":7}`:                  "summary must be a string",
		`{"signal":"complete","stepId":"s","summary":"x","question":"?"}`: "question does not belong",
		`{"signal":"complete","stepId":"s","summary":"x","resume":true}`:  "resume does not belong",
		`{"signal":"needs-role-followup","stepId":"s","resume":"yes"}`:    "resume must be true or false",
		`{"signal":"complete","stepId":"s","evidence":"TestX"}`:           "evidence must be a list",
		`{"signal":"complete","stepId":"s","evidence":[{"test":"T"}]}`:    `unknown field "evidence[0].test"; allowed are observable, kind, how`,
		`{"signal":"complete","stepId":"s","evidence":[{"how":7}]}`:       "evidence[0].how must be a string",
		`{"signal":"needs-user-input","evidence":[{"how":"T"}]}`:          "evidence does not belong",
		`[]`:                   "must be an object",
		`"complete"`:           "must be an object",
		`{"signal":"complete"`: "not valid JSON",
	} {
		_, faults := signalback.DecodeSignal([]byte(arguments))
		if !strings.Contains(strings.Join(faults, "\n"), fault) {
			t.Errorf("%s: %q does not say %q", arguments, faults, fault)
		}
	}
}

func TestEmptyFieldsOfOtherSignalsAreIgnored(t *testing.T) {
	t.Parallel()
	s, faults := signalback.DecodeSignal([]byte(`{"type":"complete","signal":null,"stepId":"s","summary":"x","progress":"","question":null,"targetRole":"","resume":false}`))
	if want := (orchestration.Signal{Kind: orchestration.Complete, StepID: "s", Summary: "x"}); len(faults) > 0 || !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v %q", s, faults)
	}
}

func TestEvidenceIsReadInItsOrder(t *testing.T) {
	t.Parallel()
	s, faults := signalback.DecodeSignal([]byte(`{"signal":"complete","stepId":"s","summary":"x","evidence":[` +
		`{"observable":"o2","kind":"test","how":"TestTwo"},{"observable":"o1","kind":"unproven","how":"no network"}]}`))
	want := []orchestration.Evidence{{Observable: "o2", Kind: orchestration.ByTest, How: "TestTwo"}, {Observable: "o1", Kind: orchestration.Unproven, How: "no network"}}
	if len(faults) > 0 || !reflect.DeepEqual(s.Evidence, want) {
		t.Errorf("got %+v %q", s, faults)
	}
}

func TestAMissingResumeStaysMissing(t *testing.T) {
	t.Parallel()
	s, faults := signalback.DecodeSignal([]byte(`{"signal":"needs-role-followup","stepId":"s","targetRole":"pathseeker"}`))
	if len(faults) > 0 || s.Resume != nil {
		t.Errorf("got %+v %q", s, faults)
	}
}

func TestAllFaultsOfADocumentComeTogether(t *testing.T) {
	t.Parallel()
	_, faults := signalback.DecodePlan([]byte(`{"steps":[{"id":1,"files":"a"},"x",{"dependsOn":[2],"minutes":-1,"Title":"t"}],"replace":"s"}`))
	text := strings.Join(faults, "\n")
	for _, want := range []string{`"replace"`, "steps[0].id must", "steps[0].files must", "steps[1] must be an object", "steps[2].dependsOn[0] must", "steps[2].minutes must", `"steps[2].Title"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	_, faults = signalback.DecodeRequirements([]byte(`{"requirements":[{"id":"r","observables":[{"id":"o","txt":"x"}]}]}`))
	if len(faults) != 1 || !strings.Contains(faults[0], "requirements[0].observables[0].txt") {
		t.Errorf("got %q", faults)
	}
	if _, faults = signalback.DecodeRequirements(nil); len(faults) != 1 || !strings.Contains(faults[0], "requirements is missing") {
		t.Errorf("nothing at all: got %q", faults)
	}
}

func TestFindingsAreDecodedStrictly(t *testing.T) {
	t.Parallel()
	s, faults := signalback.DecodeSignal([]byte(`{"signal":"complete","stepId":"review","summary":"s","findings":[{"what":"a gap","where":"a.go:1"},{"what":"another"}]}`))
	if want := []orchestration.Found{{What: "a gap", Where: "a.go:1"}, {What: "another"}}; len(faults) > 0 || !reflect.DeepEqual(s.Findings, want) {
		t.Errorf("got %+v %q", s.Findings, faults)
	}
	_, faults = signalback.DecodeSignal([]byte(`{"signal":"complete","stepId":"review","summary":"s","findings":["a gap",{"what":1,"line":2}]}`))
	text := strings.Join(faults, "\n")
	for _, want := range []string{"findings[0] must be an object", "findings[1].what must be a string", `"findings[1].line"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	_, faults = signalback.DecodeSignal([]byte(`{"signal":"needs-user-input","stepId":"s","question":"q","context":"c","findings":[{"what":"a gap"}]}`))
	if len(faults) != 1 || !strings.Contains(faults[0], "findings does not belong to the signal needs-user-input") {
		t.Errorf("of a question: got %q", faults)
	}
}

func TestAStepReplacesOneStepAtMost(t *testing.T) {
	t.Parallel()
	_, faults := signalback.DecodePlan([]byte(`{"steps":[{"id":"x","replaces":["a","b"]}]}`))
	if len(faults) != 1 || faults[0] != "steps[0].replaces must be a string, not a list" {
		t.Errorf("got %q", faults)
	}
}

// Whatever arrives, a signal without a fault has a known kind, and carries
// nothing that its kind does not know.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"signal":"complete","stepId":"s","summary":"x"}`, `{"signal":"needs-user-input","wall":"port"}`, `{"type":"needs-user-input","question":"q","context":"c"}`,
		`{"signal":"needs-role-followup","targetRole":"pathseeker","resume":true}`, `{"steps":[{"id":"a","files":["b"]}],"replaces":"c"}`,
		`{"requirements":[{"id":"r","observables":[{"id":"o","text":"t"}]}]}`, `{"a":{"a":[1e999,null,"\u0000"]}}`, `[[[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		signalback.DecodePlan(raw)
		signalback.DecodeSize(raw)
		signalback.DecodeRequirements(raw)
		s, faults := signalback.DecodeSignal(raw)
		if len(faults) > 0 {
			return
		}
		switch s.Kind {
		case orchestration.Complete:
			s.Summary = ""
		case orchestration.PartiallyComplete:
			s.Progress, s.ContinuationPoint = "", ""
		case orchestration.NeedsUserInput:
			s.Question, s.Context, s.Wall = "", "", ""
		case orchestration.NeedsRoleFollowup:
			s.TargetRole, s.Reason, s.Context, s.Resume = "", "", "", nil
		default:
			t.Fatalf("unknown kind %q was taken from %q", s.Kind, raw)
		}
		s.StepID = ""
		if s.Kind == orchestration.Complete || s.Kind == orchestration.NeedsRoleFollowup {
			s.Findings = nil
		}
		if !reflect.DeepEqual(s, orchestration.Signal{Kind: s.Kind}) {
			t.Fatalf("foreign fields were taken from %q: %+v", raw, s)
		}
	})
}

// A title that was left out is none; an empty one is given, and the rules refuse it.
func TestATitleIsGivenOrLeftOut(t *testing.T) {
	t.Parallel()
	for raw, given := range map[string]bool{`{"requirements":[]}`: false, `{"requirements":[],"title":null}`: false, `{"requirements":[],"title":""}`: true} {
		if set, faults := signalback.DecodeRequirements([]byte(raw)); len(faults) > 0 || (set.Title != nil) != given {
			t.Errorf("%s: given %v, want %v; %q", raw, set.Title != nil, given, faults)
		}
	}
	if _, faults := signalback.DecodeRequirements([]byte(`{"requirements":[],"title":["a"]}`)); len(faults) != 1 || faults[0] != "title must be a string, not a list" {
		t.Errorf("got %q", faults)
	}
}
