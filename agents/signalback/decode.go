package signalback

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
)

// DecodeSignal reads the arguments of signal-back and returns all faults together.
// Apply decides which fields must be filled, and names the missing ones.
func DecodeSignal(raw []byte) (orchestration.Signal, []string) {
	var faults []string
	known := []string{"signal", "type", "stepId"}
	f, ok := arguments(raw, &faults, append(known, names(orchestration.SignalFields)...)...)
	if !ok {
		return orchestration.Signal{}, faults
	}
	kind := f.text("signal")
	if other := f.text("type"); other != "" {
		if kind != "" {
			f.fault("signal and type are two names of the same field: give signal alone")
		}
		kind = other
	}
	s := orchestration.Signal{Kind: orchestration.SignalKind(kind), StepID: f.text("stepId")}
	for _, field := range orchestration.SignalFields {
		switch to := field.At(&s).(type) {
		case *string:
			*to = f.text(field.Name)
		case **bool:
			*to = f.truth(field.Name)
		case *[]orchestration.Evidence:
			*to = f.evidence(field.Name)
		case *[]orchestration.Found:
			*to = f.found(field.Name)
		default:
			panic(fmt.Sprintf("%s: how is a %T decoded?", field.Name, to))
		}
	}
	if !slices.Contains(orchestration.SignalKinds, s.Kind) {
		f.fault("signal must be one of %s, not %s", strings.Join(kinds(), ", "), strconv.Quote(kind))
		return s, faults
	}
	for _, field := range orchestration.SignalFields {
		if !slices.Contains(field.Of, s.Kind) && !empty(f.from.values[field.Name]) {
			own := strings.Join(names(orchestration.FieldsOf(s.Kind)), ", ")
			f.fault("%s does not belong to the signal %s, which takes %s: leave it out", field.Name, s.Kind, own)
		}
	}
	if s.Kind != orchestration.NeedsRoleFollowup {
		s.Resume = nil
	}
	return s, faults
}

// evidence reads the list of evidence.
func (f fields) evidence(key string) []orchestration.Evidence {
	var out []orchestration.Evidence
	for i, v := range f.list(key) {
		if e, ok := fieldsOf(v, at(join(f.path, key), i), f.faults, "observable", "kind", "how"); ok {
			out = append(out, orchestration.Evidence{Observable: e.text("observable"), Kind: orchestration.EvidenceKind(e.text("kind")),
				How: e.text("how")})
		}
	}
	return out
}

// found reads the list of findings.
func (f fields) found(key string) []orchestration.Found {
	var out []orchestration.Found
	for i, v := range f.list(key) {
		if o, ok := fieldsOf(v, at(join(f.path, key), i), f.faults, "what", "where"); ok {
			out = append(out, orchestration.Found{What: o.text("what"), Where: o.text("where")})
		}
	}
	return out
}

func names(fields []orchestration.SignalField) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

func kinds() []string { return stringsOf(orchestration.SignalKinds) }

func stringsOf[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, word := range list {
		out[i] = string(word)
	}
	return out
}

// DecodeSize reads the arguments of set-size. Apply decides what a size is.
func DecodeSize(raw []byte) (orchestration.SizeSet, []string) {
	var faults []string
	f, ok := arguments(raw, &faults, "size", "reason")
	if !ok {
		return orchestration.SizeSet{}, faults
	}
	f.required("size")
	f.required("reason")
	return orchestration.SizeSet{Size: orchestration.Size(f.text("size")), Reason: f.text("reason")}, faults
}

// DecodeRequirements reads the arguments of set-requirements.
func DecodeRequirements(raw []byte) (orchestration.RequirementsSet, []string) {
	var faults []string
	var out orchestration.RequirementsSet
	top, ok := arguments(raw, &faults, "requirements", "title")
	if !ok {
		return out, faults
	}
	top.required("requirements")
	if top.from.values["title"] != nil {
		title := top.text("title")
		out.Title = &title
	}
	for i, v := range top.list("requirements") {
		f, ok := fieldsOf(v, at("requirements", i), &faults, "id", "context", "trigger", "observables")
		if !ok {
			continue
		}
		r := orchestration.Requirement{ID: f.text("id"), Context: f.text("context"), Trigger: f.text("trigger")}
		for j, v := range f.list("observables") {
			o, ok := fieldsOf(v, at(join(f.path, "observables"), j), &faults, "id", "text")
			if ok {
				r.Observables = append(r.Observables, orchestration.Observable{ID: o.text("id"), Text: o.text("text")})
			}
		}
		out.Requirements = append(out.Requirements, r)
	}
	return out, faults
}

// DecodePlan reads the arguments of plan-steps.
func DecodePlan(raw []byte) (orchestration.PlanDraft, []string) {
	var faults []string
	top, ok := arguments(raw, &faults, "steps", "replaces", "review", "uncovered")
	if !ok {
		return orchestration.PlanDraft{}, faults
	}
	top.required("steps")
	draft := orchestration.PlanDraft{Replaces: top.text("replaces"), Review: top.texts("review")}
	for i, v := range top.list("steps") {
		f, ok := fieldsOf(v, at("steps", i), &faults,
			"id", "title", "description", "files", "dependsOn", "observables", "minutes", "risk", "riskReason", "replaces")
		if !ok {
			continue
		}
		draft.Steps = append(draft.Steps, orchestration.PlanStep{
			ID: f.text("id"), Title: f.text("title"), Description: f.text("description"),
			Files: f.texts("files"), DependsOn: f.texts("dependsOn"), Observables: f.texts("observables"),
			Minutes: f.number("minutes"), Replaces: f.text("replaces"),
			Risk: orchestration.Risk(f.text("risk")), RiskReason: f.text("riskReason"),
		})
	}
	for i, v := range top.list("uncovered") {
		if f, ok := fieldsOf(v, at("uncovered", i), &faults, "observable", "why"); ok {
			draft.Uncovered = append(draft.Uncovered, orchestration.Uncovered{Observable: f.text("observable"), Why: f.text("why")})
		}
	}
	return draft, faults
}

// decodePart reads the arguments of get-quest.
func decodePart(raw []byte) (string, []string) {
	var faults []string
	f, ok := arguments(raw, &faults, "part")
	if !ok {
		return "", faults
	}
	part := f.text("part")
	if part != "" && !slices.Contains(parts, part) {
		f.fault("part must be one of %s, or left out, not %s", strings.Join(parts, ", "), strconv.Quote(part))
	}
	return part, faults
}

// arguments parses a tool's input. No input counts as an empty object.
func arguments(raw []byte, faults *[]string, known ...string) (fields, bool) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	v, err := parse(raw)
	if err != nil {
		*faults = append(*faults, err.Error())
		return fields{}, false
	}
	if v == nil {
		v = object{}
	}
	return fieldsOf(v, "", faults, known...)
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
