package orchestration_test

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestSignal_theFirstOneCounts_aRepeatIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	s := orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "done"}
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: s})
	version := p.q.Version
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: s})
	if p.q.Version != version {
		t.Error("a repeat changed something")
	}
	s.Summary = "something else"
	if err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: s}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("a different second signal: %v", err)
	}
	p.exit(r, orchestration.EndCrashed)
	if got := p.q.Run(r.ID).Outcome; got != orchestration.OutcomeSignalled {
		t.Errorf("an exit after a signal is %s", got)
	}
	p.at("a", orchestration.Ward)
}

func TestSignal_refusedByName_andNothingChanges(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	yes := true
	for want, s := range map[string]orchestration.Signal{
		`send stepId "a"`:              {Kind: orchestration.Complete, StepID: "b", Summary: "s"},
		"missing or empty: summary":    {Kind: orchestration.Complete, StepID: "a", Summary: "  "},
		"progress, continuationPoint":  {Kind: orchestration.PartiallyComplete, StepID: "a"},
		"targetRole, reason, context":  {Kind: orchestration.NeedsRoleFollowup, StepID: "a", Resume: &yes},
		"missing or empty: resume":     {Kind: orchestration.NeedsRoleFollowup, StepID: "a", TargetRole: orchestration.PathSeeker, Reason: "r", Context: "c"},
		`"codeweaver" is not possible`: {Kind: orchestration.NeedsRoleFollowup, StepID: "a", TargetRole: orchestration.Codeweaver, Reason: "r", Context: "c", Resume: &yes},
		`may not send "bogus"`:         {Kind: "bogus", StepID: "a"},
	} {
		version := p.q.Version
		err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: s})
		if err == nil || !strings.Contains(err.Error(), want) || p.q.Version != version {
			t.Errorf("want a refusal that says %q and changes nothing, have %v", want, err)
		}
	}
	p.complete("a", orchestration.Codeweaver) // after the refusal it may signal again
}

func TestSignal_ofARunThatIsOver_isRefusedAndRecordedOnce(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.exit(r, orchestration.EndCrashed)
	late := orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "late"}}
	for range 2 {
		if err := p.try(late); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Fatalf("have %v", err)
		}
	}
	if p.last.Refusal == nil || len(p.last.Events) != 1 || p.last.Events[0].Type != orchestration.EventSignalRefused {
		t.Errorf("the history holds %+v", p.last.Events)
	}
	p.at("a", orchestration.Codeweaver)
}

// The fields that agents may send are the same as those that stores, files and answers
// write.
func TestSignal_everyFieldHasItsRow(t *testing.T) {
	t.Parallel()
	want := []string{"signal", "stepId"}
	for _, f := range orchestration.SignalFields {
		want = append(want, f.Name)
	}
	var got []string
	for field := range reflect.TypeFor[orchestration.Signal]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		got = append(got, name)
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("fields %v, rows %v", got, want)
	}
	yes := true
	full := orchestration.Signal{Resume: &yes, Findings: []orchestration.Found{{What: "a gap", Where: "a.go:1"}},
		Evidence: []orchestration.Evidence{{Observable: "o1", Kind: orchestration.ByTest, How: "TestGreet"}}}
	others := map[string]string{"evidence": `[{"observable":"o1","kind":"test","how":"TestGreet"}]`, "findings": "a.go:1: a gap", "resume": "true"}
	for _, f := range orchestration.SignalFields {
		if text, is := f.At(&full).(*string); is {
			*text = f.Name
		}
	}
	for _, f := range orchestration.SignalFields {
		want := cmp.Or(others[f.Name], f.Name)
		if got := f.In(&full); got != want {
			t.Errorf("%s reads %q, want %q", f.Name, got, want)
		}
	}
}

func TestGrace_anAnsweredSignalIsHeard(t *testing.T) {
	t.Parallel()
	for _, s := range everySignal("a") {
		p := withSteps(t, step("a"))
		r := p.at("a", orchestration.Codeweaver)
		if p.try(orchestration.SignalReceived{Run: r.ID, Signal: s}) != nil {
			continue
		}
		want := orchestration.GraceHeard
		if s.Kind == orchestration.Complete || s.Kind == orchestration.PartiallyComplete {
			want = orchestration.GraceSignalled
		}
		if e, ok := p.last.Effects[0].(orchestration.EndRun); !ok || e.Run != r.ID || e.Grace != want {
			t.Errorf("%s: effects %+v, want the run ended with grace %d", s.Kind, p.last.Effects, want)
		}
	}
}
