package handlers

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// wardLine is a line of the check's output: what the command printed stands as
// it was printed, columns and all.
func wardLine(event gjson.Result) logLine {
	switch event.Get("subtype").Str {
	case "start":
		return logLine{"tool", "Ward", event.Get("command").Str}
	case "note":
		return logLine{"note", "Ward", event.Get("text").Str}
	case "end":
		took := (time.Duration(event.Get("duration_ms").Int()) * time.Millisecond).Round(100 * time.Millisecond)
		if event.Get("exit_code").Int() != 0 {
			return logLine{"error", "Red", fmt.Sprintf("%s, after %s", event.Get("why").Str, took)}
		}
		return logLine{"done", "Green", fmt.Sprintf("after %s", took)}
	default:
		return logLine{Kind: "raw", Text: event.Get("text").Str}
	}
}
