package handlers

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// agentForm is the form of a program that works as an agent. Of its variables it has the
// names: the values are secrets.
func agentForm(id string, a record.AgentProgram) views.AgentForm {
	return views.AgentForm{ID: id, Stored: a.Name, Name: views.Field{Value: a.Name},
		Command: views.Field{Value: strings.Join(append([]string{a.Command}, a.Args...), "\n")},
		Env:     views.Field{Value: strings.Join(slices.Sorted(maps.Keys(a.Env)), "\n")}}
}

// SetAgent adds or changes a program that works as an agent.
func (p *Pages) SetAgent(c echo.Context) error {
	r := c.Request()
	now, err := p.Settings.Settings(r.Context())
	if err != nil {
		return err
	}
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	stored := value("stored")
	form := views.AgentForm{ID: "agent-new", Stored: stored, Name: views.Field{Value: value("name")},
		Command: views.Field{Value: value("command")}, Env: views.Field{Value: value("env")}}
	if stored != "" {
		form.Name.Value = stored
	}
	if !service.FromHere(r.RemoteAddr, r.Host, r.Header) {
		form.Command.Error = service.ErrNotFromHere().Error()
		return p.settings(c, http.StatusUnprocessableEntity, func(s *views.Settings) { putBackAgent(s, form) })
	}
	was, _ := now.Agent(stored)
	a := record.AgentProgram{Name: form.Name.Value}
	if words := linesOf(form.Command.Value); len(words) > 0 {
		a.Command, a.Args = words[0], words[1:]
	}
	env := map[string]*string{}
	for _, line := range linesOf(form.Env.Value) {
		name, text, set := strings.Cut(line, "=")
		if env[name] = nil; set {
			env[name] = &text
		}
	}
	var unknown []string
	a.Env, unknown = service.KeepEnv(was, env)
	faults := a.Check()
	if len(unknown) > 0 {
		faults["env"] = "there is no stored value of " + strings.Join(unknown, ", ") + ": write NAME=value"
	}
	if _, taken := now.Agent(a.Name); taken && stored == "" {
		faults["name"] = "there is an agent of this name: change it there"
	}
	if len(faults) > 0 {
		for name, field := range map[string]*string{"name": &form.Name.Error, "command": &form.Command.Error, "args": &form.Command.Error,
			"env": &form.Env.Error} {
			if why := faults[name]; why != "" {
				*field = present.Sentence(why) + "."
			}
		}
		return p.settings(c, http.StatusUnprocessableEntity, func(s *views.Settings) { putBackAgent(s, form) })
	}
	if err := p.Settings.ChangeSettings(r.Context(), func(s *record.Settings) { s.SetAgent(a) }); err != nil {
		return err
	}
	return see(c, paths.Settings+"?saved=agent")
}

// putBackAgent puts a refused form back into its place on the page.
func putBackAgent(s *views.Settings, form views.AgentForm) {
	at := slices.IndexFunc(s.Agents, func(a views.AgentForm) bool { return a.Stored == form.Stored })
	if form.Stored == "" || at < 0 {
		form.ID, form.Stored = s.NewAgent.ID, ""
		s.NewAgent = form
		return
	}
	form.ID = s.Agents[at].ID
	s.Agents[at] = form
}

// RemoveAgent removes a program that works as an agent.
func (p *Pages) RemoveAgent(c echo.Context) error {
	r := c.Request()
	if !service.FromHere(r.RemoteAddr, r.Host, r.Header) {
		return service.ErrNotFromHere()
	}
	if err := p.Settings.ChangeSettings(r.Context(), func(s *record.Settings) { s.RemoveAgent(c.FormValue("stored")) }); err != nil {
		return err
	}
	return see(c, paths.Settings+"?saved=agent-removed")
}

// linesOf returns the lines of a field that are not empty.
func linesOf(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func agentForms(s record.Settings) []views.AgentForm {
	var all []views.AgentForm
	for i, a := range s.Agents {
		all = append(all, agentForm(fmt.Sprintf("agent-%d", i+1), a))
	}
	return all
}
