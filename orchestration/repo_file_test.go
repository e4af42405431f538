package orchestration_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// withFile begins a quest in worktree mode at its steps, with a repository's own file.
func withFile(t *testing.T, f orchestration.RepoFile, steps ...orchestration.PlanStep) *player {
	n := newQuest()
	n.Workspace = orchestration.WorkspaceWorktree
	n.Plan = &orchestration.OwnPlan{Steps: steps}
	p := create(t, n.WithFile(&f))
	p.ward("baseline", orchestration.EndWardPassed)
	return p
}

func TestRepoFile_fillsInWhatTheUserLeftOut_andNothingElse(t *testing.T) {
	t.Parallel()
	f := &orchestration.RepoFile{Check: "make check", Limits: orchestration.Limits{Ward: 7, Crash: 8}}
	n := orchestration.NewQuest{Limits: orchestration.Limits{Crash: 2}}.WithFile(f)
	if n.Ward != "make check" || n.Limits.Ward != 7 || n.Limits.Crash != 2 || n.File != f {
		t.Errorf("%+v", n)
	}
	if n := (orchestration.NewQuest{Ward: "make test"}).WithFile(f); n.Ward != "make test" {
		t.Errorf("the user's check became %q", n.Ward)
	}
	if n := (orchestration.NewQuest{}).WithFile(nil); n.Ward != "" || n.File != nil {
		t.Errorf("%+v", n)
	}
}

func TestRepoFile_aRoleGetsNoMoreRunsThanItsSlots_andTheCardSaysWhy(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{Slots: map[orchestration.Role]int{orchestration.Codeweaver: 1}}, step("a"), step("b"))
	p.at("a", orchestration.Codeweaver)
	p.stage("b", orchestration.StageReady)
	if why := p.q.StepWhy(p.q.Step("b"), p.now, nil).Words(); !strings.Contains(why, "the repository's file allows 1 run of Codeweaver at once") {
		t.Error(why)
	}
	p.complete("a", orchestration.Codeweaver)
	p.at("b", orchestration.Codeweaver)
}

func TestRepoFile_slotsBelow1AreRefused(t *testing.T) {
	t.Parallel()
	for role, n := range map[orchestration.Role]int{orchestration.Codeweaver: 0, orchestration.Ward: -1, orchestration.Siegemaster: 65, "nobody": 1} {
		q := newQuest()
		q.File = &orchestration.RepoFile{Slots: map[orchestration.Role]int{role: n}}
		if _, err := orchestration.Create(q); orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("%s: %d: %v", role, n, err)
		}
	}
}

// A file that an older version stored says nothing of ports.
func TestRepoFile_aProgramHas20PortsUnlessTheFileSaysHowMany(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]int{"null": 20, `{"commit":"c1","limits":{}}`: 20, `{"ports":1}`: 1, `{"ports":200}`: 200} {
		var q orchestration.Quest
		if err := json.Unmarshal([]byte(stored), &q.File); err != nil || q.Ports() != want {
			t.Errorf("%s: %d ports, %v", stored, q.Ports(), err)
		}
	}
}

func TestRepoFile_portsBelow1AndAbove200AreRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 201} {
		q := newQuest()
		q.File = &orchestration.RepoFile{Ports: n}
		if _, err := orchestration.Create(q); orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestBeforeMerge_comesAfterTheLastUpdate_andBeforeTheBranchMoves(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "make allowed"}, step("a"), step("b"))
	p.good("a")
	p.merges("a", orchestration.MergeUpdated)
	p.ward("a", orchestration.EndWardPassed)
	if !p.q.AsksBeforeMerge("a") {
		t.Fatal("the check alone lets it be merged")
	}
	p.merges("a", orchestration.MergeReady)
	if r := p.at("a", orchestration.Ward); !r.BeforeMerge() || p.q.WardCommand(r) != "make allowed" {
		t.Fatalf("%+v runs %q", r.Brief, p.q.WardCommand(r))
	}
	p.ward("a", orchestration.EndWardPassed)
	if p.q.AsksBeforeMerge("a") {
		t.Fatal("it passed, and is asked for again")
	}
	p.merges("a", orchestration.MergeMerged)
	p.stage("a", orchestration.StageDone)
}

func TestBeforeMerge_red_goesTheWayOfARedCheck_andIsAskedForAgain(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "make allowed"}, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeReady)
	p.ward("a", orchestration.EndWardFailed)
	r := p.at("a", orchestration.Spiritmender)
	if r.Brief.Kind != orchestration.BriefBeforeMerge || p.q.Step("a").Counts.Ward != 1 || slices.Contains(p.q.Merging, "a") {
		t.Fatalf("%+v, %d failures, queue %v", r.Brief, p.q.Step("a").Counts.Ward, p.q.Merging)
	}
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	if !p.q.AsksBeforeMerge("a") {
		t.Error("it failed, was mended, and is not asked for again")
	}
}

// A check passes between two refusals, so they need a count of their own.
func TestBeforeMerge_redThreeTimes_blocks_thoughTheCheckPassesInBetween(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "make allowed"}, step("a"))
	p.good("a")
	for n := range 3 {
		p.hold("a", orchestration.HoldNone)
		p.merges("a", orchestration.MergeReady)
		p.ward("a", orchestration.EndWardFailed)
		if n < 2 {
			p.complete("a", orchestration.Spiritmender)
			p.ward("a", orchestration.EndWardPassed)
		}
	}
	p.hold("a", orchestration.HoldBlocked)
	b := p.q.Step("a").Block
	if want := "the merge failed 3 times, and the limit is 3: the command before the merge: 2 tests"; b.Kind != orchestration.BlockWard || b.Reason != want {
		t.Errorf("%s: %q, want %q", b.Kind, b.Reason, want)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeReady)
	p.ward("a", orchestration.EndWardFailed)
	if c := p.q.Step("a").Counts.Merge; c != 1 {
		t.Errorf("after a Retry %d merges have failed, want 1", c)
	}
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeReady)
	p.ward("a", orchestration.EndWardPassed)
	if c := p.q.Step("a").Counts.Merge; c != 0 {
		t.Errorf("after the command has passed %d merges have failed", c)
	}
}

func TestBeforeMerge_thatChangesATrackedFile_fails_andNamesTheFiles(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "gofmt -w ."}, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeReady)
	r := p.at("a", orchestration.Ward)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Touched: []string{"a.go", "b.go"}}})
	mender := p.at("a", orchestration.Spiritmender)
	if want := "it changed files that git tracks: a.go, b.go"; mender.Brief.Reason != want || !slices.Equal(mender.Brief.Files, []string{"a.go", "b.go"}) {
		t.Errorf("told %+v, want %q", mender.Brief, want)
	}
}

func TestBeforeMerge_thatCannotRun_blocksAtOnce_andARetryChecksAgain(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "no-such-program"}, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeReady)
	p.ward("a", orchestration.EndWardBroke)
	p.hold("a", orchestration.HoldBlocked)
	if b := p.q.Step("a").Block; b.Kind != orchestration.BlockWardBroke || !strings.HasPrefix(b.Reason, "the command before the merge could not run") {
		t.Errorf("%+v", b)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if r := p.at("a", orchestration.Ward); r.BeforeMerge() {
		t.Error("after a retry the work may be another, and it is not checked")
	}
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeReady)
}

// Before a quest is complete, and after: what its steps changed in the repository's own
// file is part of the outcome, and the outcome is not green.
func TestOutcome_namesWhatChangedInTheRepositorysFile(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{".questboard/config.yaml", "a.go", "x.questboard/y"}}})
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
	p.reviewed()
	o := p.q.Outcome()
	if !slices.Equal(o.RepoFiles, []string{".questboard/config.yaml"}) || o.Green() {
		t.Fatalf("%v, green %v", o.RepoFiles, o.Green())
	}
	if words := o.Words(); !strings.Contains(words, "The quest changed .questboard/config.yaml: this counts from the next quest on, after you have trusted it") {
		t.Error(words)
	}
	if report := p.q.Report(); !strings.Contains(report, "- .questboard/config.yaml") {
		t.Error(report)
	}
}

func TestBeforeMerge_whileTheCheckIsChanged_isFollowedByTheNewCheck(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "make allowed"}, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeReady)
	r := p.at("a", orchestration.Ward)
	other := "make another-check"
	p.do(orchestration.QuestEdited{Ward: &other})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: p.tree}})
	if next := p.at("a", orchestration.Ward); next.BeforeMerge() || p.q.WardCommand(next) != other {
		t.Fatalf("next is %q", p.q.WardCommand(next))
	}
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeReady)
}

// A command that cannot pass would hold the quest up for ever.
func TestBeforeMerge_isChangedOrEmptiedInARunningQuest(t *testing.T) {
	t.Parallel()
	p := withFile(t, orchestration.RepoFile{BeforeMerge: "no-such-program"}, step("a"), step("b"))
	file := p.q.File
	p.good("a")
	p.merges("a", orchestration.MergeReady)
	p.ward("a", orchestration.EndWardBroke)
	other, none := " make allowed ", ""
	p.do(orchestration.QuestEdited{BeforeMerge: &other})
	if p.q.BeforeMerge() != "make allowed" || file.BeforeMerge != "no-such-program" {
		t.Errorf("it is %q; the file of the quest before says %q", p.q.BeforeMerge(), file.BeforeMerge)
	}
	p.do(orchestration.QuestEdited{BeforeMerge: &none})
	p.do(orchestration.RetryPressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
	p.stage("a", orchestration.StageDone)
	plain := inWorktrees(t, step("a"))
	if err := plain.try(orchestration.QuestEdited{BeforeMerge: &other}); err == nil || !strings.Contains(err.Error(), "beforeMerge") {
		t.Errorf("without a file: %v", err)
	}
}

// The size of a repository's file counts where the user chose none, and has no plan.
func TestTheSizeOfTheRepositorysFileCountsWithoutAChoice(t *testing.T) {
	t.Parallel()
	file := &orchestration.RepoFile{Size: orchestration.SizeErrand}
	for _, c := range []struct {
		chosen orchestration.Size
		plan   *orchestration.OwnPlan
		want   orchestration.Size
	}{{"", nil, orchestration.SizeErrand}, {orchestration.SizeAuto, nil, orchestration.SizeAuto}, {orchestration.SizeFull, nil, orchestration.SizeFull}, {"", &orchestration.OwnPlan{}, ""}} {
		n := orchestration.NewQuest{Size: c.chosen, Plan: c.plan}
		if got := n.WithFile(file).Size; got != c.want {
			t.Errorf("chosen %q, plan %v: %q, want %q", c.chosen, c.plan != nil, got, c.want)
		}
	}
	if got := (orchestration.NewQuest{}).WithFile(&orchestration.RepoFile{}).Size; got != "" {
		t.Errorf("a file without a size says %q", got)
	}
}

func TestADuplicateReadsAgainWhatTheRepositorysFileSaid(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Ward, n.Size = "", orchestration.SizeFull
	q := create(t, n.WithFile(&orchestration.RepoFile{Check: "make check", Limits: orchestration.Limits{Ward: 7}})).q
	if again := q.Duplicate(); again.Ward != "" || again.Limits.Ward == 7 || again.Request != q.Request || again.Size != orchestration.SizeFull || again.Former != nil || again.Plan != nil {
		t.Errorf("%+v", again)
	}
}
