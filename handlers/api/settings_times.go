package api

import (
	"time"

	"questboard/orchestration/record"
)

// timesJSON has durations such as "10m". In an edit, a missing one keeps its value, and
// an empty one goes back to the value that the server started with.
type timesJSON map[string]string

func presentTimes(t record.Timeouts) timesJSON {
	shown := timesJSON{}
	for _, r := range t.Ranges() {
		shown[r.Name] = ""
		if *r.Value > 0 {
			shown[r.Name] = record.ShortDuration(*r.Value)
		}
	}
	return shown
}

// checkTimes returns now with the edit applied.
func checkTimes(in timesJSON, now record.Timeouts, wrong *checks) record.Timeouts {
	known := map[string]bool{}
	for _, r := range now.Ranges() {
		known[r.Name] = true
		text, named := in[r.Name]
		if !named {
			continue
		}
		*r.Value = 0
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		*r.Value = d
		if why := r.Fault(); err != nil || d <= 0 || why != "" {
			*r.Value = -1
			wrong.add("timeouts."+r.Name, "%s", r.Fault())
		}
	}
	for name := range in {
		if !known[name] {
			wrong.add("timeouts."+name, "is not known")
		}
	}
	return now
}
