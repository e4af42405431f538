package e2etest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Told is a receiver of webhooks that keeps ids, and fails half of the time: before it counts,
// or after. It checks what is promised of messages: each try is signed with the receiver's
// secret, what comes again has the same id and the same content, an event has one id and is in
// one message, and events of a quest come in order, but for those in late messages.
type Told struct {
	// Bell rings when something has come.
	Bell chan struct{}
	// event names what a notice is about.
	event  func(ToldNotice) string
	signed *standardwebhooks.Webhook

	mu       sync.Mutex
	random   *rand.Rand
	ids      map[string]string // of notices, by event
	counted  map[string]int    // notices, by id
	messages map[string]string // what each message had, by id
	in       map[string]string // the message that has each notice, by ids
	newest   map[string]int    // the newest event of each quest that came
	late     int
	tries    int
	faults   []string
}

// ToldNotice is one notice of a webhook.
type ToldNotice struct{ ID, Kind, Quest, Question, Text string }

// ToldSecret is the secret of the receiver with this name.
func ToldSecret(name string) string {
	key := sha256.Sum256([]byte(name))
	return "whsec_" + base64.StdEncoding.EncodeToString(key[:])
}

// NewTold returns the receiver with this name. event names what a notice is about: two notices of
// one event must have one id.
func NewTold(name string, seed uint64, event func(ToldNotice) string) *Told {
	signed, err := standardwebhooks.NewWebhook(ToldSecret(name))
	if err != nil {
		panic(err)
	}
	return &Told{Bell: make(chan struct{}, 1), event: event, signed: signed, random: rand.New(rand.NewPCG(seed, 2)),
		ids: map[string]string{}, counted: map[string]int{}, messages: map[string]string{}, in: map[string]string{}, newest: map[string]int{}}
}

// ServeHTTP implements http.Handler.
func (c *Told) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return // the sender was killed before it had sent all
	}
	c.tries++
	if err := c.signed.Verify(body, r.Header); err != nil {
		c.wrong("try %d: %v", c.tries, err)
	}
	fails := c.random.IntN(4)
	if fails == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var got struct {
		Data struct {
			ID      string
			Late    bool
			Notices []ToldNotice
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		c.wrong("%v", err)
	}
	if id := r.Header.Get(standardwebhooks.HeaderWebhookID); id != got.Data.ID {
		c.wrong("message %s has the id %s in its header", got.Data.ID, id)
	}
	has := fmt.Sprint(got.Data.Notices)
	if was, known := c.messages[got.Data.ID]; known && was != has {
		c.wrong("message %s had %s and has %s", got.Data.ID, was, has)
	}
	c.messages[got.Data.ID] = has
	for _, n := range got.Data.Notices {
		if was, known := c.in[n.ID]; known && was != got.Data.ID {
			c.wrong("%s is in %s and in %s", n.ID, was, got.Data.ID)
		}
		c.in[n.ID] = got.Data.ID
		c.count(n, got.Data.Late)
	}
	select {
	case c.Bell <- struct{}{}:
	default: // it rings already
	}
	if fails == 1 {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func (c *Told) count(n ToldNotice, late bool) {
	event := c.event(n)
	if was, known := c.ids[event]; known && was != n.ID {
		c.wrong("%s has the ids %s and %s", event, was, n.ID)
	}
	c.ids[event] = n.ID
	if c.counted[n.ID]++; c.counted[n.ID] > 1 {
		return
	}
	_, number, _ := strings.Cut(n.ID, n.Quest+"-e")
	seq, err := strconv.Atoi(number)
	if err != nil {
		c.wrong("%s is no event of %s", n.ID, n.Quest)
	}
	if seq < c.newest[n.Quest] {
		if !late {
			c.wrong("%s came after event %d and is not late", n.ID, c.newest[n.Quest])
		}
		c.late++
	}
	c.newest[n.Quest] = max(c.newest[n.Quest], seq)
}

func (c *Told) wrong(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// Has counts the events that came.
func (c *Told) Has() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.counted)
}

// HasAll reports whether all notices with these ids came.
func (c *Told) HasAll(ids []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if c.counted[id] == 0 {
			return false
		}
	}
	return true
}

// Faults are the promises that were broken.
func (c *Told) Faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults
}

// Words say what came.
func (c *Told) Words() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := 0
	for _, n := range c.counted {
		more += n - 1
	}
	return fmt.Sprintf("%d events in %d messages, %d tries, %d events came again, %d late", len(c.counted), len(c.messages), c.tries, more,
		c.late)
}
