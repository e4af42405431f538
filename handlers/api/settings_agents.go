package api

import (
	"maps"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// agentJSON is a program that works as an agent. The values of variables are never told: they
// are null. In an edit, null keeps the stored value.
type agentJSON struct {
	Command string             `json:"command"`
	Args    []string           `json:"args"`
	Env     map[string]*string `json:"env"`
}

func presentAgents(s record.Settings) map[string]agentJSON {
	all := map[string]agentJSON{}
	for _, a := range s.Agents {
		shown := agentJSON{a.Command, list(a.Args), map[string]*string{}}
		for name := range a.Env {
			shown.Env[name] = nil
		}
		all[a.Name] = shown
	}
	return all
}

// checkAgents returns the agents of an edit, without those that it removes.
func checkAgents(c echo.Context, in map[string]*agentJSON, now record.Settings, wrong *checks) ([]record.AgentProgram, error) {
	if len(in) > 0 && !service.FromHere(c.Request().RemoteAddr, c.Request().Host, c.Request().Header) {
		return nil, service.ErrNotFromHere()
	}
	var all []record.AgentProgram
	for _, name := range slices.Sorted(maps.Keys(in)) {
		edit := in[name]
		if edit == nil {
			continue
		}
		at := "agents." + name + "."
		was, _ := now.Agent(name)
		env, unknown := service.KeepEnv(was, edit.Env)
		if len(unknown) > 0 {
			wrong.add(at+"env", "has no stored value for %s", strings.Join(unknown, ", "))
		}
		a := record.AgentProgram{Name: name, Command: edit.Command, Args: edit.Args, Env: env}
		faults := a.Check()
		for _, field := range slices.Sorted(maps.Keys(faults)) {
			wrong.add(at+field, "%s", faults[field])
		}
		all = append(all, a)
	}
	return all, nil
}

// changeAgents applies an edit that checkAgents has accepted.
func changeAgents(in map[string]*agentJSON, agents []record.AgentProgram, s *record.Settings) {
	for name, edit := range in {
		if edit == nil {
			s.RemoveAgent(name)
		}
	}
	for _, a := range agents {
		s.SetAgent(a)
	}
}
