package present

import (
	"cmp"
	"strings"

	"questboard/orchestration"
)

// eventWords says in one line what happened. The page shows the data below it, folded.
func (p *Quest) eventWords(e orchestration.Event) string {
	data := func(name string) string { return p.oneLine(e.Data[name], 160) }
	with := func(words, name string) string {
		if said := data(name); said != "" {
			return words + ": " + said
		}
		return words
	}
	if words, plain := plainEvents()[e.Type]; plain {
		return words
	}
	switch e.Type {
	case orchestration.EventQuestCreated:
		return startedWords(e.Data["file"])
	case orchestration.EventQuestPaused:
		if e.Data["now"] != "" {
			return "Paused; runs were interrupted"
		}
		return "Paused; runs could finish"
	case orchestration.EventQuestWaits:
		return with("The quest waits", "reason")
	case orchestration.EventQuestWarned:
		return Sentence(data("why"))
	case orchestration.EventPhaseEntered:
		return with("Next phase", "phase")
	case orchestration.EventRequirementsStored:
		return with("Requirements written", "count")
	case orchestration.EventGateOpened:
		return p.openedWords(e.Step, e.Data["size"]) + "."
	case orchestration.EventGateApproved:
		return gateName(e) + " approved"
	case orchestration.EventGateSentBack:
		return with(gateName(e)+" sent back", "feedback")
	case orchestration.EventSizeSet:
		if data("reason") != "" {
			return with("Size: "+data("size")+", because", "reason")
		}
		return "Size: " + data("size")
	case orchestration.EventQuestGrew:
		return with("The errand became a larger quest", "reason")
	case orchestration.EventPlanStored:
		return "Plan drafted: " + stepsWords(data("steps"))
	case orchestration.EventPlanInForce:
		return planWords(e.Data)
	case orchestration.EventStepStage:
		return "Next: " + RoleName(orchestration.Role(data("stage")))
	case orchestration.EventStepBlocked:
		return with("Blocked", "reason")
	case orchestration.EventStepSkipped:
		if data("reason") == "" {
			return "Skipped, no reason given"
		}
		return with("Skipped", "reason")
	case orchestration.EventStepYours:
		return with("Taken over by a person", "reason")
	case orchestration.EventQuestEdited:
		return "The quest's settings were changed" + newPriority(data("priority"))
	case orchestration.EventStepEdited:
		return with("Step changed"+newPriority(data("priority")), "why")
	case orchestration.EventStepRetried:
		if e.Data["fresh"] != "" {
			return with("Retried in a new session", "instructions")
		}
		return with("Retried", "instructions")
	case orchestration.EventCommentsSent:
		return with("Comments on the diff sent", "count")
	case orchestration.EventChangeRequested:
		return with("The requirements are changed", "text")
	case orchestration.EventStepSuperseded:
		if e.Data["grew"] != "" {
			return "The errand is over; its work is kept"
		}
		if e.Data["leftOut"] != "" {
			return "Left out by the new plan"
		}
		return "Replaced by other steps"
	case orchestration.EventQuestMoved:
		return with("Moved to "+data("host"), "why")
	case orchestration.EventQuestDelivered:
		return with("Quest merged into "+data("branch"), "how")
	default:
		return p.workWords(e, data, with)
	}
}

// workWords words the events of agents, ward and git.
func (p *Quest) workWords(e orchestration.Event, data func(string) string, with func(words, name string) string) string {
	switch e.Type {
	case orchestration.EventRunQueued:
		return RoleName(orchestration.Role(e.Data["role"])) + " queued: " + startWords(orchestration.StartKind(e.Data["start"]))
	case orchestration.EventRunGranted:
		if data("slot") == "" {
			return "Check may start"
		}
		if agent, whose := data("agent"), data("inPlaceOf"); agent != "" || whose != "" {
			to := with("Slot assigned", "slot") + ", to " + cmp.Or(agent, clean(p.q.Agent))
			if whose != "" {
				to += " for " + whose
			}
			return to
		}
		if from := p.q.Run(e.Data["forkedFrom"]); from != nil {
			return with("Slot assigned", "slot") + ", goes on from the conversation of " + runName(from)
		}
		return with("Slot assigned", "slot")
	case orchestration.EventRunStarted:
		return with("Process started", "pid")
	case orchestration.EventRunEnded:
		return with("Process ended", "why")
	case orchestration.EventRunFallback:
		return "Goes on with " + data("agent") + ", in a new session, for " + data("inPlaceOf")
	case orchestration.EventRunMessaged:
		return with("Message to the agent", "text")
	case orchestration.EventSignalAccepted:
		said := reportOf(orchestration.SignalKind(e.Data["signal"]), orchestration.Role(e.Data["targetRole"]))
		return with(Sentence(said), signalField(e.Data["signal"]))
	case orchestration.EventSignalRefused:
		return with("A late report was refused", "why")
	case orchestration.EventReviewRound:
		return "Round " + data("round") + " of " + data("of") + " of the review: the work has changed since the last look"
	case orchestration.EventWardPassed:
		if e.Data["none"] != "" {
			return "Not checked: there is no check command"
		}
		if e.Data["reused"] != "" {
			return "Not checked again: nothing has changed since the check passed"
		}
		return "Check passed"
	case orchestration.EventWardFailed:
		return with("Check failed", "why")
	case orchestration.EventMerged:
		return "Merged into the quest's branch as " + short(data("commit"))
	case orchestration.EventBeforeMergePassed:
		return "Command before the merge passed"
	case orchestration.EventBeforeMergeFailed:
		return with("Command before the merge failed", "why")
	case orchestration.EventMergeConflict:
		return with("Merge conflicts", "files")
	case orchestration.EventMarkersLeft:
		return with("Conflict markers were left", "files")
	case orchestration.EventFilesChanged:
		return with("Files changed", "files")
	case orchestration.EventBaselinePassed:
		return "Check passed before the first step"
	case orchestration.EventBaselineFailed:
		return with("Check failed before the first step", "why")
	case orchestration.EventBaselineAccepted:
		return "Failures before the first step were accepted"
	case orchestration.EventQuestionAsked:
		return with("Asks", "text")
	case orchestration.EventQuestionAnswered:
		return with("Answered", "answer")
	case orchestration.EventCallAllowed:
		return with("A call passed that you had allowed: "+data("tool"), "call")
	case orchestration.EventRuleAllowed:
		return with("Allowed from now on, for the "+data("for"), "rule")
	case orchestration.EventQuestionClosed:
		return with("The question was closed", "why")
	default:
		return clean(string(e.Type))
	}
}

// startWords says why a run starts.
func startWords(k orchestration.StartKind) string {
	switch k {
	case orchestration.StartFresh:
		return "a new session"
	case orchestration.StartContinuation:
		return "a new session continues the work"
	case orchestration.StartFollowup:
		return "another role calls it"
	case orchestration.StartAnswer:
		return "the answer has come"
	case orchestration.StartFollowupDone:
		return "the role that it called has reported"
	case orchestration.StartFeedback:
		return "its document was sent back"
	case orchestration.StartNudge:
		return "it ended without a report"
	case orchestration.StartInterrupted:
		return "it was interrupted"
	case orchestration.StartRetry:
		return "another try"
	case orchestration.StartMessage:
		return "a message for it"
	case orchestration.StartHandoff:
		return "a new session takes over from another one"
	case orchestration.StartChange:
		return "the requirements change"
	default:
		return clean(string(k))
	}
}

// startedWords tells of a quest's start, and whether the repository's own file counts.
func startedWords(file string) string {
	switch file {
	case "":
		return "Quest started"
	case "counts":
		return "Quest started, with the repository's own file"
	case "faulty":
		return "Quest started; the repository's own file has a fault and does not count"
	default:
		return "Quest started; the repository's own file is not trusted and does not count"
	}
}

// plainEvents are the events whose words never vary.
func plainEvents() map[orchestration.EventType]string {
	return map[orchestration.EventType]string{
		orchestration.EventQuestResumed:       "Resumed",
		orchestration.EventQuestAbandoned:     "Abandoned",
		orchestration.EventQuestCompleted:     "Complete",
		orchestration.EventQuestReopened:      "Reopened",
		orchestration.EventQuestLeft:          "The work was left on its branch",
		orchestration.EventRequirementsLocked: "Requirements locked",
		orchestration.EventStepReady:          "Ready: waits for a slot",
		orchestration.EventStepDone:           "Step done",
		orchestration.EventStepByHand:         "Marked done, by hand",
		orchestration.EventSkipUndone:         "The skip was undone",
		orchestration.EventMergeQueued:        "Queued to merge",
		orchestration.EventMergeUpdated:       "Updated from the quest's branch",
		orchestration.EventUnreadable:         "This entry cannot be read: it is damaged in the database",
	}
}

// newPriority tells of a priority that was changed.
func newPriority(word string) string {
	if word == "" {
		return ""
	}
	return "; its priority is " + word
}

func stepWords(step string) string {
	if step == orchestration.StepPlan {
		return "Plan"
	}
	return "Requirements"
}

// openedWords says which gate was opened, and gateName what it is about.
func (p *Quest) openedWords(gate, size string) string {
	if size == string(orchestration.SizeErrand) {
		return "The size waits for " + p.approver() + " approval"
	}
	return p.documentWords(gate)
}

func gateName(e orchestration.Event) string {
	if e.Data["size"] == string(orchestration.SizeErrand) {
		return "Errand"
	}
	return stepWords(e.Step)
}

// planWords distinguishes a first plan from a changed one.
func planWords(data map[string]string) string {
	if steps := data["steps"]; steps != "" {
		return "Plan adopted: " + stepsWords(clean(steps))
	}
	var parts []string
	for _, name := range []string{"added", "changed"} {
		if n := data[name]; n != "" && n != "0" {
			parts = append(parts, stepsWords(clean(n))+" "+name)
		}
	}
	if n := data["leftOut"]; n != "" {
		parts = append(parts, stepsWords(clean(n))+" left out")
	}
	if len(parts) == 0 {
		return "The plan stays as it is"
	}
	return "Plan changed: " + strings.Join(parts, ", ")
}

// stepsWords tells a number of steps.
func stepsWords(n string) string {
	switch n {
	case "":
		return "steps"
	case "1":
		return "1 step"
	default:
		return n + " steps"
	}
}

// signalField names the most important field of a signal.
func signalField(kind string) string {
	for _, f := range orchestration.FieldsOf(orchestration.SignalKind(kind)) {
		if f.Prose {
			return f.Name
		}
	}
	return ""
}
