package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"questboard/agents/transcript"
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
