package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// part is what topics of one kind look like now to one group of visitors. All their tabs
// share it.
type part struct {
	topics []string
	ready  chan struct{} // closed when html and err are set
	html   []byte        // what belongs between the quotes of a JSON string
	err    error
}

// parts are the parts that are rendered now or were a moment ago. A part leaves when one of
// its topics changes, so nobody gets what was read before a change that concerns them.
type parts struct {
	mu   sync.Mutex
	made map[string]*part            // by group and topics
	of   map[string]map[string]*part // by topic without All, then as in made
}

func newParts() *parts {
	return &parts{made: map[string]*part{}, of: map[string]map[string]*part{}}
}

// errPanic is the error of a part whose renderer panicked.
var errPanic = errors.New("the renderer panicked")

// get returns the part of a group's topics, which all have one kind. If there is none,
// render makes it, and others get it too until one of its topics changes, at most for a
// while. It returns an error of render, or if ctx ends while another call makes the part.
func (s *parts) get(ctx context.Context, group string, topics []string, while time.Duration,
	render func() (string, error)) ([]byte, error) {
	key := fmt.Sprintf("%s %q", group, topics)
	s.mu.Lock()
	p, there := s.made[key]
	if !there {
		p = &part{topics: topics, ready: make(chan struct{}), err: errPanic}
		s.add(key, p)
	}
	s.mu.Unlock()
	if there {
		select {
		case <-p.ready:
			return p.html, p.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer time.AfterFunc(while, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.made[key] == p { // otherwise a change removed it
			s.remove(key, p)
		}
	})
	defer close(p.ready)
	html, err := render()
	if err == nil && strings.TrimSpace(html) != "" {
		var quoted []byte
		if quoted, err = json.Marshal(html); err == nil {
			p.html = quoted[1 : len(quoted)-1]
		}
	}
	p.err = err
	return p.html, p.err
}

// changed removes the parts that have a topic, or everything below one above it.
func (s *parts) changed(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for above := range upwards(topic) {
		for key, p := range s.of[above] {
			if above == topic || slices.Contains(p.topics, above+All) {
				s.remove(key, p)
			}
		}
	}
}

// add and remove are called with the lock held.
func (s *parts) add(key string, p *part) {
	s.made[key] = p
	for _, topic := range p.topics {
		topic = strings.TrimSuffix(topic, All)
		if s.of[topic] == nil {
			s.of[topic] = map[string]*part{}
		}
		s.of[topic][key] = p
	}
}

func (s *parts) remove(key string, p *part) {
	delete(s.made, key)
	for _, topic := range p.topics {
		topic = strings.TrimSuffix(topic, All)
		if delete(s.of[topic], key); len(s.of[topic]) == 0 {
			delete(s.of, topic)
		}
	}
}

// byKind splits sorted topics by their first element, such as "board". Topics of one kind
// are rendered together, because an element may belong to several of them.
func byKind(topics []string) [][]string {
	var kinds [][]string
	for i, topic := range topics {
		if i == 0 || kindOf(topic) != kindOf(topics[i-1]) {
			kinds = append(kinds, nil)
		}
		kinds[len(kinds)-1] = append(kinds[len(kinds)-1], topic)
	}
	return kinds
}

func kindOf(topic string) string {
	kind, _, _ := strings.Cut(topic, "/")
	return kind
}
