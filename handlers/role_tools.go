package handlers

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// SetRoleTools saves a role's model, effort and tools.
func (p *Pages) SetRoleTools(c echo.Context) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(name)))}
	}
	form := views.RoleTools{Agents: agentChoices(p.AgentNames(c.Request().Context()), value("agent").Value, asQuest), Model: value("model"),
		Fallback: value("fallback"), FallbackAfter: fallbackAfter(value("fallbackAfter").Value), Effort: value("effort"), Allow: value("allow"),
		Deny: value("deny"), Ask: value("ask")}
	chosen := record.RoleSettings{Role: role, Agent: value("agent").Value, Model: form.Model.Value, Effort: form.Effort.Value,
		Fallback: nameList(form.Fallback.Value), FallbackAfter: readMinutes(form.FallbackAfter.Value),
		Allow: service.PathList(form.Allow.Value), Deny: service.PathList(form.Deny.Value), Ask: service.PathList(form.Ask.Value)}
	faults := service.CheckRole(chosen)
	for field, why := range p.CheckPrograms(c.Request().Context(),
		orchestration.Programs{role: {Agent: chosen.Agent, Fallback: chosen.Fallback}}) {
		faults[strings.TrimPrefix(field, "roles."+string(role)+".")] = why
	}
	status := http.StatusUnprocessableEntity
	if len(faults) == 0 {
		done, err := p.changeRole(c, c.FormValue("was"), toolsHash, func(r *record.RoleSettings) {
			r.Fallback, r.FallbackAfter = chosen.Fallback, chosen.FallbackAfter
			r.Agent, r.Model, r.Effort, r.Allow, r.Deny, r.Ask = chosen.Agent, chosen.Model, chosen.Effort, chosen.Allow, chosen.Deny, chosen.Ask
		})
		if err != nil {
			return err
		}
		if done {
			return see(c, paths.Role(string(role))+"?saved=tools")
		}
		status = http.StatusConflict
		form.Error = "The model or tools were changed elsewhere: " + toolWords(now) +
			". Your changes are not saved. Save again to overwrite these."
	}
	for name, field := range map[string]*views.Field{"agent": &form.Agent, "model": &form.Model, "fallback": &form.Fallback,
		"fallbackAfter": &form.FallbackAfter, "effort": &form.Effort, "allow": &form.Allow, "deny": &form.Deny, "ask": &form.Ask} {
		if why := faults[name]; why != "" {
			field.Error = present.Sentence(why) + "."
		}
	}
	return p.role(c, status, func(v *views.RolePage, now record.RoleSettings) {
		form.Was, form.Allowed, form.Denied = toolsHash(now), v.Tools.Allowed, v.Tools.Denied
		form.Efforts, form.Standard = v.Tools.Efforts, v.Tools.Standard
		v.Tools = form
	})
}

const asQuest = "As the quest"

// roleView returns the page of a role without the result of a form.
func (p *Pages) roleView(now record.RoleSettings, names []string) views.RolePage {
	role := string(now.Role)
	v := views.RolePage{Role: role, Name: present.RoleName(now.Role), Does: present.RoleDoes(now.Role), Was: textHash(now),
		Changed: now.Prompt != "",
		Undo:    now.Before != nil, Prompt: views.Field{Value: now.Prompt}}
	if now.Prompt == "" {
		v.Prompt.Value = service.BuiltInPrompt(now.Role)
	}
	if now.Before != nil {
		v.UndoWords = "Undo: previous prompt"
		if *now.Before == "" {
			v.UndoWords = "Undo: default prompt"
		}
	}
	for _, variable := range service.RoleVariables() {
		v.Variables = append(v.Variables, views.Pair{Name: variable.Name, Value: variable.Means})
	}
	for _, s := range service.RoleSamples(now.Role) {
		v.Samples = append(v.Samples, views.Pair{Name: s.Name, Value: s.Words})
	}
	allowed, denied := service.RoleTools(now.Role)
	v.Tools = views.RoleTools{Was: toolsHash(now), Agents: agentChoices(names, now.Agent, asQuest), Model: views.Field{Value: now.Model},
		Effort:   views.Field{Value: now.Effort},
		Fallback: views.Field{Value: strings.Join(now.Fallback, ", ")}, FallbackAfter: fallbackAfter(minutes(now.FallbackAfter)),
		Allow: views.Field{Value: strings.Join(now.Allow, "\n")}, Deny: views.Field{Value: strings.Join(now.Deny, "\n")},
		Ask:     views.Field{Value: strings.Join(now.Ask, "\n")},
		Allowed: allowed, Denied: denied, Efforts: record.Efforts, Standard: p.modelWords()}
	return v
}

func roleRow(r record.RoleSettings) views.RoleRow {
	return views.RoleRow{Name: present.RoleName(r.Role), Does: present.RoleDoes(r.Role), URL: paths.Role(string(r.Role)),
		Edited: r.Prompt != "", Agent: views.Visible(r.Agent), Fallback: views.Visible(strings.Join(r.Fallback, ", ")),
		Model: views.Visible(r.Model), Effort: views.Visible(r.Effort), Tools: toolCounts(r)}
}

func toolCounts(r record.RoleSettings) string {
	var words []string
	for _, list := range []struct {
		n    int
		what string
	}{{len(r.Allow), "added"}, {len(r.Deny), "denied"}, {len(r.Ask), "asked about"}} {
		if list.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", list.n, list.what))
		}
	}
	return strings.Join(words, ", ")
}

// toolWords is what was chosen, in a sentence.
func toolWords(r record.RoleSettings) string {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return views.Visible(s)
	}
	return fmt.Sprintf("agent %s, model %s, goes on with %s, effort %s, allowed %s, denied %s, asked about %s", or(r.Agent, "as the quest"),
		or(r.Model, "default"), or(strings.Join(r.Fallback, ", "), "nobody"), or(r.Effort, "default"),
		or(strings.Join(r.Allow, ", "), "nothing more"), or(strings.Join(r.Deny, ", "), "nothing"),
		or(strings.Join(r.Ask, ", "), "nothing"))
}
