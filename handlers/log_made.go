package handlers

import (
	"encoding/json"
	"sync"
)

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
