package orchestration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// proven adds the evidence that a complete needs.
func proven(q *orchestration.Quest, f orchestration.SignalReceived) orchestration.SignalReceived {
	if f.Signal.Kind != orchestration.Complete || f.Signal.Evidence != nil {
		return f
	}
	for _, o := range q.ToProve(q.Run(f.Run)) {
		f.Signal.Evidence = append(f.Signal.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand, How: "true: exit code 0"})
	}
	return f
}

// besieged is a quest with these observables, all of the step a, whose Siegemaster works.
func besieged(t *testing.T, ids ...string) (*player, *orchestration.Run) {
	t.Helper()
	n := newQuest()
	n.Workspace, n.Plan = orchestration.WorkspaceWorktree, asked(append(ids, "other")...)
	n.Plan.Steps = []orchestration.PlanStep{carrying(step("a"), ids...), carrying(step("b"), "other")}
	p := create(t, n)
	p.ward(orchestration.StepBaseline, orchestration.EndWardPassed)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	return p, p.at("a", orchestration.Siegemaster)
}

func verdict(r *orchestration.Run, evidence ...orchestration.Evidence) orchestration.SignalReceived {
	f := orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "s", Evidence: evidence}}
	for range evidence {
		f.Found = append(f.Found, orchestration.Sought{Is: true})
	}
	return f
}

func piece(observable string, kind orchestration.EvidenceKind, how string) orchestration.Evidence {
	return orchestration.Evidence{Observable: observable, Kind: kind, How: how}
}

func TestEvidence_oneAnswerNamesEveryFaultWithTheObservablesText(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1", "o2", "o3", "o4", "o5", "o6")
	before := p.q
	f := verdict(r, piece("o1", "command", "it works"), piece("o2", "test", "TestTwo"), piece("other", "test", "TestOther"), piece("o9", "place", "a.go:1"),
		piece("o3", "place", "a.go:99"), piece("o4", "belief", "I saw it"), piece("o5", "unproven", " "), piece("o5", "unproven", "no network"), piece("", "test", "TestX"))
	f.Found[1], f.Found[4] = orchestration.Sought{Why: "no file has this name"}, orchestration.Sought{Why: "a.go has 12 lines"}
	err := p.try(f)
	for _, want := range []string{
		`o1 (text of o1): how is "it works": send the command with its exit code`,
		`o2 (text of o2): the test "TestTwo" is not in the tree: no file has this name; send the name of the test alone`,
		"other (text of other): a does not have this observable: leave it out",
		`"o9": no requirement has this observable: leave it out`,
		`o3 (text of o3): the place "a.go:99" is not in the tree: a.go has 12 lines`,
		`o4 (text of o4): the kind "belief" is not possible; allowed: command, test, place, unproven`,
		"o5 (text of o5): how is empty: say why it is not proven",
		"o5 (text of o5): it is there twice, in evidence[6] and evidence[7]: keep one",
		"evidence[8]: observable is missing",
		"o6 (text of o6): its evidence is missing",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the answer:\n%v", want, err)
		}
	}
	if p.q != before {
		t.Error("the refusal changed something")
	}
}

func TestEvidence_ofOneMebibyteIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1")
	err := p.try(verdict(r, piece("o1", "unproven", strings.Repeat("ä", 1<<19))))
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "how has 524288 characters, and 1000 are possible: write what is longer into a file") {
		t.Errorf("the answer: %.2000v", err)
	}
	p.do(verdict(r, piece("o1", "unproven", strings.Repeat("ä", 1000))))
}

func TestEvidence_ofATestNeedsALookIntoTheTree(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1")
	for _, kind := range []orchestration.EvidenceKind{orchestration.ByTest, orchestration.ByPlace} {
		f := verdict(r, piece("o1", kind, "greet_test.go:7"))
		if seek := p.q.ToSeek(f); !slices.Equal(seek, f.Signal.Evidence) {
			t.Errorf("%s: nobody looks", kind)
		}
		f.Found = nil
		if err := p.try(f); err == nil || !strings.Contains(err.Error(), "the server could not look into the step's tree") {
			t.Errorf("%s: nobody looked: %v", kind, err)
		}
	}
	if p.q.ToSeek(verdict(r, piece("o1", "command", "x: exit code 0"), piece("o1", "test", ""))) != nil {
		t.Error("the server looks for a command, or for no name")
	}
	p.do(verdict(r, piece("o1", "test", "TestGreet")))
	if p.q.ToSeek(verdict(r, piece("o1", "test", "TestGreet"))) != nil {
		t.Error("the server looks again for a signal that is answered")
	}
}

// An agent can send 20,000 pieces in one signal.
func TestEvidence_isSoughtOnceForEachObservableThatIsOwed(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1", "o2", "o3")
	f := verdict(r, piece("o9", "place", "a:1"), piece("other", "place", "a:2"), piece("o2", "test", strings.Repeat("a", 1<<20)))
	for n := range 20_000 {
		f.Signal.Evidence = append(f.Signal.Evidence, piece(fmt.Sprintf("o%d", n%4), "place", "a:999999999"))
	}
	seek := p.q.ToSeek(f)
	if len(seek) != len(f.Signal.Evidence) {
		t.Fatalf("%d pieces of %d", len(seek), len(f.Signal.Evidence))
	}
	for i, e := range seek {
		if first := i == 4 || i == 6; first != (e == f.Signal.Evidence[i]) || !first && e != (orchestration.Evidence{}) {
			t.Errorf("evidence[%d]: the server looks for %+v", i, e)
		}
	}
	f.Found = make([]orchestration.Sought, len(seek))
	if err := p.try(f); err == nil || len(err.Error()) > 10_000 || !strings.Contains(err.Error(), "it is there twice") {
		t.Errorf("the answer: %.2000v", err)
	}
}

func TestEvidence_isAskedOfTheVerdictAlone(t *testing.T) {
	t.Parallel()
	e := piece("o1", "command", "x: exit code 0")
	p, siege := besieged(t, "o1")
	resume := true
	p.do(orchestration.SignalReceived{Run: siege.ID, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "a",
		TargetRole: orchestration.Lawbringer, Reason: "r", Context: "c", Resume: &resume}})
	p.exit(siege, orchestration.EndClean)
	law := p.at("a", orchestration.Lawbringer) // Siegemaster waits for it
	if owed := p.q.ToProve(law); owed != nil {
		t.Errorf("Lawbringer owes %v of a step", owed)
	}
	if err := p.try(verdict(law, e)); err == nil || !strings.Contains(err.Error(), "not the verdict on a: leave evidence out") {
		t.Errorf("Lawbringer's evidence of a step: %v", err)
	}
	p.do(verdict(law))
	p.exit(law, orchestration.EndClean)
	p.ward("a", orchestration.EndWardPassed)
	p.do(verdict(p.at("a", orchestration.Siegemaster), e))
	if err := p.try(verdict(p.at("b", orchestration.Codeweaver), e)); err == nil {
		t.Error("Codeweaver's evidence was accepted")
	}
}

func TestEvidence_withoutRequirementsOrObservablesNoneIsAsked(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = asked("o1")
	n.Plan.Steps = []orchestration.PlanStep{carrying(step("a")), carrying(step("b"), "o9")}
	for name, p := range map[string]*player{"no requirements": withSteps(t, step("a"), step("b")), "none at its steps": create(t, n)} {
		for _, id := range []string{"a", "b"} {
			p.complete(id, orchestration.Codeweaver)
			p.ward(id, orchestration.EndWardPassed)
			r := p.at(id, orchestration.Siegemaster)
			if owed := p.q.ToProve(r); owed != nil {
				t.Errorf("%s: %s owes %v", name, id, owed)
			}
			p.do(verdict(r))
		}
	}
}

// What a change removes may come back. A step that has begun proves it meanwhile, so that
// a done step is never asked for more than it has proven.
func TestEvidence_ofAnObservableThatIsNoLongerAsked_isAskedAllTheSame(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1", "o2"), carrying(step("b", "a"), "o3")), "o1", "o2", "o3")
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	siege := p.at("a", orchestration.Siegemaster) // told to prove o1 and o2
	p.do(orchestration.ChangeRequested{Text: dark})
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: asked("o1", "o3").Requirements})
	e1, e2 := piece("o1", "command", "x: exit code 0"), piece("o2", "command", "y: exit code 0")
	if err := p.try(verdict(siege, e1)); err == nil || !strings.Contains(err.Error(), "o2 (text of o2): its evidence is missing") {
		t.Errorf("without the lost one: %v", err)
	}
	p.do(verdict(siege, e1, e2))
	p.exit(siege, orchestration.EndClean)
	p.ward("a", orchestration.EndWardPassed)
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.ChangeRequested{Text: "keep o2"})
	p.changes("o1", "o2", "o3")
	for _, e := range p.q.Evidence() {
		if e.Step == "a" && e.State != orchestration.ProofGiven {
			t.Errorf("%s at a is %s", e.Observable.ID, e.State)
		}
	}
}

// Nothing is known of an observable that no requirement ever had. Its step may prove it.
func TestEvidence_ofAnUnknownObservableOfTheStep_isAccepted(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = asked("o1")
	n.Plan.Steps = []orchestration.PlanStep{carrying(step("a"), "o1", "o9")}
	p := create(t, n)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	r := p.at("a", orchestration.Siegemaster)
	e1, e9 := piece("o1", "command", "x: exit code 0"), piece("o9", "command", "it works")
	if err := p.try(verdict(r, e1, e9)); err == nil || !strings.Contains(err.Error(), "send the command with its exit code") {
		t.Errorf("a fault in it: %v", err)
	}
	e9.How = "y: exit code 0"
	p.do(verdict(r, e1, e9))
}

func TestEvidence_isOfACommitUntilAnotherTouchesTheStepsFiles(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1")
	said := func() string { return p.q.Evidence()[0].Proof.Words() }
	p.do(verdict(r, piece("o1", "test", "TestGreet")))
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "aaaaaaaaaaaaaa", Changed: []string{"a_test.go"}}})
	if said() != "proven at aaaaaaaaaa" {
		t.Errorf("it says %q", said())
	}
	p.ward("a", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeUpdated, Files: []string{"b.go"}, Commit: "bbbbbbbbbbbbbb"})
	if said() != "proven at aaaaaaaaaa" {
		t.Errorf("files of others came in, and it says %q", said())
	}
	p.ward("a", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeMerged, Commit: "bbbbbbbbbbbbbb"})
	builder := p.at("b", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: builder.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "b", Summary: "s"}})
	p.do(orchestration.RunExited{Run: builder.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "cccc", Changed: []string{"a_test.go"}}})
	p.ward("b", orchestration.EndWardPassed)
	p.complete("b", orchestration.Siegemaster)
	p.ward("b", orchestration.EndWardPassed)
	if said() != "proven at aaaaaaaaaa" {
		t.Errorf("b is not merged yet, and it says %q", said())
	}
	p.do(orchestration.MergeEnded{Step: "b", Outcome: orchestration.MergeMerged, Commit: "dddddddddddddd"})
	if said() != "proven at aaaaaaaaaa, changed since in dddddddddd" {
		t.Errorf("b changed a file of a, and it says %q", said())
	}
}

func TestEvidence_aRepairAfterTheVerdictChangesWhatWasProven(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1")
	p.do(verdict(r, piece("o1", "test", "TestGreet")))
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "aaaa"}})
	p.ward("a", orchestration.EndWardFailed)
	mender := p.at("a", orchestration.Spiritmender)
	p.do(orchestration.SignalReceived{Run: mender.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	p.do(orchestration.RunExited{Run: mender.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "bbbb", Changed: []string{"a.go"}}})
	if said := p.q.Evidence()[0].Proof.Words(); said != "proven at aaaa, changed since in bbbb" {
		t.Errorf("it says %q", said)
	}
}

func TestEvidence_whatIsMissingIsAGap(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1")
	state := func(q *orchestration.Quest, at int) orchestration.ProofState { return q.Evidence()[at].State }
	if state(p.q, 0) != orchestration.ProofOpen {
		t.Errorf("before the verdict it is %s", state(p.q, 0))
	}
	p.do(verdict(r, piece("o1", "unproven", "no network here")))
	p.exit(r, orchestration.EndClean)
	if state(p.q, 0) != orchestration.ProofUnproven {
		t.Errorf("what is unproven is %s", state(p.q, 0))
	}
	p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Ward).ID})
	more := []string{"o1", "other"}
	p.do(orchestration.StepEdited{Step: "a", Observables: &more})
	if state(p.q, 1) != orchestration.ProofLater {
		t.Errorf("an observable that came after the verdict is %s", state(p.q, 1))
	}
	old := *p.q.Step("a") // as an older version stored it
	old.Proof = nil
	before := *p.q
	before.Steps = before.Steps.With(0, &old)
	if state(&before, 0) != orchestration.ProofBefore {
		t.Errorf("a verdict of an older version is %s", state(&before, 0))
	}
	p.do(orchestration.SkipPressed{Step: "a", Reason: "too dear"})
	if state(p.q, 0) != orchestration.ProofSkipped {
		t.Errorf("of a skipped step it is %s", state(p.q, 0))
	}
	p.do(orchestration.StopPressed{Run: p.at("b", orchestration.Codeweaver).ID})
	p.exit(p.q.Run(p.q.Step("b").Run), orchestration.EndInterrupted)
	p.do(orchestration.MarkDonePressed{Step: "b"})
	if got := state(p.q, 2); got != orchestration.ProofByHand {
		t.Errorf("of a step that a person did it is %s", got)
	}
}

func TestEvidence_aReviewThatEndsWithAHandOverProvesNothing(t *testing.T) {
	t.Parallel()
	p := afterRounds(t, orchestration.ReviewRounds-1)
	law := p.at("review", orchestration.Lawbringer)
	if owed := p.q.ToProve(law); len(owed) != 1 || owed[0].ID != "o1" {
		t.Fatalf("Lawbringer owes %v", owed)
	}
	p.handOver("review", orchestration.Lawbringer, orchestration.Spiritmender, false)
	if got := p.q.Evidence()[0]; got.State != orchestration.ProofLeft || got.Step != "review" {
		t.Errorf("the review's observable is %s at %s", got.State, got.Step)
	}
}

func TestEvidence_whatIsUnprovenMakesTheOutcomeAmber(t *testing.T) {
	t.Parallel()
	for _, kind := range []orchestration.EvidenceKind{orchestration.ByCommand, orchestration.Unproven} {
		p := outcomeOf(t, func(n *orchestration.NewQuest) { n.Ward = "make" },
			[]orchestration.PlanStep{carrying(step("a"), "o1", "o2")}, func(p *player) {
				p.complete("a", orchestration.Codeweaver)
				p.ward("a", orchestration.EndWardPassed)
				r := p.at("a", orchestration.Siegemaster)
				p.do(verdict(r, piece("o1", "test", "TestOne"), piece("o2", kind, "no network: exit code 1")))
				p.exit(r, orchestration.EndClean)
				p.ward("a", orchestration.EndWardPassed)
				p.reviewed()
			})
		o := p.q.Outcome()
		if o.Green() != (kind == orchestration.ByCommand) {
			t.Errorf("%s: green %v: %s", kind, o.Green(), o.Words())
		}
		if kind != orchestration.Unproven {
			continue
		}
		if want := "1 of 1 step done; 1 observable is unproven. The check passed"; !strings.HasPrefix(o.Words(), want) {
			t.Errorf("the outcome says %q, want %q …", o.Words(), want)
		}
		if lines := p.q.UnprovenLines(o); !slices.Equal(lines, []string{"text of o2 (a: no network: exit code 1)"}) {
			t.Errorf("the lines are %q", lines)
		}
	}
}

// Of several steps the one that has proven least counts.
func TestEvidence_isCountedByObservable(t *testing.T) {
	t.Parallel()
	p, r := besieged(t, "o1", "o2", "o3")
	for _, want := range []string{"0 of 4 observables proven; 4 without evidence",
		"2 of 4 observables proven; 1 unproven; 1 without evidence", "2 of 4 observables proven, 2 of them changed since; 1 unproven; 1 without evidence"} {
		if got := p.q.ProofCounts().Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if p.q.Run(r.ID).Signal == nil {
			p.do(verdict(r, piece("o1", "test", "TestGreet"), piece("o2", "place", "a.go:1"), piece("o3", "unproven", "no network")))
			p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "aaaa"}})
			continue
		}
		p.ward("a", orchestration.EndWardFailed)
		mender := p.at("a", orchestration.Spiritmender)
		p.do(orchestration.SignalReceived{Run: mender.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
		p.do(orchestration.RunExited{Run: mender.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Tip: "bbbb", Changed: []string{"a.go"}}})
	}
}

func TestEvidence_formsOfTestsAndPlaces(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"TestGreet":                            " [TestGreet]",
		"`TestGreet/two_names`":                " [TestGreet/two_names TestGreet]",
		"tests/test_greet.py::test_twice[a-b]": "tests/test_greet.py [test_twice[a-b] test_twice]",
		"greet::tests::twice":                  " [greet::tests::twice twice]",
		"greeting > says it twice":             " [greeting > says it twice says it twice]",
		"says it / twice":                      " [says it / twice]",
		"x":                                    "no",
		"two\nlines":                           "no",
		"../secret.py::test_x":                 " [../secret.py::test_x test_x]",
	} {
		file, names, ok := orchestration.TestOf(how)
		got := fmt.Sprintf("%s %v", file, names)
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("the test %q reads %q, want %q", how, got, want)
		}
	}
	for how, want := range map[string]string{
		"greet.go:12": "greet.go 12", "./a b/greet.go:12-14, where it is said": "a b/greet.go 12", "`greet.go:7:3`": "greet.go 7",
		"greet.go": "no", "greet.go:0": "no", "greet.go:x": "no", ":3": "no", "greet.go:12x": "no", "greet.go:99999999999": "no",
	} {
		file, line, ok := orchestration.PlaceOf(how)
		got := fmt.Sprintf("%s %d", file, line)
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("the place %q reads %q, want %q", how, got, want)
		}
	}
}
