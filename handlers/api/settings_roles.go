package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// roleJSON has the settings of one role. Prompt is the text in use; Edited says that it
// is not the built-in one. In an edit, missing fields keep their value, and an empty
// prompt means the built-in one.
type roleJSON struct {
	Role   orchestration.Role `json:"role"`
	Prompt string             `json:"prompt"`
	Edited bool               `json:"edited"`
	Agent  string             `json:"agent"`
	Model  string             `json:"model"`
	fallbackJSON
	Effort string   `json:"effort"`
	Allow  []string `json:"allow"`
	Deny   []string `json:"deny"`
	Ask    []string `json:"ask"`
}

// fallbackJSON says who goes on for a role, and after how many minutes.
type fallbackJSON struct {
	Fallback      []string `json:"fallback"`
	FallbackAfter int      `json:"fallbackAfter"` // 0: the default
}

type roleEdit struct {
	Role          orchestration.Role `json:"role"`
	Prompt        *string            `json:"prompt"`
	Agent         *string            `json:"agent"`
	Model         *string            `json:"model"`
	Fallback      *[]string          `json:"fallback"`
	FallbackAfter *int               `json:"fallbackAfter"`
	Effort        *string            `json:"effort"`
	Allow         *[]string          `json:"allow"`
	Deny          *[]string          `json:"deny"`
	Ask           *[]string          `json:"ask"`
}

func (h handlers) presentRoles(s record.Settings) []roleJSON {
	var all []roleJSON
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		r := s.OfRole(role)
		shown := roleJSON{Role: role, Prompt: r.Prompt, Edited: r.Prompt != "", Agent: r.Agent, Model: r.Model,
			fallbackJSON: fallbackJSON{list(r.Fallback), r.FallbackAfter}, Effort: r.Effort, Allow: list(r.Allow), Deny: list(r.Deny),
			Ask: list(r.Ask)}
		if r.Prompt == "" {
			shown.Prompt = service.BuiltInPrompt(role)
		}
		all = append(all, shown)
	}
	return all
}

// over returns r with the edit applied.
func (e roleEdit) over(r record.RoleSettings, builtIn string) record.RoleSettings {
	if e.Prompt != nil && *e.Prompt == builtIn {
		r.SetPrompt("")
	} else if e.Prompt != nil {
		r.SetPrompt(*e.Prompt)
	}
	put(&r.Agent, e.Agent)
	put(&r.Model, e.Model)
	put(&r.Fallback, e.Fallback)
	put(&r.FallbackAfter, e.FallbackAfter)
	put(&r.Effort, e.Effort)
	put(&r.Allow, e.Allow)
	put(&r.Deny, e.Deny)
	put(&r.Ask, e.Ask)
	return r
}

// checkRoles adds what is wrong with the edits of roles, and changes nothing.
func (h handlers) checkRoles(ctx context.Context, edits *[]roleEdit, now record.Settings, wrong *checks) {
	if edits == nil {
		return
	}
	var seen []orchestration.Role
	for i, e := range *edits {
		field := fmt.Sprintf("roles.%d.", i)
		if e.Prompt != nil {
			*e.Prompt = wrong.text(field+"prompt", *e.Prompt)
		}
		if slices.Contains(seen, e.Role) {
			wrong.add(field+"role", "is named twice")
		}
		seen = append(seen, e.Role)
		chosen := now.OfRole(e.Role)
		for name, why := range service.CheckRole(e.over(chosen, service.BuiltInPrompt(e.Role))) {
			wrong.add(field+name, "%s", why)
		}
		var named orchestration.Program
		put(&named.Agent, e.Agent)
		put(&named.Fallback, e.Fallback)
		for name, why := range h.CheckPrograms(ctx, orchestration.Programs{e.Role: named}) {
			wrong.add(field+strings.TrimPrefix(name, "roles."+string(e.Role)+"."), "%s", why)
		}
	}
}

// changeRoles applies the edits, which checkRoles has accepted, to s.
func (h handlers) changeRoles(edits *[]roleEdit, s *record.Settings) {
	if edits != nil {
		for _, e := range *edits {
			s.SetRole(e.over(s.OfRole(e.Role), service.BuiltInPrompt(e.Role)))
		}
	}
}
