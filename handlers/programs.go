package handlers

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
)

// showPrograms returns the fields for the programs of roles. names are the agents of this
// server, other the words for no choice. A chosen one that is gone stays to be seen.
func showPrograms(chosen orchestration.Programs, names []string, other string) []views.RoleProgram {
	var list []views.RoleProgram
	for _, role := range orchestration.Roles {
		if role.Agent() {
			one := chosen[role]
			list = append(list, views.RoleProgram{Role: string(role), Name: present.RoleName(role), Agents: agentChoices(names, one.Agent, other),
				Model:    views.Field{Value: one.Model},
				Fallback: views.Field{Value: strings.Join(one.Fallback, ", ")}, FallbackAfter: fallbackAfter(minutes(one.FallbackAfter))})
		}
	}
	return list
}

// rolesAsQuest is no choice in the form of a new quest.
const rolesAsQuest = "As the settings, or the quest"

// agentChoices are the options for an agent; the first chooses none.
func agentChoices(names []string, chosen, other string) []views.Choice {
	list := []views.Choice{{Words: other, Chosen: chosen == ""}}
	known := chosen == ""
	for _, name := range names {
		list = append(list, views.Choice{Value: name, Words: views.Visible(name), Chosen: name == chosen})
		known = known || name == chosen
	}
	if !known {
		list = append(list, views.Choice{Value: chosen, Words: views.Visible(chosen) + ", which is not here", Chosen: true})
	}
	return list
}

// readPrograms reads the fields of showPrograms, and shows them with their faults. agent is
// the quest's.
func (p *Pages) readPrograms(c echo.Context, names []string, agent, other string) (orchestration.Programs, []views.RoleProgram) {
	programs := orchestration.Programs{}
	value := func(name, role string) string { return strings.TrimSpace(typed(c.FormValue(name + "-" + role))) }
	for _, role := range orchestration.Roles {
		value := func(name string) string { return value(name, string(role)) }
		one := orchestration.Program{Agent: value("agent"), Model: value("model"), Fallback: nameList(value("fallback")),
			FallbackAfter: readMinutes(value("fallbackAfter"))}
		if role.Agent() && !one.IsZero() {
			programs[role] = one
		}
	}
	list := showPrograms(programs, names, other)
	for i := range list { // what is no number of minutes stays to be seen
		list[i].FallbackAfter = fallbackAfter(value("fallbackAfter", list[i].Role))
	}
	markPrograms(list, p.CheckOwnPrograms(c.Request().Context(), programs, agent))
	return programs, list
}

// fallbackAfter is the field for a number of minutes.
func fallbackAfter(value string) views.Field {
	return views.Field{Value: value, Without: minutes(orchestration.DefaultFallbackAfter)}
}

// nameList reads the names of agents, between commas or spaces.
func nameList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// minutes shows a number of minutes; 0: none.
func minutes(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// readMinutes reads what minutes shows; -1, which is refused, if it is no number.
func readMinutes(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return -1
	}
	return n
}

func sameProgram(a, b orchestration.Program) bool { return reflect.DeepEqual(a, b) }

// markPrograms shows faults, which name roles.<role>.<field>, at their fields.
func markPrograms(list []views.RoleProgram, faults map[string]string) {
	for i := range list {
		p := &list[i]
		for name, field := range map[string]*views.Field{"agent": &p.Agent, "model": &p.Model, "fallback": &p.Fallback,
			"fallbackAfter": &p.FallbackAfter} {
			if why := faults["roles."+p.Role+"."+name]; why != "" {
				field.Error = present.Sentence(views.Visible(why)) + "."
			}
		}
	}
}
