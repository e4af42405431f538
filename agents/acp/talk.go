package acp

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/transcript"
)

// talk is the exchange with one program. Only the goroutine that reads the program's output
// uses it, except for cancel.
type talk struct {
	spec     agents.Spec
	stream   *transcript.ACP
	out      *outbox
	pieces   pieces
	meta     map[string]any // Program.Meta
	calls    calls
	replayed int  // updates that told an earlier conversation again
	begun    bool // open was called
	session  atomic.Pointer[string]
	over     atomic.Bool // cancel was called
}

type object map[string]any

// encode returns a message. Nothing that we put into one fails to encode.
func encode(message object) []byte {
	message["jsonrpc"] = "2.0"
	data, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("encode %v: %v", message, err))
	}
	return data
}

// ask sends a request. Its id is the name of its method (transcript.ACPInitialize says why).
func (t *talk) ask(method string, params object) {
	t.out.put(encode(object{"id": method, "method": method, "params": params}))
}

func (t *talk) begin() {
	can := object{"fs": object{"readTextFile": false, "writeTextFile": false}, "terminal": false}
	if t.meta != nil {
		can["_meta"] = t.meta
	}
	t.ask(transcript.ACPInitialize, object{
		"protocolVersion": 1,
		"clientInfo":      object{"name": "questboard", "version": "1"},
		// The program reads and writes files and runs commands by itself, where its sandbox is.
		"clientCapabilities": can,
	})
}

// heard answers a line of the program, and passes on what of it is to be kept. It returns
// false if the program reads no answers.
func (t *talk) heard(line []byte, seen transcript.Seen, keep func([]byte)) bool {
	if seen.Replayed {
		t.replayed++
		return true
	}
	t.pieces.add(line, keep)
	m, ok := transcript.ReadMessage(line)
	if !ok {
		return true
	}
	switch {
	case m.Method != "" && m.ID.Exists():
		return t.asked(m, keep)
	case m.Method != "":
		t.calls.heard(m.Params.Get("update"))
	case seen.Result:
		t.out.end() // the program leaves by itself when it hears nothing more
	case m.ID.Str == transcript.ACPInitialize:
		if !t.begun { // once: who answers again and again and reads nothing would fill our memory
			t.begun = true
			t.open(m.Result)
		}
	case seen.Opened:
		if t.replayed > 0 {
			note(keep, fmt.Sprintf("The earlier conversation came again, and is left out here (lines: %d)", t.replayed))
		}
		id := t.stream.Facts().SessionID
		t.session.Store(&id)
		if t.over.Load() { // cancel came before there was a session to name: no turn begins
			return true
		}
		t.choose(m.Result, keep)
		t.ask(transcript.ACPPrompt, object{"sessionId": id,
			"prompt": []object{{"type": "text", "text": t.prompt()}}})
	}
	return true
}

// open begins the session, or goes on with one.
func (t *talk) open(agent gjson.Result) {
	params := object{"cwd": t.spec.Dir, "mcpServers": []object{{
		"type": "http", "name": agents.ServerOf(t.spec.QuestID), "url": t.spec.MCPURL,
		"headers": []object{{"name": "Authorization", "value": "Bearer " + t.spec.Token}},
	}}}
	can := agent.Get("agentCapabilities")
	switch {
	case !t.spec.Resume:
		t.ask(transcript.ACPNew, params)
		return
	case can.Get("sessionCapabilities.resume").IsObject():
		params["sessionId"] = t.spec.SessionID
		t.ask(transcript.ACPResume, params)
	case can.Get("loadSession").Bool():
		params["sessionId"] = t.spec.SessionID
		t.ask(transcript.ACPLoad, params)
	default:
		t.stream.CannotResume()
		t.out.end()
	}
}

// choose sets the role's model, if the program offers it.
func (t *talk) choose(session gjson.Result, keep func([]byte)) {
	if t.spec.Model == "" {
		return
	}
	for _, option := range session.Get("configOptions").Array() {
		if option.Get("category").Str != "model" {
			continue
		}
		for _, value := range option.Get("options").Array() {
			if value.Get("value").Str == t.spec.Model {
				t.ask(transcript.ACPSetting, object{"sessionId": *t.session.Load(),
					"configId": option.Get("id").Str, "value": t.spec.Model})
				return
			}
		}
	}
	note(keep, fmt.Sprintf("the agent does not offer the model %q, so it works with its own choice", t.spec.Model))
}

// system returns what every run of the quest is told. The protocol knows no system prompt,
// so it stands before the first message of a session.
func (t *talk) system() string {
	if t.spec.Resume {
		return ""
	}
	return t.spec.System
}

func (t *talk) prompt() string {
	if system := t.system(); system != "" {
		return system + "\n\n" + t.spec.Prompt
	}
	return t.spec.Prompt
}

// cancel tells the program to end its turn, or lets none begin. Any goroutine may call it.
func (t *talk) cancel() {
	t.over.Store(true)
	if id := t.session.Load(); id != nil {
		t.out.put(encode(object{"method": "session/cancel", "params": object{"sessionId": *id}}))
	}
}

// note keeps a line of our own.
func note(keep func([]byte), text string) {
	line, err := json.Marshal(object{"type": "note", "text": text})
	if err == nil {
		keep(line)
	}
}
