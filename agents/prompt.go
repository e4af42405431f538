package agents

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"questboard/orchestration"
)

// PromptFacts holds what a prompt says besides the content of the quest. The prompt
// leaves out empty fields.
type PromptFacts struct {
	// Dir is the run's working directory.
	Dir string
	// RoleText is the user's text for the role, which replaces the built-in one (see
	// CheckRoleText).
	RoleText string
	// RepoText is what the repository adds to the role's part (see CheckAddedText).
	RepoText string
	// Changes describes what is not committed in Dir, for a session that takes over
	// from another (see WantsChanges).
	Changes string
	// WardOutput is the path of the complete output of the run in Brief.OutputOf, as
	// plain text.
	WardOutput string
	// BaselineOutput is the path of the complete output of the check on the base
	// (worktree mode).
	BaselineOutput string
	// SkippedThere are lines of that output which say what was left out, and why.
	SkippedThere []string
	// Map describes the repository (see WantsMap).
	Map RepoMap
	// Allow and Deny are the user's changes to what the role may use.
	Allow, Deny []string
	// Stand says where the step's branch stands (worktree mode).
	Stand Stand
	// Attachments are the files that the user gave with the request.
	Attachments []Attached
}

// Attached is an attachment of the quest as a prompt names it.
type Attached struct {
	orchestration.Attachment
	Path string // absolute; "": its content is missing
}

// Stand says where a step's branch stands.
type Stand struct {
	// Base is the commit that the branch has in common with the quest's branch.
	Base string
	// Missing are the finished steps whose work the branch does not have, each with a
	// commit that has it.
	Missing map[string]string
	// Sizes are how much of each file the whole quest changed (only for the review).
	Sizes []FileSize
}

// FileSize is how much of a file changed.
type FileSize struct {
	File           string
	Added, Removed int // lines; -1: not counted
}

// WantsChanges reports whether the run's prompt lists the uncommitted changes. A fresh
// session that continues the work of another session needs them.
func WantsChanges(r *orchestration.Run) bool {
	if r.ResumedFrom != "" {
		return false
	}
	switch r.Start {
	case orchestration.StartContinuation, orchestration.StartHandoff, orchestration.StartRetry, orchestration.StartInterrupted:
		return true
	default:
		return false
	}
}

//go:embed prompts/*.md
var promptFiles embed.FS

// systemFile is the text of System.
const systemFile = "system.md"

// System writes what every run of a quest is told, whatever its role and its start. It
// becomes a part of the system prompt, so that it stays when a conversation is compacted.
// It is the same for all runs of a quest with the same agent, byte for byte: the model's
// service then reads the beginning of each of their requests from its cache. An error is a
// fault of the program.
func System(q *orchestration.Quest, agent string) (string, error) {
	texts, err := promptTemplates()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	row, _ := rowOf(agent)
	if err := texts.ExecuteTemplate(&b, systemFile, struct {
		Shared           bool
		Ports            int
		Server           string // ours
		Signal, SubAgent string // the names of tools; "": not known
	}{shared(q), q.Ports(), ServerOf(q.ID), strings.Replace(row.signal, "SERVER", ServerOf(q.ID), 1), row.tools["Agent"]}); err != nil {
		return "", fmt.Errorf("write what all runs of quest %s are told: %w", q.ID, err)
	}
	return b.String(), nil
}

// shared reports whether all agents of a quest work in the repository itself.
func shared(q *orchestration.Quest) bool { return q.Workspace != orchestration.WorkspaceWorktree }

// Prompt writes the message to a run, which says what System does not. A resumed session remembers its job, so its prompt
// contains only what is new. The prompt of any other session contains everything. An
// error is a fault of the program, such as a role without a prompt, or of the user's text
// for a role. The content of a quest never causes one.
func Prompt(q *orchestration.Quest, r *orchestration.Run, facts PromptFacts) (string, error) {
	texts, err := promptTemplates()
	if err != nil {
		return "", err
	}
	view := promptOf(q, r, facts)
	parts := []string{firstLine(q, r)}
	for _, name := range sections(r) {
		if name == roleEnds {
			text, err := addedText(r, facts, view)
			if err != nil {
				return "", err
			}
			if text != "" {
				parts = append(parts, text)
			}
			continue
		}
		if facts.RoleText != "" && name == roleFile(r.Role) {
			text, err := usersText(facts.RoleText, view)
			if err != nil {
				return "", fmt.Errorf("write prompt of run %s: the text that the settings have for %s: %w", r.ID, r.Role.Name(), err)
			}
			parts = append(parts, text)
			continue
		}
		if texts.Lookup(name) == nil {
			return "", fmt.Errorf("write prompt of run %s: there is no text %s", r.ID, name)
		}
		var b strings.Builder
		if err := texts.ExecuteTemplate(&b, name, view); err != nil {
			return "", fmt.Errorf("write prompt of run %s: %w", r.ID, err)
		}
		if text := strings.TrimSpace(b.String()); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// roleEnds stands among the sections where the role's part ends, and what the repository
// adds to it comes.
const roleEnds = ""

// sections lists the files that the prompt is made of, in order.
func sections(r *orchestration.Run) []string {
	start := "start-" + string(r.Start) + ".md"
	switch {
	case r.ResumedFrom != "":
		return []string{"ended.md", start, "brief.md", "beside.md", "reminder.md"}
	case r.ForkedFrom != "": // without what the conversation has, but for the request of an errand, which is the task
		task := "step.md"
		if r.Step == orchestration.StepErrand {
			task = "quest.md"
		}
		return []string{
			"forked.md", roleFile(r.Role), roleEnds, "size.md", task, "siege.md", "change.md", "decisions.md", "beside.md", "trees.md", "check.md",
			"base.md",
			"known.md", start, "ended.md", "brief.md", "signals.md",
		}
	}
	return []string{
		roleFile(r.Role), roleEnds, "quest.md", "size.md", "map.md", "requirements.md", "former.md", "step.md", "plan.md", "siege.md",
		"change.md", "decisions.md", "beside.md", "trees.md", "check.md", "base.md",
		"known.md", start, "ended.md", "brief.md", "signals.md",
	}
}

func roleFile(role orchestration.Role) string { return "role-" + string(role) + ".md" }

// firstLine returns the prompt's first line, for logs, scripted models and the
// simulated agent (docs/interfaces.md#the-first-line-of-every-prompt).
func firstLine(q *orchestration.Quest, r *orchestration.Run) string {
	line := fmt.Sprintf("[questboard] quest=%s run=%s role=%s step=%s visit=%d start=%s",
		q.ID, r.ID, r.Role, r.Step, r.Visit, r.Start)
	if q.Size == orchestration.SizeAuto {
		line += " size=" + string(q.Size)
	}
	return line
}

// promptTemplates parses the embedded texts. It parses them again for every prompt: that
// takes a millisecond, and the agent's process needs half a second to start anyway.
func promptTemplates() (*template.Template, error) {
	texts, err := template.New("prompts").Funcs(promptFuncs()).Option("missingkey=error").ParseFS(promptFiles, "prompts/*.md")
	if err != nil {
		return nil, fmt.Errorf("parse prompts: %w", err)
	}
	return texts, nil
}
