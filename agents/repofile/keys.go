package repofile

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Key is one key of config.yaml, as docs/configuration.md lists it.
type Key struct {
	Name string // with a dot before a key of a mapping
	Type string
	// Default is what counts without the key, Limits what is allowed.
	Default, Limits string
	set             func(p *parser, at string, value ast.Node)
}

// Types of values.
const (
	typeCommand = "a command line"
	typePaths   = "a list of paths"
	typeNumber  = "a whole number"
	typeSize    = "a size"
	typeRules   = "a list of rules"
	typeName    = "a name"
	typeNames   = "a list of names"
)

// Defaults.
const (
	byDefault      = "none"
	byDefaultLimit = "the server's"
	byDefaultSlots = "no limit of its own"
)

// mostOfALimit is the most that a form and the API allow for a limit.
const mostOfALimit = 1_000_000

// Keys lists every key. A key that is not here is a fault.
func Keys() []Key {
	keys := []Key{
		command("check", func(f *orchestration.RepoFile) *string { return &f.Check }),
		command("setup", func(f *orchestration.RepoFile) *string { return &f.Setup }),
		paths("links", func(f *orchestration.RepoFile) *[]string { return &f.Links }),
		paths("copies", func(f *orchestration.RepoFile) *[]string { return &f.Copies }),
		command("beforeMerge", func(f *orchestration.RepoFile) *string { return &f.BeforeMerge }),
	}
	for _, l := range limits {
		keys = append(keys, number("limits."+l.name, byDefaultLimit, 1, mostOfALimit,
			func(f *orchestration.RepoFile, n int) { *l.of(&f.Limits) = n }))
	}
	for _, role := range orchestration.Roles {
		keys = append(keys, number("slots."+string(role), byDefaultSlots, 1, orchestration.RepoFileSlots, func(f *orchestration.RepoFile, n int) {
			if f.Slots == nil {
				f.Slots = map[orchestration.Role]int{}
			}
			f.Slots[role] = n
		}))
	}
	ports := number("ports", fmt.Sprint(orchestration.DefaultPorts), 1, orchestration.RepoFilePorts,
		func(f *orchestration.RepoFile, n int) { f.Ports = n })
	for _, role := range orchestration.Roles {
		if role.Agent() {
			keys = append(keys, program(role, "agent", func(p *orchestration.Program) *string { return &p.Agent }),
				program(role, "model", func(p *orchestration.Program) *string { return &p.Model }), fallbacks(role), fallbackAfter(role))
		}
	}
	return append(keys, ports, asks(), size())
}

// limits have the names that the API has.
var limits = []struct {
	name string
	of   func(*orchestration.Limits) *int
}{
	{"ward", func(l *orchestration.Limits) *int { return &l.Ward }},
	{"crash", func(l *orchestration.Limits) *int { return &l.Crash }},
	{"stuck", func(l *orchestration.Limits) *int { return &l.Stuck }},
	{"nudge", func(l *orchestration.Limits) *int { return &l.Nudge }},
	{"infrastructure", func(l *orchestration.Limits) *int { return &l.Infra }},
	{"partial", func(l *orchestration.Limits) *int { return &l.Partial }},
	{"depth", func(l *orchestration.Limits) *int { return &l.Depth }},
	{"followups", func(l *orchestration.Limits) *int { return &l.Followups }},
	{"runs", func(l *orchestration.Limits) *int { return &l.Runs }},
}

const maxCommand = 4096

func command(name string, of func(*orchestration.RepoFile) *string) Key {
	return Key{Name: name, Type: typeCommand, Default: byDefault, Limits: fmt.Sprintf("one line, at most %d characters", maxCommand),
		set: func(p *parser, at string, value ast.Node) {
			*of(&p.file) = p.line(value, at)
		}}
}

func paths(name string, of func(*orchestration.RepoFile) *[]string) Key {
	return Key{Name: name, Type: typePaths, Default: byDefault, Limits: fmt.Sprintf("at most %d, each within the repository", maxPaths),
		set: func(p *parser, at string, value ast.Node) { *of(&p.file) = p.paths(value, at) }}
}

func number(name, standard string, least, most int, put func(*orchestration.RepoFile, int)) Key {
	return Key{Name: name, Type: typeNumber, Default: standard, Limits: fmt.Sprintf("%d to %d", least, most),
		set: func(p *parser, at string, value ast.Node) {
			if n, ok := p.number(value, at, least, most); ok {
				put(&p.file, n)
			}
		}}
}

// program is which program a role uses, or which model.
func program(role orchestration.Role, name string, of func(*orchestration.Program) *string) Key {
	return Key{Name: "roles." + string(role) + "." + name, Type: typeName, Default: "that of the quest or the settings",
		Limits: "a name without spaces",
		set: func(p *parser, at string, value ast.Node) {
			text, ok := p.text(value, at)
			if !ok {
				return
			}
			one := p.file.Roles[role]
			*of(&one) = text
			p.setProgram(role, one, at, value, name, "fallback")
		}}
}

// fallbacks are the programs that go on for a role.
func fallbacks(role orchestration.Role) Key {
	return Key{Name: "roles." + string(role) + ".fallback", Type: typeNames, Default: "those of the quest or the settings",
		Limits: "at most 10, each once, not the role's own",
		set: func(p *parser, at string, value ast.Node) {
			list, ok := value.(*ast.SequenceNode)
			if !ok {
				p.fault(lineOf(value), "%s must be a list, such as [codex], not %s", at, shape(value))
				return
			}
			one := p.file.Roles[role]
			for i, item := range list.Values {
				if text, ok := p.text(item, fmt.Sprintf("%s.%d", at, i)); ok {
					one.Fallback = append(one.Fallback, text)
				}
			}
			p.setProgram(role, one, at, value, "fallback")
		}}
}

// fallbackAfter is how long they wait, in minutes.
func fallbackAfter(role orchestration.Role) Key {
	return number("roles."+string(role)+".fallbackAfter", "that of the quest or the settings, or 15", 1, orchestration.FallbackAfterMost,
		func(f *orchestration.RepoFile, n int) {
			one := f.Roles[role]
			one.FallbackAfter = n
			setProgram(f, role, one)
		})
}

// setProgram stores a program of the file, unless what was read last makes it wrong.
func (p *parser) setProgram(role orchestration.Role, one orchestration.Program, at string, value ast.Node, fields ...string) {
	faults := one.Check()
	for _, field := range fields {
		if why := faults[field]; why != "" {
			p.fault(lineOf(value), "%s: %s", at, why)
			return
		}
	}
	setProgram(&p.file, role, one)
}

func setProgram(f *orchestration.RepoFile, role orchestration.Role, one orchestration.Program) {
	if f.Roles == nil {
		f.Roles = orchestration.Programs{}
	}
	f.Roles[role] = one
}

// asks are the calls before which a person is asked.
func asks() Key {
	return Key{Name: "ask", Type: typeRules, Default: byDefault, Limits: "at most 50, of 10,000 characters in all",
		set: func(p *parser, at string, value ast.Node) {
			list, ok := value.(*ast.SequenceNode)
			if !ok {
				p.fault(lineOf(value), "%s must be a list, such as [\"Bash(git push *)\"], not %s", at, shape(value))
				return
			}
			for i, item := range list.Values {
				if text, ok := p.text(item, fmt.Sprintf("%s.%d", at, i)); ok {
					p.file.Ask = append(p.file.Ask, text)
				}
			}
			if why := orchestration.CheckAskRules(p.file.Ask); why != "" {
				p.fault(lineOf(value), "%s: %s", at, why)
			}
		}}
}

// size is the size of new quests for which the user chooses none.
func size() Key {
	return Key{Name: "size", Type: typeSize, Default: string(orchestration.SizeAuto), Limits: orchestration.SizeWords,
		set: func(p *parser, at string, value ast.Node) {
			text, ok := p.text(value, at)
			size, known := orchestration.SizeNamed(text)
			if ok && !known {
				p.fault(lineOf(value), "%s must be %s, not %s", at, orchestration.SizeWords, quoted(text))
			}
			p.file.Size = size
		}}
}

// checkText returns what is wrong with a text for a role.
func checkText(role orchestration.Role, text string) error { return agents.CheckAddedText(role, text) }

// needs returns what the file says about new worktrees, to check it like the user's
// settings.
func needs(f orchestration.RepoFile) record.RepoSettings {
	return record.RepoSettings{Path: "/", Setup: f.Setup, Links: f.Links, Copies: f.Copies}
}
