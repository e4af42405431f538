package views

// deniedHint says what the proposed rule matches, and what a press does.
func deniedHint(d Denied) string {
	hint := "It allows this call. "
	switch {
	case d.Rule.Value == "":
		hint = "No rule names exactly this call. Write one that matches it, such as Bash(npm *) or WebFetch(domain:example.org). "
	case d.Rule.Error != "":
		hint = ""
	}
	return hint + "The agent that was denied the call goes on with the rule. If its session is over, the rule counts for later runs."
}
