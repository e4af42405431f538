package process

import (
	"maps"
	"slices"
	"strings"
)

// RunMarker is the environment variable that every process of a run carries.
const RunMarker = "QUESTBOARD_RUN_ID"

// supervisorMarker is carried by supervisors and by nothing that they start.
// Its value names their server (serverID).
const supervisorMarker = "QUESTBOARD_SUPERVISOR"

// Environment returns what agents and ward may see of environ: the allow-list
// of docs/interfaces.md#what-agents-see-of-the-environment, the names in extra, and add, which wins. Sorted by name.
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
	// Proxies are named in both cases; curl knows http_proxy only in this one.
	return strings.HasSuffix(name, "_PROXY") || strings.HasSuffix(name, "_proxy")
}

// without returns env without the variable name.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, name+"=")
	})
}
