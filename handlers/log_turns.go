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

// source says whose output is read, and for whom.
type source struct {
	guest *guest // nil: the owner
	run   string
	made  *madeRows // nil: no cache, every line is read again
}

// turn is a line of output in context: a tool call knows its result, and a result its
// call. Lines are counted from 0.
type turn struct {
	transcript.Line
	n      int
	result *transcript.Line // a call's result; nil: there is none yet, or it is far away
	call   *turn            // a result's call; nil: it is far away
	made   json.RawMessage  // its row from the cache; then the other fields are empty
}

// around is how far from a page a call's result, or a result's call, is searched. If it
// is further away, the line is shown alone.
const around = 1000

// turns reads n lines from line from, and returns the number of all lines.
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

// lines reads lines without connecting them.
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

// match connects results with their calls, by the ids of the calls. Some programs tell a
// call again while it is at work; the first time is shown.
func match(list []turn, calls map[string]*turn) {
	for i := range list {
		t := &list[i]
		switch first := calls[t.Call]; {
		case t.Call == "" || t.Kind == transcript.KindQuiet:
		case first == nil || first.n >= t.n:
			calls[t.Call] = t
		default:
			t.Kind = transcript.KindQuiet
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
	inKey    bool             // inside of a private key that is printed line by line
	before   string           // the end of the earlier raw text
}

// keyLines is how far back the head of a private key is searched; longer ones are rare.
const keyLines = 120

// linesBefore is how many bytes of the earlier output are used to judge a line.
const linesBefore = 200

// reader reads from line from. For a guest it also looks at the lines before, because
// the line may be in the middle of a key.
func (p *Pages) reader(g *guest, run string, from int) *lineReader {
	if g == nil {
		return &lineReader{}
	}
	r := &lineReader{redactor: p.redactorFor(g)}
	for at := max(0, from-keyLines); at < from; {
		lines, _, err := p.Output.Page(run, at, from-at)
		if err != nil || len(lines) == 0 {
			return r // the request for the lines reports the error
		}
		for _, line := range lines {
			r.read(line)
		}
		at += len(lines)
	}
	return r
}

// read makes a line readable. A guest never gets a line of JSON as an agent's program
// wrote it. The output of the owner's commands, which we wrapped in JSON, is text, even
// if it begins with a brace.
func (r *lineReader) read(line []byte) transcript.Line {
	l := transcript.Read(line)
	if r.redactor == nil {
		return l
	}
	if l.Kind == transcript.KindRaw && len(line) > 0 && line[0] == '{' && l.Text == string(line) {
		return transcript.Line{Kind: transcript.KindNote, Head: "Output", Text: "(not part of this share)"}
	}
	text := redact.Plain(l.Text) // colours must not split a secret
	if r.ofKey(text) || r.inKey {
		l.Text, l.By, r.before = redact.Hidden, "", ""
		return l
	}
	l.Head, l.By = r.redactor.Text(l.Head), r.redactor.Text(redact.Plain(l.By))
	if l.Kind != transcript.KindRaw {
		l.Text = r.redactor.Text(text)
		return l
	}
	l.Text = r.redactor.After(r.before, text)
	r.before += "\n" + text
	r.before = r.before[max(0, len(r.before)-linesBefore):]
	return l
}

// ofKey reports whether a line is between the head and the foot of a private key. Both
// have a line of their own.
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
	return within && len(line) <= 200 // lines of keys are shorter
}

const (
	// madeMost limits the cached rows in bytes, for each of two generations: some
	// seconds of fifty agents' output.
	madeMost = 2 << 20
	// madeCost is about how much memory a cached row takes besides its text. A line
	// that nobody needs to read has four bytes.
	madeCost = 128
)

// madeRows caches rows of recent output. Tabs that follow a run ask for the same lines
// at the same time, and making a row costs many times as much as reading its line.
// Output only grows, so a row that depends only on its line stays valid for ever. A nil
// cache is empty.
type madeRows struct {
	mu         sync.Mutex
	young, old map[madeRow]json.RawMessage
	bytes      int // of young
}

type madeRow struct {
	run string
	n   int
}

// of returns the rows of n lines from line from, with nil for unknown ones.
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

// keep caches the rows that depend on nothing else. When the young generation is full,
// the old one is dropped.
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
