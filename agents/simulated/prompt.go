package simulated

import (
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
}

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
		}
	}
	if j.Role == "" || j.Step == "" || j.Visit < 1 {
		return job{}, fmt.Errorf("the prompt's first line names no role, step or visit: %s", first)
	}
	return j, nil
}
