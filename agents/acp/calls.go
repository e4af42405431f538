package acp

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents/transcript"
)

// calls are the tool calls that are open. A question about one may tell only what is new, or
// nothing but its id (seen in Codex).
type calls map[string]map[string]json.RawMessage

// maxCalls is how many calls are kept, and maxCall how long a field of one may be, in bytes.
const (
	maxCalls = 64
	maxCall  = 64 << 10
)

// askedFields are what a question about a call needs.
var askedFields = []string{"title", "kind", "rawInput", "locations"}

// heard keeps what an update tells of a call, until it is over.
func (c *calls) heard(update gjson.Result) {
	id := update.Get("toolCallId").Str
	if !strings.HasPrefix(update.Get("sessionUpdate").Str, "tool_call") || id == "" {
		return
	}
	if status := update.Get("status").Str; status == "completed" || status == "failed" {
		delete(*c, id)
		return
	}
	if *c == nil {
		*c = calls{}
	}
	known := (*c)[id]
	if known == nil {
		if len(*c) == maxCalls {
			return
		}
		known = map[string]json.RawMessage{}
		(*c)[strings.Clone(id)] = known
	}
	for _, field := range askedFields {
		value := update.Get(field)
		if field == "rawInput" && len(value.Raw) > maxCall {
			value = nameAlone(value)
		}
		switch {
		case !value.Exists():
		case len(value.Raw) <= maxCall:
			known[field] = json.RawMessage(strings.Clone(value.Raw))
		default:
			delete(known, field) // what was told before is no longer true
		}
	}
}

// nameAlone leaves of an input for a tool of ours what says which tool it is: all that a question
// needs. A person may be asked about any other, and sees it in full.
func nameAlone(input gjson.Result) gjson.Result {
	server, name := serverTool(input)
	if transcript.OwnTool(server+"."+name) == "" {
		return input
	}
	short, _ := json.Marshal(object{"server": server, "tool": name}) // of strings: it does not fail
	return gjson.ParseBytes(short)
}

// complete adds to a call what was told of it earlier.
func (c calls) complete(call gjson.Result) gjson.Result {
	known := c[call.Get("toolCallId").Str]
	if known == nil {
		return call
	}
	all := map[string]json.RawMessage{}
	for field, value := range known {
		all[field] = value
	}
	call.ForEach(func(key, value gjson.Result) bool {
		all[key.Str] = json.RawMessage(value.Raw)
		return true
	})
	whole, err := json.Marshal(all)
	if err != nil {
		return call
	}
	return gjson.ParseBytes(whole)
}
