package orchestration

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// DeniedCall is a tool call that was refused, and nobody was asked.
type DeniedCall struct {
	Tool string `json:"tool"` // as the agent's program names it
	// Text is the command, the file or the address, or else the input as JSON; at most its
	// first 2 KiB. "": unknown.
	Text string `json:"text,omitempty"`
	// Rule is the narrowest rule that allows this call, in the form of Claude Code; "": no
	// rule names it exactly.
	Rule string `json:"rule,omitempty"`
}

// Allowance is a rule by which a person lets agents of the quest make calls that their role
// may not make. What is denied or asked about is stronger.
type Allowance struct {
	Rule string `json:"rule"`           // see CheckAllowRule
	Step string `json:"step,omitempty"` // "": it holds in the whole quest
}

// RuleAllowed adds a rule to what agents may do, after a call of a run was denied.
type RuleAllowed struct {
	Run, Rule string
	For       CallDecision // AllowStep or AllowQuest
}

func (RuleAllowed) inputKind() {}

// MayBeAllowed reports whether a rule can allow a call to the run's role.
func (r *Run) MayBeAllowed(c DeniedCall) bool {
	tool := c.Tool
	if tool == "Write" || tool == "NotebookEdit" || tool == "MultiEdit" {
		tool = "Edit"
	}
	switch takes := askTools[tool]; {
	case c.Rule != "":
		return CheckAllowRule(r.Role, c.Rule) == ""
	case takes != "":
		return tool != "Edit" || r.Role.Writes()
	}
	return CheckAllowRule(r.Role, tool) == ""
}

// CheckAllowRule says why a rule cannot be added to the rights of a role; "": it can.
func CheckAllowRule(role Role, rule string) string {
	tool, use, _ := strings.Cut(rule, "(")
	switch n := utf8.RuneCountInString(rule); {
	case n > maxAskCharacters:
		return ruleFault(rule, allowing)
	case n > maxAllowRule:
		return fmt.Sprintf("the rule has %d characters, and %d are allowed", n, maxAllowRule)
	case strings.Contains(rule, ","):
		return clip(rule) + " cannot be read: the agent's program ends a rule at a comma"
	case !role.Writes() && (tool == "Edit" || tool == "Bash" && slices.Contains(fileCommands, firstWord(use))):
		return "this role only reads, so it cannot be allowed to change files"
	case tool == "Bash" && strings.HasPrefix(strings.TrimSpace(use), "*"):
		return clip(rule) + " allows every program: name " + askTools[tool]
	}
	return ruleFault(rule, allowing)
}

// fileCommands are those that the agent's program denies where it denies Edit, whatever a
// rule for them says.
var fileCommands = []string{"cp", "mkdir", "mv", "rm", "rmdir", "touch"}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimRight(strings.TrimLeft(text, " "), ":*)"), " ")
	return word
}

// Bounds of what a person allows.
const (
	maxAllowRule  = 2000
	maxAllowances = 50
)

// CheckAllowances says why a quest cannot have these rules; "": it can. Which role was denied the
// call is not stored, so the one that may be allowed most counts.
func CheckAllowances(all []Allowance) string {
	if len(all) > maxAllowances {
		return fmt.Sprintf("there are %d rules that allow, and %d are possible", len(all), maxAllowances)
	}
	for i, a := range all {
		if why := CheckAllowRule(Codeweaver, a.Rule); why != "" {
			return why
		}
		if slices.Contains(all[:i], a) {
			return clip(a.Rule) + " is there twice"
		}
	}
	return ""
}

// Allowed lists the rules that a person has allowed in a step.
func (q *Quest) Allowed(step string) (rules []string) {
	for _, a := range q.Allowances {
		if (a.Step == "" || a.Step == step) && !slices.Contains(rules, a.Rule) {
			rules = append(rules, a.Rule)
		}
	}
	return rules
}

func (q *Quest) mayAllow(f RuleAllowed) error {
	switch r := q.Run(f.Run); {
	case r == nil:
		return notFound("there is no run %s", f.Run)
	case !slices.ContainsFunc(r.DeniedCalls, r.MayBeAllowed):
		return conflict("run %s was denied nothing that a rule can allow", r.ID)
	}
	return nil
}

// ruleAllowed stores the rule. The session that was denied the call is resumed with it; if
// it is over, the rule counts for the runs that follow.
func (e *edit) ruleAllowed(f RuleAllowed) error {
	r, a := e.q.Run(f.Run), Allowance{Rule: strings.TrimSpace(f.Rule)}
	faults := map[string]string{}
	if why := CheckAllowRule(r.Role, a.Rule); why != "" {
		faults["rule"] = why
	}
	switch f.For {
	case AllowStep:
		a.Step = r.Step
	case AllowQuest:
	default:
		faults["for"] = fmt.Sprintf("%q is not possible; allowed: %s, %s", clip(string(f.For)), AllowStep, AllowQuest)
	}
	if !slices.Contains(e.q.Allowances, a) && len(e.q.Allowances) >= maxAllowances {
		faults["rule"] = fmt.Sprintf("the quest has %d rules that allow, and no more are possible", maxAllowances)
	}
	if len(faults) > 0 {
		return fieldFaults(faults)
	}
	if !slices.Contains(e.q.Allowances, a) {
		e.q.Allowances, e.touched = append(slices.Clone(e.q.Allowances), a), true
		e.event(EventRuleAllowed, r.Step, r.ID, "rule", a.Rule, "for", string(f.For))
	}
	newest := e.q.Run(e.q.Step(r.Step).Run)
	switch s := e.q.Step(r.Step); {
	case newest.SessionID != r.SessionID || newest.State == RunQueued || slices.Contains(newest.Allow, a.Rule):
		// Another agent is at work, or this one has the rule already, or will have it.
	case e.q.noMessage(newest) == "":
		e.resumeWith(newest, Brief{Allowed: a.Rule})
	case s.Hold == HoldBlocked:
		return e.retryPressed(RetryPressed{Step: s.ID})
	}
	return nil
}
