package signalback

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"questboard/agents"
	"questboard/failpoint"
	"questboard/orchestration"
)

// foreign refuses a tool that belongs to another role, or returns nil. Every role sees
// every tool, so that all requests of a quest begin with the same bytes.
func foreign(c caller, tool string) *mcp.CallToolResult {
	owner := orchestration.ToolOwner(tool)
	if owner == c.run.Role {
		return nil
	}
	return mcp.NewToolResultError("Refused, nothing changed: " + tool + " belongs to " + string(owner) +
		", and your role is " + string(c.run.Role) + ". Of these tools you may call " + strings.Join(agents.RightsOf(c.run.Role).Own, ", ") + ".")
}

func (e *endpoint) signalBack(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	signal, faults := DecodeSignal(req.Params.RawArguments)
	if len(faults) > 0 {
		return malformed(faults), nil
	}
	input := orchestration.SignalReceived{Run: c.run.ID, Signal: signal}
	var q *orchestration.Quest
	err := failpoint.At(failpoint.SignalReceived)
	if err == nil {
		q, err = e.quests.Submit(ctx, c.quest.ID, string(c.run.Role), input)
	}
	if err == nil {
		err = failpoint.At(failpoint.SignalStored)
	}
	if err != nil {
		return refused(c, "signal-back", err), nil
	}
	if signal.TargetRole == orchestration.PathSeeker &&
		slices.ContainsFunc(q.Changes, func(change orchestration.Change) bool { return change.Grew == c.run.Step }) {
		return mcp.NewToolResultText(grewWords), nil
	}
	return mcp.NewToolResultText(accepted(signal)), nil
}

// grewWords answers the signal with which an errand became a larger quest.
const grewWords = "Stored. The quest becomes full: its requirements and a plan are written now, and resume is not honoured. " +
	"What you changed is kept. Your run is over: do nothing more and end your turn now."

// accepted returns the answer to an accepted signal. It depends only on the signal, so
// that a repeated call gets the same answer.
func accepted(s orchestration.Signal) string {
	switch s.Kind {
	case orchestration.PartiallyComplete:
		return "Stored. A fresh session goes on from your continuationPoint. Your run is over: call no further tool and end your turn now."
	case orchestration.NeedsUserInput:
		return "Stored. The human has your question; this session is resumed with the answer. Do nothing more and end your turn now."
	case orchestration.NeedsRoleFollowup:
		if s.StepID == orchestration.StepReview && s.Resume != nil && *s.Resume {
			return "Stored. " + string(s.TargetRole) + " acts now; this session is resumed when that is done, unless a last round of the review " +
				"began. Do nothing more and end your turn now."
		}
		if s.Resume != nil && *s.Resume {
			return "Stored. " + string(s.TargetRole) + " acts now; this session is resumed when that is done. Do nothing more and end your turn now."
		}
		return "Stored. " + string(s.TargetRole) + " takes over. Your run is over: do nothing more and end your turn now."
	default:
		return "Stored. Your run is over: call no further tool and end your turn now."
	}
}

func (e *endpoint) setSize(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	if no := foreign(c, "set-size"); no != nil {
		return no, nil
	}
	input, faults := DecodeSize(req.Params.RawArguments)
	if len(faults) > 0 {
		return malformed(faults), nil
	}
	input.Run = c.run.ID
	q, err := e.quests.Submit(ctx, c.quest.ID, string(c.run.Role), input)
	if err != nil {
		return refused(c, "set-size", err), nil
	}
	return mcp.NewToolResultText(sized(q)), nil
}

// sized returns the answer to an accepted set-size. It depends only on the quest, so that
// a repeated call gets the same answer.
func sized(q *orchestration.Quest) string {
	size := string(q.Size)
	switch {
	case q.SizedBy != "":
		return "Stored: " + size + ". Go on: " + sizeWords[q.Size]
	case slices.ContainsFunc(q.Changes, func(c orchestration.Change) bool { return c.Grew != "" }):
		return "The quest has grown, so it is " + size + ". Go on with that: " + sizeWords[q.Size]
	default:
		return "The human chose " + size + ". Go on with that: " + sizeWords[q.Size]
	}
}

// sizeWords say what ChaosWhisperer does next in a quest of a size.
var sizeWords = map[orchestration.Size]string{
	orchestration.SizeErrand: "call signal-back with signal complete. Its summary says what you saw, for the one who does the work: " +
		"files, lines, what to watch for. No requirements are needed.",
	orchestration.SizeQuick: "store short requirements with set-requirements, at most three observables each, then call signal-back with " +
		"signal complete.",
	orchestration.SizeFull: "store the requirements with set-requirements, then call signal-back with signal complete.",
}

func (e *endpoint) setRequirements(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	if no := foreign(c, "set-requirements"); no != nil {
		return no, nil
	}
	input, faults := DecodeRequirements(req.Params.RawArguments)
	if len(faults) > 0 {
		return malformed(faults), nil
	}
	input.Run = c.run.ID
	if _, err := e.quests.Submit(ctx, c.quest.ID, string(c.run.Role), input); err != nil {
		return refused(c, "set-requirements", err), nil
	}
	stored := "Stored. Go on:"
	if len(c.quest.Requirements) > 0 {
		stored = "Stored; it replaces what was stored before. Go on:"
	}
	return mcp.NewToolResultText(stored + " set them again to change them, or call signal-back with signal complete when they are whole."), nil
}

func (e *endpoint) planSteps(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	if no := foreign(c, "plan-steps"); no != nil {
		return no, nil
	}
	draft, faults := DecodePlan(req.Params.RawArguments)
	if len(faults) > 0 {
		return malformed(faults), nil
	}
	input := orchestration.PlanDrafted{Run: c.run.ID, Draft: draft}
	if _, err := e.quests.Submit(ctx, c.quest.ID, string(c.run.Role), input); err != nil {
		return refused(c, "plan-steps", err), nil
	}
	stored := "Stored as a draft; it"
	if c.run.Draft != nil {
		stored = "Stored as a draft; it replaces your earlier draft and"
	}
	return mcp.NewToolResultText(stored + " comes into force with your signal complete. Go on: call plan-steps again to change it, or " +
		"signal-back when it is whole."), nil
}

func (e *endpoint) getQuest(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	if c.over() {
		return mcp.NewToolResultError("Refused: this run is over; stop now."), nil
	}
	part, faults := decodePart(req.Params.RawArguments)
	if len(faults) > 0 {
		return malformed(faults), nil
	}
	if part == partContract {
		return mcp.NewToolResultText(e.contract(c)), nil
	}
	return mcp.NewToolResultText(describe(c, part)), nil
}
