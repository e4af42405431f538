package views

// drawn are the signs that static/css/icons.css draws, with the class that does it.
var drawn = map[string]string{"✓": "done", "✕": "bad", "■": "stop", "○": "open", "◌": "wait", "◐": "run", "◎": "focus", "⏸": "pause",
	"▶": "now",
	"◆": "critical", "↻": "again", "⤳": "replaced", "⎇": "branch"}

// iconClass is the class that draws a sign. Other signs are shown as letters.
func iconClass(sign string) string {
	if name := drawn[sign]; name != "" {
		return "icon drawn i-" + name
	}
	return "icon"
}
