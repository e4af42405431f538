package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"questboard/agents/transcript"
	"questboard/handlers/redact"
)

// source is whose look at which run's output.
type source struct {
	guest *guest // nil: the owner
	run   string
	made  *madeRows // nil: every line is read anew
}

// turn is a line of output in its place: a tool's call knows its result, and a
// result its call. Lines are counted from 0.
type turn struct {
	transcript.Line
	n      int
	result *transcript.Line // of a call; nil: there is none yet, or it is far away
	call   *turn            // of a result; nil: it is far away
	made   json.RawMessage  // its row, known already; then nothing else is
}

// around is how far from a page a call is looked for, or its result. What is
// further away stands on its own.
const around = 1000

// turns reads n lines from line from, and how many there are.
func (p *Pages) turns(s source, from, n int) ([]turn, int, error) {
	list, total, err := p.lines(s, from, n)
	if err != nil || len(list) == 0 {
		return nil, total, err
	}
	calls := map[string]*turn{}
	match(list, calls)
	if lacks(list, func(t *turn) bool { return t.Of != "" && t.call == nil }) && from > 0 {
		before, _, err := p.lines(s, max(0, from-around), min(from, around))
		if err != nil {
			return nil, 0, err
		}
		match(before, calls)
		match(list, calls)
	}
	end := from + len(list)
	if lacks(list, func(t *turn) bool { return t.Call != "" && t.result == nil }) && end < total {
		after, _, err := p.lines(s, end, around)
		if err != nil {
			return nil, 0, err
		}
		match(after, calls)
	}
	return list, total, nil
}

// lines reads lines that know nothing of each other.
func (p *Pages) lines(s source, from, n int) ([]turn, int, error) {
	raw, total, err := p.Output.Page(s.run, from, n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read output of %s: %w", s.run, err)
	}
	list := make([]turn, len(raw))
	if len(raw) == 0 {
		return list, total, nil
	}
	reader := p.reader(s.guest, s.run, from)
	known := s.made.of(s.run, from, len(raw))
	for i, line := range raw {
		if list[i] = (turn{n: from + i, made: known[i]}); known[i] == nil {
			list[i].Line = reader.read(line)
		}
	}
	return list, total, nil
}

// match brings results to their calls, by the ids of the calls.
func match(list []turn, calls map[string]*turn) {
	for i := range list {
		t := &list[i]
		if t.Call != "" {
			calls[t.Call] = t
		}
		if call := calls[t.Of]; t.Of != "" && call != nil {
			t.call, call.result = call, &t.Line
		}
	}
}

func lacks(list []turn, what func(*turn) bool) bool {
	for i := range list {
		if what(&list[i]) {
			return true
		}
	}
	return false
}

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

const (
	// madeMost bounds the rows that are remembered, in bytes of each of two
	// generations: seconds of what fifty agents print.
	madeMost = 2 << 20
	// madeCost is what remembering a row takes beside the row, about: a line that
	// nobody needs to read is four bytes.
	madeCost = 128
)

// madeRows remembers rows of what runs printed lately. Tabs that follow a run
// ask for the same lines within a moment, and making a row costs many times
// what reading its line does. Output only grows, so that a row which depends on
// its line alone is right for ever. A nil one remembers nothing.
type madeRows struct {
	mu         sync.Mutex
	young, old map[madeRow]json.RawMessage
	bytes      int // of young
}

type madeRow struct {
	run string
	n   int
}

// of returns the rows of n lines from line from; nil where one is not known.
func (m *madeRows) of(run string, from, n int) []json.RawMessage {
	rows := make([]json.RawMessage, n)
	if m == nil {
		return rows
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range rows {
		key := madeRow{run, from + i}
		if rows[i] = m.young[key]; rows[i] == nil {
			rows[i] = m.old[key]
		}
	}
	return rows
}

// keep remembers the rows that stand for themselves. The oldest generation is
// forgotten when the young one is full.
func (m *madeRows) keep(run string, list []turn, rows []json.RawMessage) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range list {
		if t := &list[i]; t.made == nil && t.Call == "" && t.Of == "" {
			if m.young == nil || m.bytes > madeMost {
				m.old, m.young, m.bytes = m.young, map[madeRow]json.RawMessage{}, 0
			}
			m.young[madeRow{run, t.n}] = rows[i]
			m.bytes += len(rows[i]) + madeCost
		}
	}
}
