package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration"
)

// workspaceOf returns where the agents of a quest work. If name is empty, the repository
// decides.
func workspaceOf(name string, wrong *checks) orchestration.WorkspaceMode {
	switch mode := orchestration.WorkspaceMode(name); mode {
	case "", orchestration.WorkspaceShared, orchestration.WorkspaceWorktree:
		return mode
	default:
		wrong.add("workspace", "is %q; must be shared or worktree", name)
		return ""
	}
}

// priorityOf returns the priority with this name; nil: normal.
func priorityOf(name *string, wrong *checks) orchestration.Priority {
	if name == nil {
		return orchestration.PriorityNormal
	}
	p, ok := orchestration.PriorityNamed(*name)
	if !ok {
		wrong.add("priority", "is %q; must be %s", *name, orchestration.PriorityWords)
	}
	return p
}

// newPriority is priorityOf for a change; nil: it stays as it is.
func newPriority(name *string, wrong *checks) *orchestration.Priority {
	if name == nil {
		return nil
	}
	p := priorityOf(name, wrong)
	return &p
}

// sizeOf returns the size with this name; nil: nobody has chosen one.
func sizeOf(name *string, wrong *checks) orchestration.Size {
	if name == nil {
		return ""
	}
	size, ok := orchestration.SizeNamed(*name)
	if !ok {
		wrong.add("size", "is %q; must be %s", *name, orchestration.SizeWords)
	}
	return size
}

// siegeOf returns the siege with this name; nil and "": as the size has it.
func siegeOf(name *string, wrong *checks) orchestration.Siege {
	if name == nil || *name == "" {
		return ""
	}
	siege := orchestration.Siege(*name)
	switch {
	case siege == orchestration.SiegeNone:
		wrong.add("siege", "none belongs to an errand and cannot be chosen; must be %s", orchestration.SiegeWords)
	case !slices.Contains(orchestration.Sieges, siege):
		wrong.add("siege", "is %q; must be %s", *name, orchestration.SiegeWords)
	}
	return siege
}

// gatesOf returns which gates are on (docs/state-machine.md#gates): both if the field is
// missing, none if the list is empty.
func gatesOf(approve *[]string, wrong *checks) (requirements, plan bool) {
	if approve == nil {
		return true, true
	}
	for _, gate := range *approve {
		switch gate {
		case orchestration.StepRequirements:
			requirements = true
		case orchestration.StepPlan:
			plan = true
		default:
			wrong.add("approve", "has %q; the gates are requirements and plan", gate)
		}
	}
	return requirements, plan
}

func (h handlers) agentOf(ctx context.Context, name string, wrong *checks) string {
	names := h.AgentNames(ctx)
	if name == "" {
		return names[0]
	}
	if !slices.Contains(names, name) {
		wrong.add("agent", "is %q; must be one of %s", name, strings.Join(names, ", "))
	}
	return name
}

// ownPlan reads a plan that the user wrote, and adds its faults to wrong.
func ownPlan(in ownPlanJSON, wrong *checks) *orchestration.OwnPlan {
	for i := range in.Requirements {
		r, at := &in.Requirements[i], fmt.Sprintf("plan.requirements.%d.", i)
		r.ID = wrong.line(at+"id", r.ID, titleLimit)
		r.Context = wrong.text(at+"context", r.Context)
		r.Trigger = wrong.text(at+"trigger", r.Trigger)
		for j := range r.Observables {
			o, at := &r.Observables[j], fmt.Sprintf("%sobservables.%d.", at, j)
			o.ID = wrong.line(at+"id", o.ID, titleLimit)
			o.Text = wrong.text(at+"text", o.Text)
		}
	}
	for i := range in.Steps {
		s, at := &in.Steps[i], fmt.Sprintf("plan.steps.%d.", i)
		s.ID = wrong.line(at+"id", s.ID, titleLimit)
		s.Title = wrong.line(at+"title", s.Title, titleLimit)
		s.Description = wrong.text(at+"description", s.Description)
		wrong.lines(at+"files", &s.Files)
		wrong.lines(at+"dependsOn", &s.DependsOn)
		wrong.lines(at+"observables", &s.Observables)
		if s.Minutes < 0 {
			wrong.add(at+"minutes", "must not be negative")
		}
	}
	return &orchestration.OwnPlan{Requirements: in.Requirements, Steps: in.Steps}
}
