package service

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// AgentNames returns the agents that a quest may choose; the first is the default. If the
// settings cannot be read, those that the user has set are missing.
func (s Service) AgentNames(ctx context.Context) []string {
	settings, _ := s.Settings.Settings(ctx)
	names := slices.Clone(s.Agents)
	for _, a := range settings.Agents {
		if !slices.Contains(names, a.FullName()) {
			names = append(names, a.FullName())
		}
	}
	return names
}

// CheckPrograms returns the faults of programs by field: roles.<role>.<field>.
func (s Service) CheckPrograms(ctx context.Context, programs orchestration.Programs) map[string]string {
	faults, names := programs.Faults(), s.AgentNames(ctx)
	check := func(field, name string) {
		if name != "" && faults[field] == "" && !slices.Contains(names, name) {
			faults[field] = fmt.Sprintf("there is no agent %s on this server: possible are %s", name, strings.Join(names, ", "))
		}
	}
	for role, one := range programs {
		check("roles."+string(role)+".agent", one.Agent)
		for _, name := range one.Fallback {
			check("roles."+string(role)+".fallback", name)
		}
	}
	return faults
}

// CheckOwnPrograms is CheckPrograms for a quest whose other roles have an agent: nobody is to
// work in its own place.
func (s Service) CheckOwnPrograms(ctx context.Context, programs orchestration.Programs, agent string) map[string]string {
	faults := s.CheckPrograms(ctx, programs)
	for role, one := range programs {
		if field := "roles." + string(role) + ".fallback"; one.Agent == "" && faults[field] == "" && slices.Contains(one.Fallback, agent) {
			faults[field] = fmt.Sprintf("%s cannot work in its own place: the quest has it for this role", agent)
		}
	}
	return faults
}

// checkPrograms refuses a quest whose roles have a program that is not here. It may come
// from the repository's own file.
func (s Service) checkPrograms(ctx context.Context, programs orchestration.Programs) error {
	faults := s.CheckPrograms(ctx, programs)
	if len(faults) == 0 {
		return nil
	}
	var words []string
	for _, field := range slices.Sorted(maps.Keys(faults)) {
		words = append(words, field+": "+faults[field])
	}
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: strings.Join(words, "; "), Fields: faults}
}

// FromHere reports whether a request comes from this machine: by loopback, to a name of this
// machine, and not passed on by a proxy. host is the header Host; header has the others.
func FromHere(remote, host string, header map[string][]string) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if len(header[name]) > 0 {
			return false
		}
	}
	return loopback(remote) && loopback(host)
}

// loopback reports whether an address, with or without a port, is of this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ErrNotFromHere refuses to set an agent's program for a request from elsewhere.
func ErrNotFromHere() error {
	return &orchestration.Error{Code: orchestration.CodeInvalid,
		Message: "A program that works as an agent is set only on the server's own machine. Open Questboard there by its address on localhost.",
		Fields:  map[string]string{"agents": "set from another machine"}}
}

// KeepEnv takes the values that an edit leaves out from the agent as it is stored. It returns
// the names that have none.
func KeepEnv(was record.AgentProgram, env map[string]*string) (all map[string]string, unknown []string) {
	for name, value := range env {
		if value == nil {
			stored, is := was.Env[name]
			if !is {
				unknown = append(unknown, name)
				continue
			}
			value = &stored
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = *value
	}
	slices.Sort(unknown)
	return all, unknown
}
