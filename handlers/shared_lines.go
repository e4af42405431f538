package handlers

import (
	"strings"

	"questboard/agents/transcript"
	"questboard/handlers/redact"
)

// lineReader makes the lines of one run's output readable, one after the other:
// for the owner, or, redacted, for a guest.
type lineReader struct {
	redactor *redact.Redactor // nil: for the owner
	inKey    bool             // within a private key that is printed line by line
	before   string           // the end of what the raw lines before said
}

// keyLines is how far back the head of a private key is looked for: longer ones
// are rare.
const keyLines = 120

// linesBefore is how much of what was printed before a line tells what the line
// is, in bytes.
const linesBefore = 200

// reader reads from line from. For a guest it looks at what was before: the
// line may be in the middle of a key.
func (p *Pages) reader(g *guest, run string, from int) *lineReader {
	if g == nil {
		return &lineReader{}
	}
	r := &lineReader{redactor: p.redactorFor(g)}
	before := max(0, from-keyLines)
	lines, _, err := p.Output.Page(run, before, from-before)
	if err != nil {
		return r // whoever asks for the lines themselves is told
	}
	for _, line := range lines {
		r.read(line)
	}
	return r
}

// read says what a line says. A guest never gets a line of JSON as an agent's
// program wrote it. What a command of the owner's printed, which we wrapped in
// JSON, is text: wherever it begins with a brace as well.
func (r *lineReader) read(line []byte) transcript.Line {
	l := transcript.Read(line)
	if r.redactor == nil {
		return l
	}
	if l.Kind == transcript.KindRaw && len(line) > 0 && line[0] == '{' && l.Text == string(line) {
		return transcript.Line{Kind: transcript.KindNote, Head: "Output", Text: "(not part of this share)"}
	}
	text := redact.Plain(l.Text) // colours must not cut a secret in two
	if r.ofKey(text) || r.inKey {
		l.Text, r.before = redact.Hidden, ""
		return l
	}
	l.Head = r.redactor.Text(l.Head)
	if l.Kind != transcript.KindRaw {
		l.Text = r.redactor.Text(text)
		return l
	}
	l.Text = r.redactor.After(r.before, text)
	r.before += "\n" + text
	r.before = r.before[max(0, len(r.before)-linesBefore):]
	return l
}

// ofKey reports whether a line lies between the head of a private key and its
// foot, both of which lines of their own have.
func (r *lineReader) ofKey(line string) bool {
	within := r.inKey
	if strings.Contains(line, "PRIVATE KEY") {
		switch head, foot := strings.LastIndex(line, "-----BEGIN "), strings.LastIndex(line, "-----END "); {
		case head > foot:
			r.inKey = true
		case foot > head:
			r.inKey = false
		}
	}
	return within && len(line) <= 200 // no line of a key is longer
}
