package handlers

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
	"questboard/views"
)

// historyGroup is what a person looks for: several types of entries.
type historyGroup struct {
	name, words string
	types       []orchestration.EventType
}

// historyGroups hold each type once.
func historyGroups() []historyGroup {
	return []historyGroup{
		{"signal", "Signals", []orchestration.EventType{orchestration.EventSignalAccepted, orchestration.EventSignalRefused}},
		{"question", "Questions and answers", []orchestration.EventType{orchestration.EventQuestionAsked, orchestration.EventQuestionAnswered, orchestration.EventQuestionClosed}},
		{"gate", "Approvals", []orchestration.EventType{orchestration.EventGateOpened, orchestration.EventGateApproved, orchestration.EventGateSentBack}},
		{"plan", "Requirements and plan", []orchestration.EventType{orchestration.EventRequirementsStored, orchestration.EventRequirementsLocked,
			orchestration.EventPlanStored, orchestration.EventPlanInForce}},
		{"run", "Sessions of agents", []orchestration.EventType{orchestration.EventRunQueued, orchestration.EventRunGranted, orchestration.EventRunStarted,
			orchestration.EventRunEnded, orchestration.EventRunMessaged}},
		{"ward", "Ward", []orchestration.EventType{orchestration.EventWardPassed, orchestration.EventWardFailed,
			orchestration.EventBaselinePassed, orchestration.EventBaselineFailed, orchestration.EventBaselineAccepted}},
		{"step", "Steps", []orchestration.EventType{orchestration.EventStepReady, orchestration.EventStepStage, orchestration.EventStepDone, orchestration.EventStepBlocked,
			orchestration.EventStepSkipped, orchestration.EventStepSuperseded, orchestration.EventStepEdited, orchestration.EventStepRetried}},
		{"merge", "Files and merges", []orchestration.EventType{orchestration.EventFilesChanged, orchestration.EventMergeQueued, orchestration.EventMerged,
			orchestration.EventMergeUpdated, orchestration.EventMergeConflict, orchestration.EventMarkersLeft, orchestration.EventCommentsSent}},
		{"quest", "The whole quest", []orchestration.EventType{orchestration.EventQuestCreated, orchestration.EventQuestEdited, orchestration.EventQuestPaused,
			orchestration.EventQuestResumed, orchestration.EventQuestWaits, orchestration.EventQuestWarned, orchestration.EventQuestAbandoned,
			orchestration.EventQuestCompleted, orchestration.EventQuestDelivered, orchestration.EventQuestLeft, orchestration.EventQuestReopened, orchestration.EventPhaseEntered,
			orchestration.EventUnreadable}},
	}
}

// historyFilter is what the address asks for: ?type= a group or one type,
// ?step=, ?actor=, ?before=SEQ. Nonsense begins at the top.
type historyFilter struct {
	kind, step, actor string
	before, after     int64
}

func readHistoryFilter(v url.Values) historyFilter {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(v.Get(name), 10, 64)
		return max(0, n)
	}
	return historyFilter{kind: strings.TrimSpace(v.Get("type")), step: strings.TrimSpace(v.Get("step")), actor: strings.TrimSpace(v.Get("actor")),
		before: number("before"), after: number("after")}
}

func (f historyFilter) chosen() bool { return f.kind != "" || f.step != "" || f.actor != "" }

func (f historyFilter) events(n int) orchestration.EventFilter {
	out := orchestration.EventFilter{After: f.after, Before: f.before, Line: f.step, Actor: f.actor, Newest: true, N: n}
	if f.kind == "" {
		return out
	}
	out.Types = []orchestration.EventType{orchestration.EventType(f.kind)}
	for _, group := range historyGroups() {
		if group.name == f.kind {
			out.Types = group.types
		}
	}
	return out
}

// query is the filter for an address, with the pairs of name and value behind
// it; empty where nothing is chosen.
func (f historyFilter) query(more ...string) string {
	v := url.Values{}
	pairs := append([]string{"type", f.kind, "step", f.step, "actor", f.actor}, more...)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}

func historyTypes(chosen string) []views.Choice {
	list := []views.Choice{{Words: "Everything", Chosen: chosen == ""}}
	for _, group := range historyGroups() {
		list = append(list, views.Choice{Value: group.name, Words: group.words, Chosen: group.name == chosen})
	}
	return withChosen(list, chosen)
}

func historyActors(chosen string) []views.Choice {
	list := []views.Choice{{Words: "Everybody", Chosen: chosen == ""}, {Value: user, Words: "You", Chosen: chosen == user}}
	for _, role := range orchestration.Roles {
		list = append(list, views.Choice{Value: string(role), Words: roleName(role), Chosen: chosen == string(role)})
	}
	list = append(list, views.Choice{Value: "server", Words: "The server", Chosen: chosen == "server"})
	return withChosen(list, chosen)
}

// withChosen adds a choice that the list does not have: one type, or the name
// of a teammate.
func withChosen(list []views.Choice, chosen string) []views.Choice {
	if !slices.ContainsFunc(list, func(c views.Choice) bool { return c.Chosen }) {
		list = append(list, views.Choice{Value: clean(chosen), Words: clean(chosen), Chosen: true})
	}
	return list
}
