package orchestration

import "time"

// Event is one entry of a quest's history. It tells what has happened.
type Event struct {
	Seq   int64 // 1, 2, 3 … within the quest
	At    time.Time
	Actor string // a role, "user", a teammate's name, or "server"
	Type  EventType
	Step  string // step id, or requirements, plan, review; may be empty
	Run   string // may be empty
	Data  map[string]string
}

// EventType names what happened. The names are stored, so they never change.
type EventType string

const (
	EventQuestCreated       EventType = "quest.created"
	EventQuestEdited        EventType = "quest.edited"
	EventQuestPaused        EventType = "quest.paused"
	EventQuestResumed       EventType = "quest.resumed"
	EventQuestWaits         EventType = "quest.waits"  // data: kind, reason
	EventQuestWarned        EventType = "quest.warned" // 80 % of the budget
	EventQuestAbandoned     EventType = "quest.abandoned"
	EventQuestCompleted     EventType = "quest.completed"
	EventPhaseEntered       EventType = "phase.entered" // data: phase
	EventRequirementsStored EventType = "requirements.stored"
	EventRequirementsLocked EventType = "requirements.locked"
	EventGateOpened         EventType = "gate.opened"    // data: gate, size (errand: the gate is about it)
	EventGateApproved       EventType = "gate.approved"  // data: gate, size
	EventGateSentBack       EventType = "gate.sent-back" // data: gate, size, feedback, document (Written, as JSON)
	EventPlanStored         EventType = "plan.stored"    // a draft
	EventPlanInForce        EventType = "plan.in-force"
	EventStepReady          EventType = "step.ready"
	EventStepStage          EventType = "step.stage" // data: stage
	EventStepDone           EventType = "step.done"
	EventStepBlocked        EventType = "step.blocked" // data: kind, reason
	EventStepSkipped        EventType = "step.skipped"
	EventSkipUndone         EventType = "step.skip-undone"
	EventStepYours          EventType = "step.yours"   // data: by, reason (what did not pass)
	EventStepByHand         EventType = "step.by-hand" // data: by
	EventStepSuperseded     EventType = "step.superseded"
	EventStepEdited         EventType = "step.edited"
	EventStepRetried        EventType = "step.retried"
	EventRunQueued          EventType = "run.queued"   // data: role, start
	EventRunGranted         EventType = "run.granted"  // data: slot
	EventRunStarted         EventType = "run.started"  // data: pid
	EventRunEnded           EventType = "run.ended"    // data: outcome, why
	EventRunFallback        EventType = "run.fallback" // data: agent, inPlaceOf (a person's choice)
	EventRunMessaged        EventType = "run.messaged"
	EventSignalAccepted     EventType = "signal.accepted" // data: the payload's fields
	EventSignalRefused      EventType = "signal.refused"  // of a run that is over
	EventWardPassed         EventType = "ward.passed"     // data: why, reused, none (no check command)
	EventWardFailed         EventType = "ward.failed"
	EventReviewRound        EventType = "review.round" // data: round, of
	EventMergeQueued        EventType = "merge.queued"
	EventMerged             EventType = "merge.done" // data: commit
	EventMergeUpdated       EventType = "merge.updated"
	EventBeforeMergePassed  EventType = "merge.allowed"      // data: why (the command before a merge passed)
	EventBeforeMergeFailed  EventType = "merge.refused"      // data: why, files (that it changed)
	EventMergeConflict      EventType = "merge.conflict"     // data: files
	EventMarkersLeft        EventType = "merge.markers-left" // data: files
	EventFilesChanged       EventType = "files.changed"      // data: count, files, undeclared, undone
	EventBaselinePassed     EventType = "baseline.passed"
	EventBaselineFailed     EventType = "baseline.failed"   // data: why, known (how many)
	EventBaselineAccepted   EventType = "baseline.accepted" // data: known
	EventCommentsSent       EventType = "comments.sent"     // data: text
	EventQuestDelivered     EventType = "quest.delivered"   // data: how, branch, commit
	EventQuestLeft          EventType = "quest.left"        // the work stays on its branch
	EventQuestMoved         EventType = "quest.moved"       // data: from, host, why
	EventQuestReopened      EventType = "quest.reopened"
	EventChangeRequested    EventType = "requirements.reopened" // data: text
	EventSizeSet            EventType = "size.set"              // data: size, reason
	EventQuestGrew          EventType = "quest.grew"            // data: reason
	EventQuestionAsked      EventType = "question.asked"
	EventQuestionAnswered   EventType = "question.answered"
	EventQuestionClosed     EventType = "question.closed"
	EventCallAllowed        EventType = "call.allowed" // data: tool, call, rule, question
	EventRuleAllowed        EventType = "rule.allowed" // data: rule, for
	// EventUnreadable replaces an entry that cannot be read; data: type (if it is
	// known), why.
	EventUnreadable EventType = "history.unreadable"
)
