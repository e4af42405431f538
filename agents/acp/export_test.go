package acp

import (
	"bytes"

	"questboard/agents"
	"questboard/agents/transcript"
)

// KeepConversation lets a test choose the time of a resume.
var KeepConversation = keepConversation

// Hear returns what a program is told if it says these lines.
func Hear(spec agents.Spec, said []byte) (told []byte) {
	t := &talk{spec: spec, stream: &transcript.ACP{}, out: newOutbox()}
	keep := func([]byte) {}
	for line := range bytes.Lines(said) {
		t.heard(line, t.stream.Feed(line), keep)
	}
	t.pieces.rest(keep)
	return t.out.queue
}
