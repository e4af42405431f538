package orchestration_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// fault breaks one rule on purpose: in file, old is replaced by new.
type fault struct{ rule, file, old, new string }

// plantedFaults break one rule each. The random quests must find every one of them, but for
// those of foundBy. Otherwise they prove less than they claim.
var plantedFaults = []fault{
	{"ward always after work", "apply_complete.go", "e.queue(check(r, s.Summary))\n\treturn nil", "return e.startAgain(r, s)"},
	{"ward hands the return on", "flow.go", `Launch{Role: Ward, Step: r.Step, Start: StartFresh, ReturnTo: r.ReturnTo,`, `Launch{Role: Ward, Step: r.Step, Start: StartFresh,`},
	{"siegemaster's complete is the verdict", "review.go", `return r.Step != StepReview || f.TreeChanged`, `return f.TreeChanged`},
	{"a review ends with a look that changes nothing", "review.go", `f.TreeChanged == TreeSame || q.lastRound()`, `true || q.lastRound()`},
	{"a look that changed something is a round", "review.go", `if s.Kind == Complete && e.heard.TreeChanged != TreeSame {`, `if false {`},
	{"a step that owes a siege is besieged", "siege.go", `return s.Verdict || !s.Whole() && !q.OwesSiege(s)`, `return s.Verdict || !s.Whole()`},
	{"a step of low risk owes no siege", "siege.go", `return s.RiskOf() != RiskLow`, `return s.RiskOf() != ""`},
	{"a siege that is chosen late is held", "siege.go", `if s.Stage != StageMerge || s.Hold != HoldNone || !e.q.owesFirst(s) {`, `if s != nil {`},
	{"steps without a siege bring one at the end", "siege.go", `(q.SiegeMode() == SiegeEnd || s.unbesieged() && q.OwesSiege(s))`, `q.SiegeMode() == SiegeEnd`},
	{"the siege at the end comes before the review", "siege.go", `return q.Phase == PhaseReview && q.Step(StepReview).Besieged == "" && q.siegeDue()`, `return false`},
	{"new steps make the siege at the end owed again", "apply_complete.go", "review.Stage = StageWaiting\n\treview.forgetSiege()", `review.Stage = StageWaiting`},
	{"a siegemaster that was called is no siege at the end", "siege.go", ` && q.asked(r.Launch).Kind != BriefRole`, ``},
	{"a siege at the end proves what the steps did not", "siege.go", "case q.Besieges(r):\n\t\treturn q.besiegedAtEnd()", "case false:"},
	{"without a siege at the end lawbringer proves for the steps", "siege.go", `return slices.Concat(own, more)`, `return own[:len(own):len(own)+0*len(more)]`},
	{"a siege at the end that hands over is not over", "apply_followup.go", `if e.q.Besieges(r) {`, `if false {`},
	{"a risk has a reason", "plan.go", `case s.Risk != "" && s.Risk != RiskNormal && blank(s.RiskReason):`, `case false:`},
	{"what changed after a look is looked at", "review.go", `case step.StartTree != "" && tree == step.StartTree:`, `case true:`},
	{"an unknown change of the tree is a change", "review.go", `step.StartTree != "" && tree`, `step.StartTree == "" || tree`},
	{"a look has a start of its own", "handover.go", `s.StartTree == "" && (r.Start`, `(r.Start`},
	{"the last round drops the return", "apply_followup.go", `if *s.Resume && !e.q.isVerdict(r, e.heard) {`, `if *s.Resume {`},
	{"after the rounds Lawbringer may only complete", "handover.go", `if q.Looks(r) && q.OnlyComplete() {`, `if false {`},
	{"new steps reset no rounds", "review.go", `if step.Looked = ""; step.Rounds < ReviewRounds {`, `if step.Looked = ""; step.Rounds == 0 {`},
	{"a repeated reason is a round", "apply_followup.go", "e.round(step) // no block: it comes to an end with the rounds\n\t\t\tagain = false", ""},
	{"comments after complete begin at 0", "comment.go", "\t\te.reviewAnew()\n", ""},
	{"findings are of a look alone", "finding.go", `if !q.Looks(r) {`, `if false {`},
	{"codeweaver clears the verdict", "apply_complete.go", "case r.ReturnTo == \"\" && r.Role.Builds() && !step.Whole():\n\t\tstep.forgetVerdict()", "case false:"},
	{"a verdict and a pass: done", "apply_ward.go", "case e.q.good(step):\n\t\te.settle(r.Step, StageDone)", "case false:"},
	{"ward's limit blocks", "apply_ward.go", `failed >= limit`, `failed > limit`},
	{"what keeps a step from its merge has a count of its own", "apply_ward.go", `step.Counts.Merge > failed`, `step.Counts.Merge < 0`},
	{"a command that lets a step be merged zeroes that count", "merge.go", "e.step(r.Step).Counts.Merge = 0", ""},
	{"a pass zeroes ward's counter", "apply_ward.go", `step.Counts.Ward = 0`, `step.Counts.Ward += 0`},
	{"a ward beside an edit is repeated alone", "apply_ward.go", `if r.Beside && !r.Alone {`, `if false {`},
	{"a ward that broke blocks at once", "apply_ward.go", "case EndInterrupted, EndStuck:", "case EndInterrupted, EndStuck, EndWardBroke:"},
	{"a continuation is a fresh session", "apply_followup.go", "Start: StartContinuation, ReturnTo: r.ReturnTo,", "Start: StartContinuation, ReturnTo: r.ReturnTo, ResumedFrom: r.ID,"},
	{"resume: true makes the run wait", "apply_followup.go", "\t\te.run(r.ID).Waiting = true\n\t\tl.ReturnTo = r.ID", "\t\tl.ReturnTo = r.ID"},
	{"resume: false hands the return on", "apply_followup.go", "Start: StartFollowup, ReturnTo: r.ReturnTo,", "Start: StartFollowup,"},
	{"resume: false is for a job that is done", "handover.go", "case tree == TreeDiffers:", "case tree != TreeSame:"},
	{"resume: false needs a siege to come", "handover.go", "case !q.OwesSiege(s):", "case false:"},
	{"the same hand-over twice blocks", "apply_followup.go", "if again {", "if again && false {"},
	{"a person's title stays", "title.go", `if title == nil || !e.q.Untitled {`, `if title == nil {`},
	{"a title has a length", "title.go", `case n > TitleMost:`, `case false:`},
	{"who judges asks only at a wall", "wall.go", `needed := r.Role.AsksAtWallsAlone()`, `needed := s.Wall != ""`},
	{"a wall has a kind", "wall.go", `needed && !slices.Contains(Walls, s.Wall)`, `false`},
	{"a question says its wall", "apply_followup.go", `, Wall: s.Wall`, ``},
	{"once is once", "permission.go", `w.Calls[i].Used = true`, `w.Calls[i].Used = false`},
	{"a permission for a step is for that step", "permission.go", `c.Decision == AllowStep && question.Step == step`, `c.Decision == AllowStep`},
	{"who was denied a call does not ask again", "permission.go", `case c.Decision == DenyCall && (`, `case false && (`},
	{"the stack has a depth", "handover.go", "q.depth(r)+1 > q.limits().Depth", "q.depth(r)+1 > q.limits().Depth+1"},
	{"an accepted signal zeroes the crashes", "apply_signal.go", "c.Crash, c.Stuck, c.Nudge, c.Infra, c.Overloads = 0, 0, 0, 0, 0", "c.Overloads = 0"},
	{"the signal of a run that is over is refused", "apply_signal.go", `if !r.Live() || r.Stopping != "" || e.q.Over() {`, `if e.q.Over() {`},
	{"an exit after a signal is no crash", "apply_process.go", `&& r.Signal == nil && r.Stopping == ""`, `&& r.Stopping == ""`},
	{"one nudge, then it is a crash", "apply_process.go", "c.Nudge <= limits.Nudge", "c.Nudge <= limits.Nudge+1"},
	{"an unknown session is not resumed again", "apply_process.go", `l.Start, l.ResumedFrom = StartHandoff, ""`, `l.Start = StartHandoff`},
	{"a crash waits", "apply_process.go", `e.queue(next).NotBefore = e.at.Add(e.q.crashWait(c.Crash))`, `e.queue(next)`},
	{"an answered signal is heard", "effect.go", "return GraceHeard", "return GraceNone"},
	{"the next run is told what happened", "brief.go", "l.Brief.Cause = c", "_ = c"},
	{"a full context hands its last words on", "apply_process.go", `e.goOn(r, "", f.Exit.LastText)`, `e.goOn(r, "", "")`},
	{"a cause is told once", "flow.go", "l.Brief.Cause = nil", "_ = l"},
	{"dependencies first", "flow.go", `if dep := q.Step(d); dep == nil || !dep.Stage.Frees() {`, `if dep := q.Step(d); dep == nil {`},
	{"no more live agents than slots", "assign.go", "max(0, p.Slots-live)", "max(0, p.Slots-live+1)"},
	{"no more live checks than their bound", "assign.go", "free := p.checks()", "free := p.checks() + 1"},
	{"a check takes no slot", "assign.go", "r.State != RunQueued || !r.Role.Agent() {\n\t\t\tcontinue\n\t\t}\n\t\tagent := starts(r.Launch)\n\t\tif agent == \"\" ||", "r.State != RunQueued {\n\t\t\tcontinue\n\t\t}\n\t\tagent := starts(r.Launch)\n\t\tif agent == \"\" && r.Role.Agent() ||"},
	{"the checks of merges go first", "assign.go", "slices.Contains(o.Merging, s.Step); a != b", "slices.Contains(o.Merging, s.Step); false && a != b"},
	{"a check keeps a slot from its quest's new steps, also when it waits", "assign.go", `q.keptSlots(p) >= free`, `min(q.keptSlots(p), 1) >= free`},
	{"a check keeps a slot from new steps", "assign.go", "kept += q.keptSlots(p)", "kept += 0 * q.keptSlots(p)"},
	{"a quest's priority comes first", "assign.go", `rank := q.Priority.rank()`, `rank := 0`},
	{"a step's priority comes first", "index.go", `; pa != pb {`, `; false && pa != pb {`},
	{"every fourth turn is a lower one's", "priority.go", `*had[rank] < turnsInARow || lower < 0`, `*had[rank] >= 0 || lower < 0`},
	{"what has started goes before new steps", "assign.go", "if best >= 0 {\n\t\treturn best", "if best >= 0 && waits == ([3]bool{}) {\n\t\treturn best"},
	{"one live run a step", "assign.go", "if other.Live() && (other.Step == l.Step || l.Step == StepRequirements && q.Step(other.Step).outgrown()) {", "if false {"},
	{"files are not shared", "shared.go", `(holder.HoldsFiles || r.Live()) && holder.ID != step.ID && f != ""`, `false && f != ""`},
	{"a held account gets no slot", "assign.go", "if !h.Probe || accountInUse(quests, agent) {", "if accountInUse(quests, agent) {"},
	{"dependents move to the replacements", "replan.go", "m.rewritten[s.ID] = deps", "_ = deps"},
	{"only marked steps stand for the replaced one", "replan.go", `(p.Replaces != "" || !marked)`, `(p.Replaces != "" || marked || !marked)`},
	{"a run replaces its own step alone", "replan.go", `return id != "" && (id != r.Step || q.Step(r.Step).Whole())`, `return id == "no step"`},
	{"no observable is lost", "coverage.go", `len(places[o]) == 0 && slices`, `false && slices`},
	{"an observable is in one place", "coverage.go", `case len(steps[o]) > 0:`, `case false:`},
	{"an observable is in one list", "coverage.go", `case in[o] != "":`, `case false:`},
	{"every observable has its requirement", "coverage.go", `if !slices.Contains(known, o) && !slices.Contains(names[:i], o) {`, `if o == "" && i < 0 {`},
	{"a re-split keeps what the review owns", "coverage.go", "\t\tif !said[o] {\n", "\t\tif false && said[o] {\n"},
	{"a verdict proves every observable", "evidence.go", `if _, there := first[o.ID]; !there {`, `if _, there := first[o.ID]; !there && false {`},
	{"a test is in the tree", "evidence.go", `case saw.Is:`, `case true:`},
	{"evidence stands until its files change", "proof.go", `s.ID != step && s.Stage == StageDone && s.touched(changed)`, `false`},
	{"a skipped step lets nobody wait", "apply_decide.go", `e.drop(f.Step, "the step was skipped")`, ``},
	{"an edit takes an observable off the lists", "apply_decide.go", `e.unlist(fresh.Observables)`, ``},
	{"a skip is final when a dependent has started", "apply_undo.go", `if d := q.Steps.At(n); d.Started {`, `if d := q.Steps.At(n); d.Started && false {`},
	{"a skip is final when the review has begun", "apply_undo.go", `s.Stage == StageSkipped && !s.Final`, `false`},
	{"a check beside a person is repeated", "shared.go", `return q.personBeside(step) != ""`, `return false`},
	{"nobody else touches a person's files", "shared.go", `other.Hold == HoldYours && other.ID != step.ID && f != ""`, `false && f != ""`},
	{"a person gets a tree to work in", "apply_person.go", `e.effect(PrepareStep{Step: s.ID})`, `_ = PrepareStep{Step: s.ID}`},
	{"a red check gives a step back to the person", "apply_ward.go", `if step.ByHand != "" {`, `if false {`},
	{"what agents do after a person is tested", "apply_person.go", "s.ByHand = \"\"\n\t\ts.forgetVerdict()", `s.ByHand = ""`},
	{"what nobody built is not only checked", "apply_person.go", `if marked && `, `if false && marked && `},
	{"what a person changed after the siege is tested", "apply_person.go", `s.forgetVerdict() // what`, `_ = s // what`},
	{"a backoff is waited for", "assign.go", "case q.backsOff(notBefore, now):", "case q.backsOff(notBefore, now) && false:"},
	{"the base is checked from the start", "baseline.go", `e.q.Baseline != BaselineOff || e.q.anyStarted()`, `e.q.Phase != PhaseSteps || e.q.Baseline != BaselineOff || e.q.anyStarted()`},
	{"no step starts before the base was looked at", "flow.go", `if e.q.Baseline == BaselinePending && !e.q.Errand() {`, `if false {`},
	{"only old faults are forgiven", "baseline.go", `if !slices.Contains(q.KnownFaults, fault) {`, `if fault == "" {`},
	{"comments come before what follows a pass", "apply_ward.go", `case step.Comments != "":`, `case false:`},
	{"steps of a later plan wait for a file that nobody declared", "files.go", `return slices.Contains(fresh, other.ID)`, `return false`},
	{"a review that needs another look leaves the merge queue", "apply_ward.go", "e.leaveQueue(r.Step) // an update", "// an update"},
	{"what the old check command still checks is checked again", "apply_decide.go", `r.Role == Ward && r.Live() && r.Stopping == ""`, `false`},
	{"markers are as red as a failure", "apply_process.go", `len(f.Exit.Markers) > 0 && !e.q.Over()`, `false`},
	{"ward never undoes what is not committed", "apply_process.go", `f.Exit.Unsaved != "" && !e.q.Over()`, `false`},
	{"a check that was stopped in the queue undoes nothing either", "apply_ward.go", `step.Block.Kind == BlockStopped &&`, `false &&`},
	{"a message needs a session to resume", "apply_message.go", `case !r.Opened || r.State != RunRunning:`, `case r.State != RunRunning:`},
	{"only what is blocked is retried", "apply_decide.go", `if !s.Hold.keepsBlock() {`, `if s.Hold == HoldNone {`},
	{"a decision about an earlier state is refused", "seen.go", `f.State != "" && f.State != s.State()`, `false`},
	{"instructions stay with the step", "instruction.go", "append(slices.Clip(s.Instructions), Instruction{", "append([]Instruction(nil), Instruction{"},
	{"what a person decided is told to all", "decision.go", `if b.Message != "" {`, `if false {`},
	{"a control asks for its own input", "controls.go", `offer{ControlSkip, SkipPressed{Step: s.ID}}`, `offer{ControlSkip, ResplitPressed{Step: s.ID}}`},
	{"a blocked document takes feedback", "controls.go", `offer{ControlFeedback, GateDecided{Gate: s.ID}}`, `offer{ControlFeedback, GateDecided{Gate: s.ID, Approve: true}}`},
	{"no step starts while the requirements are changed", "flow.go", `if e.q.Changing() {`, `if false {`},
	{"a plan that is sent back is as a person left it", "apply_user.go", `stood && r.Role == PathSeeker`, `stood && false`},
	{"a change drops the review", "change.go", "\t\te.dropReview(why)\n", ""},
	{"a change drops a plan at work", "change.go", "\t\te.drop(StepPlan, why)\n", ""},
	{"a plan made again leaves out what it does not name", "change.go", "m.dropped = append(m.dropped, s.ID)", "_ = n"},
	{"a lost observable is known", "change.go", `return slices.Contains(kept, o.ID) })`, `return o.ID != "" || kept == nil })`},
	{"a command before a merge comes before it", "merge.go", `return last == nil || !last.BeforeMerge()`, `return last == nil && q == nil`},
	{"a command before a merge changes nothing", "merge.go", `f.End == EndWardPassed && len(f.Exit.Touched) > 0`, `false`},
	{"a command before a merge that broke blocks", "merge.go", "case EndInterrupted, EndStuck:", "case EndInterrupted, EndStuck, EndWardBroke:"},
	{"a role has no more runs than its slots", "repo_file.go", `return live >= most`, `return live > most`},
	{"an errand does not wait for the base", "flow.go", `e.q.Baseline == BaselinePending && !`, `e.q.Baseline == BaselinePending || false && !`},
	{"a red errand waits for the base", "assign.go", `q.Baseline == BaselinePending && l.Role == Spiritmender && l.Brief.Kind == BriefCheck`, `false`},
	{"an errand does not end unchecked", "apply_complete.go", "e.queue(check(r, s.Summary))\n\treturn nil", "if step.ID == StepErrand {\n\t\te.settle(r.Step, StageDone)\n\t\treturn nil\n\t}\n\te.queue(check(r, s.Summary))\n\treturn nil"},
	{"a quest does not shrink", "size.go", `!q.workBegun() && !q.Changing()`, `true`},
	{"an agent's quest does not shrink", "size.go", `(e.q.lastLook() != nil || e.q.Changing()) && !f.Size.larger(e.q.Size)`, `false`},
	{"a size walks past no gate", "errand.go", `case e.q.SizedBy != "" && e.q.GateRequirements == GatePending:`, `case false:`},
	{"a size walks past no gate of the plan", "errand.go", `case e.q.SizedBy != "" && e.q.GatePlan == GatePending:`, `case false:`},
	{"a person's size stays", "size.go", `case e.q.Size == f.Size, e.q.Size != SizeAuto && e.q.SizedBy == "":`, `case e.q.Size == f.Size:`},
	{"there is a size before requirements", "size.go", "case SizeAuto:\n\t\treturn invalid", "case \"none\":\n\t\treturn invalid"},
	{"only an errand ends without a review", "flow.go", `if e.q.unreviewed() {`, `if e.q.unreviewed() || e.q.Size == SizeQuick {`},
	{"an errand that grew keeps its tree", "delivery.go", ` && (!s.outgrown() || q.Phase == PhaseComplete)`, ``},
	{"an errand that grew is superseded", "errand.go", `w.Stage, w.EndedAt, w.HoldsFiles = StageSuperseded,`, `w.Stage, w.EndedAt, w.HoldsFiles = StageDone,`},
	{"a review of an errand comes after its check", "errand.go", `e.enter(PhaseReview)`, `e.q.Phase = PhaseReview; e.queue(e.nextLook("", ""))`},
	{"nobody goes on from a run that lives", "fork.go", `return r.State == RunEnded`, `return true`},
	{"codeweaver goes on from who wrote its step", "fork.go", `q.lastOfSession(q.Run(step.AddedBy))`, `q.Run(q.Step(StepRequirements).Run)`},
	{"a fork waits until its parent has ended", "assign.go", `if q.forkEnds(l) {`, `if false {`},
	{"siegemaster and lawbringer look with new eyes", "fork.go", "default:\n\t\treturn nil", "default:\n\t\treturn q.Run(q.Step(StepPlan).Run)"},
	{"a role that is set to fresh begins afresh", "fork.go", `|| slices.Contains(q.Forks.Fresh, l.Role)`, ``},
	{"a conversation is on one host", "fork.go", ` || parent.HostID != host`, ``},
	{"another model has nothing in its cache", "fork.go", `q.Forks.Models[parent.Role] != q.Forks.Models[r.Role]`, `false`},
	{"another program cannot read it", "fork.go", `parent.Agent != agent`, `false`},
	{"not every program copies conversations", "fork.go", `!copiesConversations(agent)`, `false`},
	{"the program of a session resumes it", "programs.go", `r != nil && r.Agent != ""`, `r != nil && false`},
	{"a role's own program is asked", "programs.go", `cmp.Or(q.Programs[role].Agent, q.Agent)`, `q.Agent`},
	{"another program resumes no session", "fallback.go", "if l.ResumedFrom != \"\" {\n\t\treturn nil", "if l.ResumedFrom == \"none\" {\n\t\treturn nil"},
	{"a short hold is waited for", "fallback.go", `h.lasts(after)`, `h.lasts(0 * after)`},
	{"who goes on has a free account", "fallback.go", `if !held(other) {`, `if other != "" {`},
	{"who goes on is asked in order", "fallback.go", `for _, other := range q.fallbacks(l) {`, `for _, other := range slices.Backward(q.fallbacks(l)) {`},
	{"a session stays in another's place", "fallback.go", `r.InPlaceOf = before.InPlaceOf`, `r.InPlaceOf = ""`},
	{"a handed-off session is a new one", "fallback.go", `r.SessionID, r.NotBefore = "", time.Time{}`, `r.NotBefore = time.Time{}`},
	{"what another goes on with needs no login", "needs.go", `q.startsAmong(l, time.Time{}, holds) == ""`, `l.Role.Agent()`},
	{"who goes on for another forks nothing", "fork.go", ` || r.InPlaceOf != ""`, ``},
	{"a hold is of one program", "effect.go", `h.Agent == agent`, `h.Agent != agent`},
	{"a fork that failed is not tried again", "fork.go", ` || q.forkFailed(r)`, ``},
	{"a fork that failed blames nobody", "apply_process.go", `if r.failedToFork() && (`, `if false && (`},
	{"a large conversation is not forked", "fork.go", `context > int64(limits.Large),`, ``},
	{"an old conversation is not forked", "fork.go", `at.Sub(parent.EndedAt) > limits.Within`, `false`},
	{"a conversation of unknown size is not forked", "fork.go", `case context <= 0, `, `case `},
	{"a conversation without a price is not forked", "fork.go", `if parent.CostUSD <= 0 {`, `if false {`},
	{"a fork is charged once", "budget.go", `for before := q.conversation(r); before != nil;`, `for before := q.Run(r.ResumedFrom); before != nil;`},
	{"what a run spent that another one takes the place of is charged once", "budget.go", `last = r.N - 1`, `last += 0`},
	{"a run that reports its own part is charged that", "budget.go", `x.Counted > 0 && x.`, `false && x.`},
	{"the old quest stays as it was", "edit.go", "\t\tc := *e.q.Steps.At(n)\n\t\te.q.Steps = e.q.Steps.With(n, &c)\n", ""},
}

// foundBy names the tests that find what random quests meet so rarely that it takes hundreds of
// them, or more than there are.
var foundBy = map[string]string{
	"who goes on for another forks nothing":                                "TestFallback_forksNoConversation",
	"a siege at the end that hands over is not over":                       "TestSiege_atTheEnd_thatIsResumedAndHandsOver_isStillOwed",
	"a look has a start of its own":                                        "TestReview_aLookWhoseSetUpFailedAfterItChangedFiles_keepsItsStart",
	"resume: false needs a siege to come":                                  "TestSiege_codeweaverLeavesItsJobOnlyToASiege",
	"resume: false is for a job that is done":                              "TestAHandOverBeforeAnythingWasChanged_isRefused",
	"a step's priority comes first":                                        "TestPriority_ofAStep_comesBeforeTheLongestChain",
	"a skip is final when a dependent has started":                         "TestUndoSkip_tooLate_namesWhatIsPossible",
	"a siege that is chosen late is held":                                  "TestSiege_aStepThatGetsOneAfterAllLeavesTheMergeQueueForIt",
	"dependents move to the replacements":                                  "TestReplace_dependentsWaitForTheMarkedStepsAndNotForAnUnrelatedOne",
	"a check beside a person is repeated":                                  "TestTakeOver_aCheckThatFailsBesideAPerson_waitsForThemAndRunsAgain",
	"a command that lets a step be merged zeroes that count":               "TestBeforeMerge_redThreeTimes_blocks_thoughTheCheckPassesInBetween",
	"a check keeps a slot from its quest's new steps, also when it waits":  "TestChecks_thatWait_keepSlotsFromTheirOwnQuest",
	"a plan that is sent back is as a person left it":                      "TestGate_aPlanThatIsSentBack_keepsWhatAPersonEditedAtIt",
	"a review that needs another look leaves the merge queue":              "TestReview_aLookAfterAnUpdate_isNotInTheMergeQueue",
	"a check that was stopped in the queue undoes nothing either":          "TestUnsaved_workIsNotUndone_ifTheCheckWasStoppedInTheQueue",
	"what nobody built is not only checked":                                "TestTakeOver_afterMarkDoneOfAStepThatNobodyBuilt_givenBackItIsBuilt",
	"who goes on is asked in order":                                        "TestFallback_isTheFirstOfTheListWhoseAccountIsFree",
	"who goes on has a free account":                                       "TestFallback_isNotUsedWhileItsOwnAccountIsHeld",
	"a command before a merge that broke blocks":                           "TestBeforeMerge_thatCannotRun_blocksAtOnce_andARetryChecksAgain",
	"only marked steps stand for the replaced one":                         "TestReplace_dependentsWaitForTheMarkedStepsAndNotForAnUnrelatedOne",
	"steps of a later plan wait for a file that nobody declared":           "TestFiles_undeclaredOnesMakeStepsOfALaterPlanWait",
	"an errand does not wait for the base":                                 "TestErrand_doesNotWaitForTheBase_butARedCheckDoes",
	"nobody else touches a person's files":                                 "TestTakeOver_holdsTheFiles",
	"what keeps a step from its merge has a count of its own":              "TestMergeQueue_theThirdConflictBlocks_thoughTheCheckPassesInBetween",
	"what a run spent that another one takes the place of is charged once": "TestCost_ofARunThatAnotherTakesThePlaceOfIsChargedOnce",
	"a fork that failed blames nobody":                                     "TestFork_thatCannotBeOpened_beginsAfreshAtOnce_andCountsAsNothing",
	"once is once":                                                         "TestPermission_ofTwoEqualCallsOneIsMadeAndOneIsAskedAbout",
	"what agents do after a person is tested":                              "TestMarkDone_agentsThatGoOn_oweASiegeAgain",
	"what another goes on with needs no login":                             "TestFallback_whatAnotherGoesOnWithNeedsNoLogin",
	"a size walks past no gate of the plan":                                "TestErrand_thatAnAgentSaid_opensTheGate_withItsReason",
	"a title has a length":                                                 "TestTitle_thatNobodyCanReadIsRefused_andNothingChanges",
	"an edit takes an observable off the lists":                            "TestCoverage_theUsersEditTakesAnObservableOffTheLists_andNamesOnlyKnownOnes",
	"no observable is lost":                                                "TestCoverage_anUnknownAndAnUncoveredObservableAreNamedBesideAllOtherFaults",
	"a fork that failed is not tried again":                                "TestFork_thatCannotBeOpened_beginsAfreshAtOnce_andCountsAsNothing",
	"another program resumes no session":                                   "TestFallback_aSessionWaitsForItsOwnAccount_andGoesOnAfterTheReset",
	"a red errand waits for the base":                                      "TestErrand_thatIsRedIsNotBlockedBeforeTheBaseIsKnown",
	"a siegemaster that was called is no siege at the end":                 "TestSiege_aSiegemasterThatWasCalledIsNoSiegeAtTheEnd",
}

const randomQuests = "TestRandomQuests"

// TestPlantedFaultsAreFound breaks the rules one by one and expects the random quests, or the
// test that foundBy names, to fail each time, and to pass while nothing is broken.
func TestPlantedFaultsAreFound(t *testing.T) {
	t.Parallel()
	if len(plantedFaults) < 20 {
		t.Fatalf("%d faults are planted, 20 are the least", len(plantedFaults))
	}
	binary := buildWithFaults(t)
	play := func(rule, test string, quests int) (string, error) {
		cmd := exec.Command(binary, "-test.run=^"+test+"$", fmt.Sprint("-quests=", quests),
			"-rapid.shrinktime=1ms", "-rapid.nofailfile")
		// Walks leave much garbage and keep little. To collect it as rarely as this saves a third of
		// the processor time.
		cmd.Env = append(os.Environ(), "PLANTED="+rule, "GOGC=800")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := play("", randomQuests, 100); err != nil { // TestRandomQuests and make soak play more
		t.Fatalf("it fails without a fault: %v\n%.2000s", err, out)
	}
	for _, f := range plantedFaults {
		t.Run(strings.ReplaceAll(f.rule, " ", "_"), func(t *testing.T) {
			t.Parallel()
			test := cmp.Or(foundBy[f.rule], randomQuests)
			out, err := play(f.rule, test, 40_000) // the rarest is found in one of some thousand
			if err == nil {
				t.Fatalf("nobody noticed that this rule was broken: %s", f.rule)
			}
			if test != randomQuests && strings.Contains(out, "--- FAIL: "+test) {
				return
			}
			// A broken quest may also make the checks panic. If the old quest is changed, so may be
			// one that other walks share, and then the failure does not come again.
			if !strings.Contains(out, "[rapid] failed after") && !strings.Contains(out, "[rapid] panic after") && !strings.Contains(out, "[rapid] flaky test") {
				t.Fatalf("the quests did not find it, something else failed: %v\n%.2000s", err, out)
			}
		})
	}
}
