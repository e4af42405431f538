package signalback

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"questboard/agents"
	"questboard/orchestration"
)

// The schemas are flat objects, because the Messages API refuses oneOf, anyOf and allOf
// at the top level. The descriptions say what the schemas cannot. They are written for
// the model.

// schema is one JSON schema. It is a map, because JSON Schema defines its keys.
type schema map[string]any

func closed(required []string, properties schema) schema {
	return schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func text(description string) schema { return schema{"type": "string", "description": description} }

func texts(description string) schema {
	return schema{"type": "array", "items": schema{"type": "string"}, "description": description}
}

func oneOf(description string, values ...string) schema {
	return schema{"type": "string", "enum": values, "description": description}
}

func tool(name, description string, input schema) mcp.Tool {
	raw, err := json.Marshal(input)
	if err != nil {
		panic("schema of " + name + ": " + err.Error()) // cannot fail: only strings, lists and maps
	}
	t := mcp.NewToolWithRawSchema(name, description, raw)
	// Some programs ask about, or refuse, a tool that does not say that it is harmless.
	reads, no := strings.HasPrefix(name, "get-"), false
	t.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &reads, DestructiveHint: &no, OpenWorldHint: &no}
	return t
}

func signalBackTool() mcp.Tool {
	signals := kinds()
	return tool("signal-back",
		"Report how your work ended. This is the last thing you do: after it is stored, end your turn. "+
			"Every run must call it once. It is also the only way to ask the human or to hand over to another role. "+
			"Each signal takes its own fields, named in their descriptions; leave the others out.",
		closed([]string{"stepId"}, schema{
			"signal": oneOf("What happened, always needed. complete: your job is done. partially-complete: your context window is nearly full "+
				"and a fresh session must go on. "+
				"needs-user-input: only the human can decide. needs-role-followup: another role must act. Your prompt says which of these your "+
				"role may send.", signals...),
			"type":    oneOf("Another name of signal. Leave it out.", signals...),
			"stepId":  text("The stepId of your run, exactly as your prompt names it."),
			"summary": text("complete: what was accomplished, in one to five sentences that the next role can work with. Name the files."),
			"evidence": schema{"type": "array", "description": "complete of siegemaster for its step or the whole, and of lawbringer for the " +
				"review: one entry for each observable that your prompt names as yours to prove. " +
				"Leave it out where your prompt names none.", "items": closed(
				[]string{"observable", "kind", "how"}, schema{
					"observable": text("The id of the observable."),
					"kind":       oneOf("How it was proven; unproven if it was not.", stringsOf(orchestration.EvidenceKinds)...),
					"how": schema{"type": "string", "maxLength": orchestration.EvidenceMost,
						"description": "command: the command line and its exit code, and what it showed. test: the name of the test alone, as it stands " +
							"in the source; " +
							"the server looks for it in the tree. place: FILE:LINE, of the tree. unproven: why."},
				})},
			"progress":          text("partially-complete: what is done so far, and what was found out that the files do not show."),
			"continuationPoint": text("partially-complete: where to go on, exactly: file, function, next action."),
			"question": text("needs-user-input: all that you have to ask, numbered if it is more than one thing; each can be answered " +
				"without reading the code. Offer choices where there are any."),
			"context": text("needs-user-input: why you ask and what depends on the answer. needs-role-followup: all that the other role must " +
				"know; it does not see your conversation."),
			"wall": oneOf("needs-user-input of siegemaster and lawbringer, needed there: what of the environment stops you. Other roles "+
				"leave it out.", stringsOf(orchestration.Walls)...),
			"targetRole": oneOf("needs-role-followup: who must act; not your own role.", stringsOf(orchestration.TargetsOf(""))...),
			"reason":     text("needs-role-followup: in one sentence, why that role is needed."),
			"resume": schema{"type": "boolean", "description": "needs-role-followup, needed: true = your job is not done, and you are resumed " +
				"in this session when that role is done; " +
				"false = that role takes over and the flow goes on without you. A codeweaver sends false to pathseeker, or when its job is done: " +
				"with files of its step changed and a siege of the step to come. In a review false is no verdict: a fresh lawbringer looks again."},
			"findings": schema{"type": "array", "description": "complete and needs-role-followup of lawbringer in the review: what you found, " +
				"one entry each; at most 50. The human sees them, with who mended each.", "items": closed(
				[]string{"what"}, schema{
					"what":  text("What is wrong, and what would be right, in a sentence or two."),
					"where": text("The file and line, such as api/links.go:41. Leave it out if it has no single place."),
				})},
		}))
}

func getQuestTool() mcp.Tool {
	return tool("get-quest",
		"Read the quest you work for, as compact JSON. It changes nothing. Your first message holds what your job needs: "+
			"ask only for a part that you miss, or after a compaction.",
		closed([]string{}, schema{
			"part": oneOf("Left out: an overview with the request and every step's stage. requirements: all requirements with their observables. "+
				"plan: all steps whole, with what was reported and changed. step: your own step with the observables it must satisfy, and what was "+
				"reported and changed for its dependencies. "+
				"history: what the runs before you on this step signalled, and the human's answers. "+
				"decisions: what people decided in the whole quest, the newest last. "+
				"contract: your role, your stepId, what you may signal and what you may use.", parts...),
		}))
}

func setSizeTool() mcp.Tool {
	return tool("set-size",
		"For ChaosWhisperer alone, first of all where the human chose no size. Say how much of the process the quest needs. "+
			"It moves nothing, and until your first complete the last call counts; after that the quest only grows. A size that the human "+
			"chose wins.",
		closed([]string{"size", "reason"}, schema{
			"size": oneOf("errand: one agent does the request itself, then come the check and the merge; no requirements, no plan, no siege, no "+
				"review. "+
				"quick: short requirements, and one siege of the whole at the end. full: every role, and a siege of each step.",
				stringsOf(orchestration.Sizes[1:])...),
			"reason": text("In one or two sentences, why it is of this size, by what you saw. The human reads it."),
		}))
}

func setRequirementsTool() mcp.Tool {
	return tool("set-requirements",
		"For ChaosWhisperer alone. Store the BDD requirements of the quest. Each call replaces all of them. They can be changed until they "+
			"are locked.",
		closed([]string{"requirements"}, schema{
			"title": schema{"type": "string", "maxLength": orchestration.TitleMost,
				"description": "What is to be done, in a few words and as an order, such as Let share links expire: one line. " +
					"The board, commits and the pull request are named after it, unless the human gave a title."},
			"requirements": schema{"type": "array", "minItems": 1, "description": "All requirements of the quest.", "items": closed(
				[]string{"id", "context", "observables"}, schema{
					"id":      text("A short slug, unique in the quest, such as login-fails."),
					"context": text("GIVEN: the situation in which it holds."),
					"trigger": text("WHEN: what happens. Leave it out where the context alone is enough."),
					"observables": schema{"type": "array", "minItems": 1, "description": "THEN: what can be seen from outside, one thing each.",
						"items": closed(
							[]string{"id", "text"}, schema{
								"id":   text("A short slug, unique in the quest; steps refer to it."),
								"text": text("One thing that can be observed and checked."),
							})},
				})},
		}))
}

// sharedFiles is the rule about files that several steps name. PathSeeker's text has the
// same words.
const sharedFiles = "Two steps that share a file wait for each other where agents share one folder; where each has a tree of its own " +
	"they run side by side, and end in a conflict if they change the same lines"

func planStepsTool() mcp.Tool {
	return tool("plan-steps",
		"For PathSeeker alone. Store the steps of the plan as a draft. Each call replaces your earlier draft. The draft comes into force "+
			"when you signal complete. All faults are told in one answer.",
		closed([]string{"steps"}, schema{
			"steps": schema{"type": "array", "description": "The steps; when you re-split, only those that are new or changed; after a change " +
				"of the requirements, all that nobody has begun.", "items": closed(
				[]string{"id", "title", "description", "files", "dependsOn", "observables"}, schema{
					"id": text("A short slug, unique in the quest, such as parse-config. Not " + strings.Join(orchestration.QuestWideSteps,
						", ") + ", " + orchestration.StepErrand + "."),
					"title":       text("A few words for the card on the board."),
					"description": text("What to do, complete in itself: the codeweaver who does it sees this and the repository, not your conversation."),
					"files":       texts("Every file that the step creates or changes, as paths relative to the repository. " + sharedFiles + "."),
					"dependsOn":   texts("Ids of the steps that must be done before this one can start. No cycles."),
					"observables": texts("Ids of the observables that this step satisfies. Every observable of the requirements is in a step, in " +
						"review or in uncovered."),
					"minutes": schema{"type": "number", "minimum": 0,
						"description": "Your estimate of the work in minutes. Optional; only the order of work looks at it."},
					"risk": oneOf("How much a mistake would cost. low: text, names, mechanical work. normal: the same as to leave it out. "+
						"high: security, data, concurrency, public interfaces. It says which steps get a siege.", stringsOf(orchestration.Risks)...),
					"riskReason": text("Why the risk is low or high; needed there."),
					"replaces": text("Only when you were called for a step: its id, on each new step that takes its place. Steps that depended on it " +
						"then depend on these; " +
						"your other new steps hold nobody up."),
				})},
			"replaces": text("Only when you were called for a step: its id, if all new steps take its place. With replaces on single steps, " +
				"leave it out."),
			"review": texts("Ids of the observables that can be proven only on the whole, after all steps: Lawbringer proves them, and no step " +
				"has them."),
			"uncovered": schema{"type": "array", "description": "Observables that the plan leaves out. The human sees them, with your reasons.",
				"items": closed(
					[]string{"observable", "why"}, schema{
						"observable": text("Its id. No step has it, and it is not in review."),
						"why":        text("Why nothing covers it."),
					})},
		}))
}

func permitTool() mcp.Tool {
	return tool(agents.PermitTool,
		"For the agent's program alone: may this run make a call that nothing allows?",
		closed([]string{"tool_name", "input"}, schema{
			"tool_name":   text("The tool that the model calls."),
			"input":       schema{"type": "object", "description": "The input of that call."},
			"tool_use_id": text("The id of that call. Nothing depends on it."),
		}))
}
