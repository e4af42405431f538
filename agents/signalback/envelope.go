package signalback

import (
	"errors"
	"slices"
	"strings"
)

// The keys that decide what a request means, by the path of their object.
var envelopeKeys = []string{"jsonrpc", "id", "method", "params"}

var paramsKeys = []string{"name", "arguments", "_meta", "task"}

// checkEnvelope refuses a request that two readers could understand differently: a
// duplicate key, or a known key in another case, which encoding/json would accept as
// the real one. It returns what is wrong, or "". MCP itself answers requests that are
// not JSON.
func checkEnvelope(body []byte) string {
	v, err := parse(body)
	if err != nil {
		if errors.Is(err, errNotJSON) {
			return ""
		}
		return err.Error()
	}
	envelope, ok := v.(object)
	if !ok {
		return "a request is one JSON object; batches are not taken"
	}
	if key := miscased(envelope, envelopeKeys); key != "" {
		return "unknown key " + key
	}
	if params, ok := envelope.values["params"].(object); ok {
		if key := miscased(params, paramsKeys); key != "" {
			return "unknown key params." + key
		}
	}
	return ""
}

func miscased(o object, known []string) string {
	for _, key := range o.keys {
		if slices.Contains(known, key) {
			continue
		}
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, key) }) {
			return key
		}
	}
	return ""
}
