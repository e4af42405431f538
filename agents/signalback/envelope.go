package signalback

import (
	"slices"
	"strings"
)

// The keys that decide what a request means, by the path of their object.
var envelopeKeys = []string{"jsonrpc", "id", "method", "params"}

var paramsKeys = []string{"name", "arguments", "_meta", "task"}

// checkEnvelope refuses a request that two readers could read differently: a
// key given twice, or a meaningful key in another case, which encoding/json
// would take for the real one. It returns what is wrong, or "". What is not
// JSON at all is left to MCP, which has an answer of its own for that.
func checkEnvelope(body []byte) string {
	v, err := parse(body)
	if err != nil {
		if strings.Contains(err.Error(), "not valid JSON") {
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
