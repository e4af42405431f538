package present

import (
	"strings"

	"questboard/orchestration"
)

// eventWords says in one line what happened. What data says in full stands
// below it, folded.
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
	case orchestration.EventQuestPaused:
		if e.Data["now"] != "" {
			return "Paused; what ran was interrupted"
		}
		return "Paused; what ran could finish"
	case orchestration.EventQuestWaits:
		return with("The quest waits", "reason")
	case orchestration.EventQuestWarned:
		return Sentence(data("why"))
	case orchestration.EventPhaseEntered:
		return with("Next phase", "phase")
	case orchestration.EventRequirementsStored:
		return with("Requirements written", "count")
	case orchestration.EventGateOpened:
		return gateWords(e.Line)
	case orchestration.EventGateApproved:
		return lineWords(e.Line) + " approved"
	case orchestration.EventGateSentBack:
		return with(lineWords(e.Line)+" sent back", "feedback")
	case orchestration.EventPlanStored:
		return with("Plan drafted, steps", "steps")
	case orchestration.EventPlanInForce:
		return planWords(e.Data)
	case orchestration.EventStepStage:
		return "Goes on to " + RoleName(orchestration.Role(data("stage")))
	case orchestration.EventStepBlocked:
		return with("Blocked", "reason")
	case orchestration.EventStepSkipped:
		if data("reason") == "" {
			return "Skipped, no reason given"
		}
		return with("Skipped", "reason")
	case orchestration.EventStepEdited:
		return with("Step changed", "why")
	case orchestration.EventStepRetried:
		if e.Data["fresh"] != "" {
			return "Retried in a new session"
		}
		return "Retried"
	case orchestration.EventCommentsSent:
		return with("Comments on the diff sent", "count")
	case orchestration.EventQuestDelivered:
		return with("Delivered to "+data("branch"), "how")
	default:
		return p.workWords(e, data, with)
	}
}

// workWords are those of what agents, ward and git did.
func (p *Quest) workWords(e orchestration.Event, data func(string) string, with func(words, name string) string) string {
	switch e.Type {
	case orchestration.EventRunQueued:
		return RoleName(orchestration.Role(e.Data["role"])) + " is to begin (" + data("start") + ")"
	case orchestration.EventRunGranted:
		return with("Got a slot", "slot")
	case orchestration.EventRunStarted:
		return with("Started, process", "pid")
	case orchestration.EventRunEnded:
		return with("Ended "+data("outcome"), "why")
	case orchestration.EventRunMessaged:
		return with("Message to the agent", "text")
	case orchestration.EventSignalAccepted:
		return with("Signal "+data("signal"), signalField(e.Data["signal"]))
	case orchestration.EventSignalRefused:
		return with("Signal "+data("signal")+" refused", "why")
	case orchestration.EventWardPassed:
		if e.Data["none"] != "" {
			return "Ward had nothing to run: there is no check command"
		}
		return with("Ward passed", "why")
	case orchestration.EventWardFailed:
		return with("Ward failed", "why")
	case orchestration.EventMerged:
		return "Merged as " + short(data("commit"))
	case orchestration.EventMergeConflict:
		return with("Merging found conflicts", "files")
	case orchestration.EventMarkersLeft:
		return with("Conflict markers were left", "files")
	case orchestration.EventFilesChanged:
		return with("Files changed", "files")
	case orchestration.EventBaselinePassed:
		return with("Ward passed before the first step", "why")
	case orchestration.EventBaselineFailed:
		return with("Ward failed before the first step", "why")
	case orchestration.EventBaselineAccepted:
		return "What failed before the first step was accepted"
	case orchestration.EventQuestionAsked:
		return with("Asks", "text")
	case orchestration.EventQuestionAnswered:
		return with("Answered", "answer")
	case orchestration.EventQuestionClosed:
		return with("The question was closed", "why")
	default:
		return clean(string(e.Type))
	}
}

// plainEvents are those that always read the same.
func plainEvents() map[orchestration.EventType]string {
	return map[orchestration.EventType]string{
		orchestration.EventQuestCreated:       "Quest begun",
		orchestration.EventQuestEdited:        "The quest's settings were changed",
		orchestration.EventQuestResumed:       "Resumed",
		orchestration.EventQuestAbandoned:     "Abandoned",
		orchestration.EventQuestCompleted:     "Complete",
		orchestration.EventQuestReopened:      "Open again",
		orchestration.EventQuestLeft:          "The work was left on its branch",
		orchestration.EventRequirementsLocked: "The requirements are settled",
		orchestration.EventStepReady:          "Ready: waits for a slot",
		orchestration.EventStepDone:           "Step done",
		orchestration.EventStepSuperseded:     "Replaced by other steps",
		orchestration.EventMergeQueued:        "Waits for its turn to be merged",
		orchestration.EventMergeUpdated:       "Brought up to date with the quest's branch",
		orchestration.EventUnreadable:         "This entry cannot be read: what is stored of it is damaged",
	}
}

func lineWords(line string) string {
	if line == orchestration.LinePlan {
		return "Plan"
	}
	return "Requirements"
}

// planWords tells a first plan from what a re-split changed.
func planWords(data map[string]string) string {
	if steps := data["steps"]; steps != "" {
		return "Plan in force, steps: " + clean(steps)
	}
	var parts []string
	for _, name := range []string{"added", "changed"} {
		if n := data[name]; n != "" && n != "0" {
			parts = append(parts, clean(n)+" "+name)
		}
	}
	return "Plan changed: steps " + strings.Join(parts, ", ")
}

// signalField is what of a signal says most.
func signalField(kind string) string {
	for _, f := range orchestration.FieldsOf(orchestration.SignalKind(kind)) {
		if f.Prose {
			return f.Name
		}
	}
	return ""
}
