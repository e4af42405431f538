package web_test

import (
	"context"
	"slices"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

func gatedOf(w *world) *handlerstest.Party    { return w.gated }
func reviewOf(w *world) *handlerstest.Party   { return w.review }
func errandOf(w *world) *handlerstest.Party   { return w.errand }
func sizedOf(w *world) *handlerstest.Party    { return w.sized }
func finishedOf(w *world) *handlerstest.Party { return w.finished }
func pausedOf(w *world) *handlerstest.Party   { return w.paused }
func redOf(w *world) *handlerstest.Party      { return w.red }

// submitted returns a function that changes a quest while its form is open.
func submitted(of func(*world) *handlerstest.Party, input orchestration.InputKind) func(*world) {
	return func(w *world) {
		if _, err := w.engine.Submit(context.Background(), of(w).Quest, "a teammate", input); err != nil {
			panic(err)
		}
	}
}

func partyOf(w *world) *handlerstest.Party { return w.party }

func set(change func(*record.Settings)) func(*world) {
	return func(w *world) {
		if err := w.settings.ChangeSettings(context.Background(), change); err != nil {
			panic(err)
		}
	}
}

func both(moves ...func(*world)) func(*world) {
	return func(w *world) {
		for _, move := range moves {
			move(w)
		}
	}
}

// staleForms lists the forms of the pages, each with a change that makes it stale.
func staleForms() []stale {
	abandoned := orchestration.AbandonPressed{}
	other := "Another title"
	changedRole := set(func(now *record.Settings) {
		r := now.OfRole(orchestration.Codeweaver)
		r.SetPrompt("You are somebody else.")
		r.Model = "claude-haiku-4-5"
		now.SetRole(r)
	})
	forms := []stale{
		{at: "/quests/:quest", action: "/quests/:quest/pause", move: submitted(partyOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest", action: "/quests/:quest/abandon", party: reviewOf, move: func(w *world) { w.review.Finish() }, says: "complete"},
		{at: "/quests/:quest/change", action: "/quests/:quest/change", field: "text",
			move: submitted(partyOf, orchestration.ChangeRequested{Text: "in blue"}), says: "send your text to ChaosWhisperer as a message"},
		{at: "/quests/:quest/change", action: "/quests/:quest/change", party: finishedOf, field: "text",
			move: submitted(finishedOf, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}), says: "start a follow-up quest"},
		{at: "/quests/:quest/follow-up", action: "/quests/:quest/follow-up", party: finishedOf, field: "request", move: followed, says: "started elsewhere: The other follow-up"},
		{at: "/quests/:quest", action: "/quests/:quest/resume", party: pausedOf, move: submitted(pausedOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest/steps/cookie", action: "/questions/:quest-q1/answer", field: "answer",
			move: submitted(partyOf, orchestration.AnswerGiven{Question: "quest1-q1", Answer: "the internal one"}), says: "the internal one"},
		{at: "/questions/:quest-q1", action: "/questions/:quest-q1/answer", field: "answer", move: submitted(partyOf, abandoned), says: "abandoned"},
		{at: "/questions/:quest-q1", action: "/questions/:quest-q1/answer", field: "answer",
			move: submitted(partyOf, orchestration.SkipPressed{Step: "cookie", Reason: "not needed"}), says: "skipped"},
		{at: ":share/questions/:quest-q1", action: ":share/questions/:quest-q1", field: "answer",
			move: submitted(partyOf, orchestration.AnswerGiven{Question: "quest1-q1", Answer: "the internal one"}), says: "the internal one"},
		{at: "/quests/:quest/gates/requirements", action: "/quests/:quest/size", party: sizedOf,
			move: submitted(sizedOf, orchestration.GateDecided{Gate: "requirements", Approve: true}), says: "The quest has changed since"},
		{at: "/quests/:quest/gates/requirements", action: "/quests/:quest/gates/requirements/approve", party: sizedOf,
			move: submitted(sizedOf, orchestration.SizeChosen{Size: orchestration.SizeFull}), says: "Being written"},
		{at: "/quests/:quest/settings", action: "/quests/:quest/size", party: sizedOf,
			move: submitted(sizedOf, orchestration.GateDecided{Gate: "requirements", Approve: true}), says: "The quest has changed since"},
		{at: "/quests/:quest/settings", action: "/quests/:quest/size", party: sizedOf, move: submitted(sizedOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest", action: "/quests/:quest/review", party: errandOf,
			move: submitted(errandOf, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}), says: "start a follow-up quest"},
		{at: "/quests/:quest/gates/plan", action: "/quests/:quest/gates/plan/approve", party: gatedOf,
			move: submitted(gatedOf, orchestration.GateDecided{Gate: "plan", Feedback: "smaller steps"}), says: "Being written"},
		{at: "/quests/:quest/gates/plan", action: "/quests/:quest/gates/plan/changes", party: gatedOf, field: "feedback",
			move: submitted(gatedOf, orchestration.GateDecided{Gate: "plan", Approve: true}), says: "not open (approved)"},
		{at: "/quests/:quest/gates/plan", action: "/quests/:quest/gates/plan/changes", party: gatedOf, field: "feedback", move: submitted(gatedOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/retry", move: submitted(partyOf, orchestration.RetryPressed{Step: "limit"}), says: "not blocked"},
		{at: "/quests/:quest/steps/limit", action: "/runs/quest1-r18/allow", field: "rule", move: submitted(partyOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/skip", field: "reason",
			move: both(submitted(partyOf, orchestration.RetryPressed{Step: "limit"}), func(w *world) { w.party.Start("limit") }), says: "stop its run first"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/resplit", field: "reason",
			move: submitted(partyOf, orchestration.SkipPressed{Step: "limit", Reason: "done by hand"}), says: "Only a step that has started and is not finished"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/take-over",
			move: submitted(partyOf, orchestration.TakeOverPressed{Step: "limit"}), says: "took limit over already"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/mark-done",
			move: both(submitted(partyOf, orchestration.RetryPressed{Step: "limit"}), func(w *world) { w.party.Start("limit") }), says: "is at work on limit"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/retry", field: "instructions",
			move: submitted(partyOf, orchestration.TakeOverPressed{Step: "limit"}), says: "has changed since"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/mark-done", move: blockedAgain, says: "has changed since"},
		{at: "/quests/:quest/steps/requirements", action: "/quests/:quest/steps/requirements/fallback", party: pausedOf,
			move: both(submitted(pausedOf, orchestration.ResumePressed{}), func(w *world) { w.paused.Start(orchestration.StepRequirements) }), says: "waits to be resumed"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/take-over", move: blockedAgain, says: "has changed since"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/skip", field: "reason", move: blockedAgain, says: "has changed since"},
		{at: "/quests/:quest/steps/limit", action: "/quests/:quest/steps/limit/resplit", field: "reason", move: blockedAgain, says: "has changed since"},
		{at: "/quests/:quest/steps/hash", action: "/runs/quest1-r13/message", field: "text",
			move: submitted(partyOf, orchestration.StopPressed{Run: "quest1-r13"}), says: "has changed since"},
		{at: "/quests/:quest/steps/notes", action: "/quests/:quest/steps/notes/undo-skip",
			move: both(submitted(partyOf, orchestration.SkipUndone{Step: "notes"}), func(w *world) { w.party.Start("notes") }), says: "not skipped"},
		{at: "/quests/:quest/steps/audit/edit", action: "/quests/:quest/steps/audit/edit", field: "description",
			move: submitted(partyOf, orchestration.StepEdited{Step: "audit", Title: &other}), says: other},
		{at: "/quests/:quest/steps/routes/edit", action: "/quests/:quest/steps/routes/edit", field: "description", move: func(w *world) { w.party.Start("routes") }, says: "has started"},
		{at: "/quests/:quest/steps/routes", action: "/quests/:quest/steps/routes/priority", move: func(w *world) { w.party.Start("routes") }, says: "its priority counted only until then"},
		{at: "/quests/:quest/settings", action: "/quests/:quest/settings", field: "ward", move: submitted(partyOf, orchestration.QuestEdited{Title: &other}), says: other},
		{at: "/quests/:quest/settings", action: "/quests/:quest/settings", field: "ward", move: submitted(partyOf, abandoned), says: "abandoned"},
		{at: "/quests/new/repository?repo=%2Frepo", action: "/quests/new/trial", field: "request", move: func(w *world) { w.party.Start("routes") }, says: "are working in this folder"},
		{at: "/quests/:quest/settings", action: "/quests/:quest/trial", field: "command", move: func(w *world) { w.party.Start("routes") }, says: "are working in this folder"},
		{at: "/quests/:quest", action: "/quests/:quest/baseline/accept", party: redOf, move: submitted(redOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest/delivery", action: "/quests/:quest/delivery", party: finishedOf, field: "message",
			move: func(w *world) {
				w.trees.DeliverErr = &orchestration.Error{Code: orchestration.CodeConflict, Message: "main has moved on"}
			}, says: "Main has moved on"},
		{at: "/quests/:quest/delivery", action: "/quests/:quest/delivery/leave", party: finishedOf,
			move: submitted(finishedOf, orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}), says: "is merged into main already"},
		{at: "/quests/:quest/kept", action: "/quests/:quest/kept/restore", party: finishedOf,
			move: func(w *world) {
				w.trees.RestoreErr = &orchestration.Error{Code: orchestration.CodeConflict, Message: "there is such a branch already"}
			}, says: "such a branch already"},
		{at: "/drafts/:draft", action: "/quests", field: "request", move: draftEdited, says: "changed in another tab"},
		{at: "/drafts/:draft", action: "/drafts", field: "request", move: draftEdited, says: "changed in another tab"},
		{at: "/settings/limits", action: "/settings/limits", move: set(func(now *record.Settings) { now.Slots = 9 }), says: "changed elsewhere"},
		{at: "/settings/roles/codeweaver", action: "/settings/roles/codeweaver", field: "prompt", move: changedRole, says: "changed elsewhere"},
		{at: "/settings/roles/codeweaver", action: "/settings/roles/codeweaver/tools", move: changedRole, says: "claude-haiku-4-5"},
		{at: "/settings/roles/codeweaver", action: "/settings/roles/codeweaver/reset", move: changedRole, says: "changed elsewhere"},
		{at: "/settings/roles/codeweaver", action: "/settings/roles/codeweaver/undo", move: changedRole, says: "changed elsewhere"},
		{at: "/settings/trust?quest=:quest", action: "/settings/trust", move: func(w *world) { w.repos.Wanted = handlerstest.Repos{}.Wanted }, says: "changed"},
		{at: "/quests/:quest/diff?on=" + commentable, action: "/quests/:quest/comments", party: reviewOf, field: "comment-text", move: submitted(reviewOf, abandoned), says: "abandoned"},
		{at: "/quests/:quest/steps/form/diff?on=" + commentable, action: "/quests/:quest/steps/form/comments", party: reviewOf, field: "comment-text", move: submitted(reviewOf, abandoned), says: "abandoned"},
	}
	run := "quest1-r13"
	stopped := func(w *world) {
		w.party.Exit(run, orchestration.EndCrashed, orchestration.Exit{Code: 1, Why: "it died"})
	}
	return append(slices.Clip(forms),
		stale{at: "/quests/:quest/steps/hash", action: "/runs/" + run + "/stop", move: stopped, says: "has ended already"},
		stale{at: "/quests/:quest/steps/hash", action: "/runs/" + run + "/message", field: "text", move: stopped, says: "continues in its place"})
}

// followed begins a follow-up elsewhere.
func followed(w *world) {
	q, err := w.engine.Quest(context.Background(), w.finished.Quest)
	if err == nil {
		n := q.FollowUp("more", "The other follow-up")
		n.At = w.engine.Now()
		_, err = w.engine.Create(context.Background(), n)
	}
	if err != nil {
		panic(err)
	}
}

// blockedAgain has a blocked step tried again, without luck.
func blockedAgain(w *world) {
	submitted(partyOf, orchestration.RetryPressed{Step: "limit"})(w)
	w.party.Start("limit")
	q, err := w.engine.Quest(context.Background(), w.party.Quest)
	if err != nil {
		panic(err)
	}
	run := q.Step("limit").Run
	submitted(partyOf, orchestration.StopPressed{Run: run})(w)
	w.party.Exit(run, orchestration.EndCrashed, orchestration.Exit{Code: 143, Why: "ended by a signal"})
}

func draftEdited(w *world) {
	d, err := w.drafts.Draft(context.Background(), w.draft)
	if err == nil {
		d.Quest.Request, d.ChangedAt = "What the other tab saved.", time.Unix(0, 0)
		_, err = w.drafts.SaveDraft(context.Background(), d)
	}
	if err != nil {
		panic(err)
	}
}
