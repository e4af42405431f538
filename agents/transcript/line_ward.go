package transcript

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// wardLine is a line of what a command of the user's had to say, the check or a
// worktree's set-up: what it printed stands as it was printed, columns and all.
func wardLine(event gjson.Result) Line {
	name, good, bad := "Ward", "Green", "Red"
	if event.Get("type").Str == "setup" {
		name, good, bad = "Set-up", "Ready", "Failed"
	}
	switch event.Get("subtype").Str {
	case "start":
		return said("tool", name, event.Get("command").Str)
	case "note":
		return said("note", name, event.Get("text").Str)
	case "end":
		took := (time.Duration(event.Get("duration_ms").Int()) * time.Millisecond).Round(100 * time.Millisecond)
		if event.Get("exit_code").Int() != 0 {
			return said("error", bad, fmt.Sprintf("%s, after %s", event.Get("why").Str, took))
		}
		if event.Get("none").Bool() || event.Get("reused").Bool() {
			return said("note", name, event.Get("why").Str) // nothing ran
		}
		return said("done", good, fmt.Sprintf("after %s", took))
	default:
		return Line{Kind: "raw", Text: event.Get("text").Str}
	}
}
