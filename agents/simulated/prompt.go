package simulated

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"questboard/orchestration"
)

// job is what the first line of a prompt tells (docs/interfaces.md#the-first-line-of-every-prompt).
type job struct {
	Role  orchestration.Role
	Step  string
	Visit int
	Start string
	// Unsized: the quest has no size yet, and ChaosWhisperer is to say it first.
	Unsized bool
	// ToProve are the observables for which the prompt asks evidence.
	ToProve []string
}

// asksEvidence begins the line of a prompt that names them, as a JSON list.
const asksEvidence = "evidence-for:"

func parseJob(prompt string) (job, error) {
	first, _, _ := strings.Cut(prompt, "\n")
	rest, ok := strings.CutPrefix(strings.TrimSpace(first), "[questboard] ")
	if !ok {
		return job{}, fmt.Errorf("the prompt does not begin with [questboard]: nothing says which entry to play")
	}
	var j job
	for _, pair := range strings.Fields(rest) {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "role":
			j.Role = orchestration.Role(value)
		case "step":
			j.Step = value
		case "visit":
			j.Visit, _ = strconv.Atoi(value)
		case "start":
			j.Start = value
		case "size":
			j.Unsized = orchestration.Size(value) == orchestration.SizeAuto
		}
	}
	if j.Role == "" || j.Step == "" || j.Visit < 1 {
		return job{}, fmt.Errorf("the prompt's first line names no role, step or visit: %s", first)
	}
	for line := range strings.Lines(prompt) {
		if list, is := strings.CutPrefix(line, asksEvidence); is {
			j.ToProve = nil
			_ = json.Unmarshal([]byte(list), &j.ToProve) // a quoted text may begin like this
		}
	}
	return j, nil
}
