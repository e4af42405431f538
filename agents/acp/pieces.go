package acp

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
)

// pieces joins the pieces of an agent's texts: some programs send a line for each word. What
// is kept has the form of one piece with the whole text.
type pieces struct {
	first []byte // the first piece, as it came
	kind  string
	id    string // of its message
	text  []byte
}

// maxJoined is the length of a text, in bytes, from which it is kept without waiting for
// more.
const maxJoined = 4 << 10

// add keeps a line, or holds it back because more of its text may come.
func (p *pieces) add(line []byte, keep func([]byte)) {
	kind, id, text := readPiece(line)
	if kind == "" || kind != p.kind || id != p.id {
		p.rest(keep)
	}
	if kind == "" {
		keep(line)
		return
	}
	if p.first == nil {
		p.first, p.kind, p.id = bytes.Clone(line), kind, id
	}
	if p.text = append(p.text, text...); len(p.text) > maxJoined {
		p.rest(keep)
	}
}

// rest keeps what was held back.
func (p *pieces) rest(keep func([]byte)) {
	if p.first == nil {
		return
	}
	line := p.first
	if _, _, text := readPiece(line); len(text) != len(p.text) {
		line = p.joined()
	}
	*p = pieces{}
	keep(line)
}

func (p *pieces) joined() []byte {
	update := object{"sessionUpdate": p.kind, "content": object{"type": "text", "text": string(p.text)}}
	if p.id != "" {
		update["messageId"] = p.id
	}
	return encode(object{"method": "session/update", "params": object{
		"sessionId": gjson.GetBytes(p.first, "params.sessionId").Str, "update": update}})
}

// longPiece is the size of a line, in bytes, from which it is kept as it is.
const longPiece = 8 << 10

// readPiece returns the kind, the message and the text of a piece; no kind: the line is
// something else.
func readPiece(line []byte) (kind, id, text string) {
	if len(line) > longPiece || !json.Valid(line) {
		return "", "", ""
	}
	u := gjson.GetBytes(line, "params.update")
	kind = u.Get("sessionUpdate").Str
	if kind != "agent_message_chunk" && kind != "agent_thought_chunk" || u.Get("content.type").Str != "text" {
		return "", "", ""
	}
	return kind, u.Get("messageId").Str, u.Get("content.text").Str
}
