package process

import (
	"maps"
	"slices"
	"strings"
)

// RunMarker is the environment variable that every process of a run has.
const RunMarker = "QUESTBOARD_RUN_ID"

// supervisorMarker is an environment variable of supervisors, but not of the processes
// that they start. Its value names their server (serverID).
const supervisorMarker = "QUESTBOARD_SUPERVISOR"

// Environment returns the part of environ that agents and ward may see: the allow-list
// of docs/interfaces.md#what-agents-see-of-the-environment and the names in extra. Then
// it adds add, which wins. The result is sorted by name.
func Environment(environ, extra []string, add map[string]string) []string {
	kept := make(map[string]string)
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if ok && (allowed(name) || slices.Contains(extra, name)) {
			kept[name] = value
		}
	}
	maps.Copy(kept, add)
	out := make([]string, 0, len(kept))
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		out = append(out, name+"="+kept[name])
	}
	return out
}

// Variable returns the value of a variable of an environment, the last one; "": none.
func Variable(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

func allowed(name string) bool {
	switch name {
	case "HOME", "PATH", "LANG", "TERM", "TMPDIR", "NODE_EXTRA_CA_CERTS", "IS_SANDBOX":
		return true
	}
	for _, prefix := range []string{"ANTHROPIC_", "CLAUDE_CODE_", "DISABLE_", "AWS_", "GOOGLE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	// Proxies are named in upper and lower case; curl knows http_proxy only in lower
	// case.
	return strings.HasSuffix(name, "_PROXY") || strings.HasSuffix(name, "_proxy")
}

// without returns env without the variable name.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, name+"=")
	})
}
