package orchestration

import (
	"cmp"
	"regexp"
	"slices"
)

// Program says which agent's program a role's runs use, and with which model. An empty
// field leaves the choice to others (Quest.AgentOf, Quest.ModelOf).
type Program struct {
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	// Fallback are the agents that begin new sessions in place of Agent, in this order, while its
	// account is held for longer than FallbackAfter minutes (0: DefaultFallbackAfter).
	Fallback      []string `json:"fallback,omitempty"`
	FallbackAfter int      `json:"fallbackAfter,omitempty"`
}

// IsZero reports whether nothing is chosen.
func (p Program) IsZero() bool {
	return p.Agent == "" && p.Model == "" && len(p.Fallback) == 0 && p.FallbackAfter == 0
}

// Or returns the program with every empty field replaced by that of others.
func (p Program) Or(others Program) Program {
	all := Program{Agent: cmp.Or(p.Agent, others.Agent), Model: cmp.Or(p.Model, others.Model),
		Fallback: p.Fallback, FallbackAfter: cmp.Or(p.FallbackAfter, others.FallbackAfter)}
	if len(p.Fallback) == 0 {
		all.Fallback = slices.DeleteFunc(slices.Clone(others.Fallback), func(name string) bool { return name == all.Agent })
	}
	return all
}

// Programs are the programs of some roles.
type Programs map[Role]Program

// Or returns the programs with every empty field replaced by that of others.
func (p Programs) Or(others Programs) Programs {
	all := Programs{}
	for _, r := range Roles {
		if one := p[r].Or(others[r]); !one.IsZero() {
			all[r] = one
		}
	}
	return all
}

// agentName matches the name of an agent's program, modelName that of a model as it may
// stand on a command line: aliases, versions, names of cloud providers, and a suffix such
// as [1m].
var (
	agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9:._-]{0,99}$`)
	modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}(\[[A-Za-z0-9]{1,20}\])?$`)
)

// Check returns the faults by field: agent, model, fallback, fallbackAfter. Whether there is such a program the
// server knows, and the model the program.
func (p Program) Check() map[string]string {
	faults := map[string]string{}
	if p.Agent != "" && !agentName.MatchString(p.Agent) {
		faults["agent"] = "the name of an agent, such as claude"
	}
	if p.Model != "" && !modelName.MatchString(p.Model) {
		faults["model"] = "a name such as opus or claude-opus-4-8, without spaces"
	}
	p.checkFallback(faults)
	return faults
}

// Faults returns the faults by field: roles.<role>, roles.<role>.agent and the others of Program.
func (p Programs) Faults() map[string]string {
	faults := map[string]string{}
	p.check(faults)
	return faults
}

// check adds the faults as roles.<role>.<field>.
func (p Programs) check(faults map[string]string) {
	for role, one := range p {
		if !role.Agent() {
			faults["roles."+string(role)] = "there is no agent of that role"
			continue
		}
		for field, why := range one.Check() {
			faults["roles."+string(role)+"."+field] = why
		}
	}
}

// AgentOf returns the program of the role's new sessions.
func (q *Quest) AgentOf(role Role) string { return cmp.Or(q.Programs[role].Agent, q.Agent) }

// ModelOf returns the model that the role's runs ask for; "": the program's own choice.
func (q *Quest) ModelOf(role Role) string { return q.Programs[role].Model }

// agentFor returns the program that carries out a launch. Only the program that began a
// session can resume it.
func (q *Quest) agentFor(l Launch) string {
	if !l.Role.Agent() {
		return ""
	}
	if r := q.Run(l.ResumedFrom); r != nil && r.Agent != "" {
		return r.Agent
	}
	return cmp.Or(l.With, q.AgentOf(l.Role))
}

// Agents returns the programs that the quest's runs use from now on, sorted.
func (q *Quest) Agents() []string {
	var names []string
	for _, r := range Roles {
		if r.Agent() {
			names = append(names, q.AgentOf(r))
		}
	}
	for _, r := range q.queuedAgents() {
		names = append(names, q.agentFor(r.Launch))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
