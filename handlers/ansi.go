package handlers

import "regexp"

// ansi matches the escape sequences of terminals: colours and cursor moves
// (CSI), titles and links (OSC), and the rest.
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\^_]")

// stripANSI removes them: ward's output is shown as text.
func stripANSI(s string) string { return ansi.ReplaceAllString(s, "") }
