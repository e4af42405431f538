package views

// drawn are the signs that static/css/icons.css draws, by the class that does.
var drawn = map[string]string{"✓": "done", "✕": "bad", "■": "stop", "○": "open", "◌": "wait", "◐": "run", "◎": "focus", "⏸": "pause", "▶": "now",
	"◆": "critical", "↻": "again", "⤳": "replaced", "⎇": "branch"}

// iconClass is how a sign looks: drawn, or as its letter.
func iconClass(sign string) string {
	if name := drawn[sign]; name != "" {
		return "icon drawn i-" + name
	}
	return "icon"
}
