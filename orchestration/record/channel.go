package record

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ChannelKind is a way in which people are told of something.
type ChannelKind string

// The kinds. The browser's own notifications are a setting of each browser.
const (
	ChannelWebhook ChannelKind = "webhook" // Standard Webhooks
	ChannelNtfy    ChannelKind = "ntfy"
	ChannelSlack   ChannelKind = "slack" // an incoming webhook
	ChannelCommand ChannelKind = "command"
)

// ChannelKinds lists every kind.
var ChannelKinds = []ChannelKind{ChannelWebhook, ChannelNtfy, ChannelSlack, ChannelCommand}

// Level says of what people are told.
type Level string

// The levels, from the widest on.
const (
	LevelAll   Level = "all"
	LevelNeeds Level = "needs" // only what needs a person
	LevelNone  Level = "none"
)

// Levels lists every level.
var Levels = []Level{LevelAll, LevelNeeds, LevelNone}

// Tells reports whether this level tells something. Empty means LevelAll.
func (l Level) Tells(needsPerson bool) bool {
	return l == LevelAll || l == "" || l == LevelNeeds && needsPerson
}

// Channel is one place where people are told of something.
type Channel struct {
	ID   string      `json:"id"`   // random; never used again
	Name string      `json:"name"` // the user's
	Kind ChannelKind `json:"kind"`
	// Address is the URL; of ntfy, with the topic. Those who know it can often send, so no
	// page shows it.
	Address string `json:"address,omitempty"`
	// Secret signs a webhook (whsec_…) or is ntfy's access token; empty: none.
	Secret string `json:"secret,omitempty"`
	// Command is the program, an absolute path, and its arguments.
	Command []string `json:"command,omitempty"`
	Level   Level    `json:"level,omitempty"`
	Quiet   Quiet    `json:"quiet,omitzero"`
	// Apart: what comes within a minute is not put into one message.
	Apart bool `json:"apart,omitempty"`
	// Local: the address may be of this machine or its network.
	Local bool `json:"local,omitempty"`
	// Stopped says why nothing is sent any more; empty: it is.
	Stopped string `json:"stopped,omitempty"`
}

// Quiet are the hours in which nothing is sent, as minutes of the day in the server's time
// zone. They may pass midnight. Equal: none.
type Quiet struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// End returns when the quiet hours around a time end, or the time itself outside of them.
func (q Quiet) End(at time.Time) time.Time {
	if q.From == q.To {
		return at
	}
	minute := at.Hour()*60 + at.Minute()
	within := q.From <= minute && minute < q.To
	if q.From > q.To {
		within = minute >= q.From || minute < q.To
	}
	if !within {
		return at
	}
	year, month, day := at.Date()
	if minute >= q.To {
		day++
	}
	return time.Date(year, month, day, q.To/60, q.To%60, 0, 0, at.Location())
}

// ReadQuiet reads quiet hours, such as 22:00 and 07:00: both times, or none.
func ReadQuiet(from, to string) (q Quiet, fault string) {
	if from == "" && to == "" {
		return Quiet{}, ""
	}
	begin, wrong := time.Parse("15:04", from)
	end, also := time.Parse("15:04", to)
	if wrong != nil || also != nil {
		return Quiet{}, "both times are needed, such as 22:00 and 07:00"
	}
	return Quiet{From: begin.Hour()*60 + begin.Minute(), To: end.Hour()*60 + end.Minute()}, ""
}

// Clock says when the quiet hours begin and end; empty: there are none.
func (q Quiet) Clock() (from, to string) {
	if q.From == q.To {
		return "", ""
	}
	clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
	return clock(q.From), clock(q.To)
}

// Place says where the channel leads, without what must stay secret.
func (c Channel) Place() string {
	if c.Kind == ChannelCommand && len(c.Command) > 0 {
		return path.Base(c.Command[0])
	}
	u, err := url.Parse(c.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// SetSecret sets the secret of a channel that was stored as old, and has its new address
// already. If none was typed, the stored one is kept, unless it is to be removed. But those
// who change the address may not know it, so it goes to no other place: fault then says
// what to do, and the channel has no secret.
func (c *Channel) SetSecret(typed string, remove bool, old Channel) (fault string) {
	switch {
	case typed != "" || remove || old.Secret == "":
		c.Secret = typed
	case !c.samePlace(old):
		c.Secret = ""
		return "the stored one is for " + old.Place() + ": type it again for another address, or remove it"
	default:
		c.Secret = old.Secret
	}
	return ""
}

// samePlace reports whether the addresses have the same scheme, host and port.
func (c Channel) samePlace(as Channel) bool {
	here, err := url.Parse(c.Address)
	there, also := url.Parse(as.Address)
	return err == nil && also == nil && here.Scheme == there.Scheme && strings.EqualFold(here.Host, there.Host)
}

// WebhookPrefix begins the secret of a webhook; base64 follows.
const WebhookPrefix = "whsec_"

// ntfyTopic is how ntfy names topics.
var ntfyTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// maxAddress is how long an address and a secret may be, in bytes.
const maxAddress = 2000

// Check returns the faults by field: name, kind, address, secret, command, level, quiet.
func (c Channel) Check() map[string]string {
	faults := map[string]string{}
	if c.Name == "" || utf8.RuneCountInString(c.Name) > 100 || strings.ContainsFunc(c.Name, unicode.IsControl) {
		faults["name"] = "a name of 1 to 100 characters is needed"
	}
	if c.Level != "" && !slices.Contains(Levels, c.Level) {
		faults["level"] = "choose all, needs or none"
	}
	for _, minute := range []int{c.Quiet.From, c.Quiet.To} {
		if minute < 0 || minute >= 24*60 {
			faults["quiet"] = "times of the day, such as 22:00 and 07:00"
		}
	}
	switch c.Kind {
	case ChannelCommand:
		c.checkCommand(faults)
	case ChannelWebhook, ChannelNtfy, ChannelSlack:
		c.checkAddress(faults)
	default:
		faults["kind"] = fmt.Sprintf("one of %v", ChannelKinds)
	}
	return faults
}

func (c Channel) checkCommand(faults map[string]string) {
	switch {
	case len(c.Command) == 0 || !path.IsAbs(c.Command[0]):
		faults["command"] = "the absolute path of a program is needed, and each argument in a line of its own; no shell reads them"
	case strings.ContainsRune(strings.Join(c.Command, ""), 0) || len(strings.Join(c.Command, "")) > 10*maxAddress:
		faults["command"] = "this is no command line"
	}
}

func (c Channel) checkAddress(faults map[string]string) {
	u, err := url.Parse(c.Address)
	switch {
	case c.Address == "":
		faults["address"] = "an address is needed"
	case len(c.Address) > maxAddress:
		faults["address"] = fmt.Sprintf("an address has at most %d bytes", maxAddress)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		faults["address"] = "an address that begins with https:// or http:// is needed"
	case c.Kind == ChannelNtfy && !ntfyTopic.MatchString(path.Base(u.Path)):
		faults["address"] = "the address ends with the topic, as in https://ntfy.sh/my-topic: letters, digits, - and _"
	}
	if strings.ContainsFunc(c.Secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || len(c.Secret) > maxAddress {
		faults["secret"] = fmt.Sprintf("a secret has only letters, digits and signs of ASCII, no spaces, and at most %d bytes", maxAddress)
	} else if c.Kind == ChannelWebhook {
		coded, is := strings.CutPrefix(c.Secret, WebhookPrefix)
		key, err := base64.StdEncoding.DecodeString(coded)
		if c.Secret != "" && (!is || err != nil || len(key) < 24 || len(key) > 64) {
			faults["secret"] = "it begins with whsec_, and 24 to 64 bytes in base64 follow"
		}
	}
}

// Channel returns the channel with this id.
func (s Settings) Channel(id string) (Channel, bool) {
	i := slices.IndexFunc(s.Channels, func(c Channel) bool { return c.ID == id })
	if i < 0 {
		return Channel{}, false
	}
	return s.Channels[i], true
}

// SetChannel replaces the channel with the same id, or adds a new one.
func (s *Settings) SetChannel(c Channel) {
	s.Channels = slices.Clone(s.Channels)
	if i := slices.IndexFunc(s.Channels, func(old Channel) bool { return old.ID == c.ID }); i >= 0 {
		s.Channels[i] = c
	} else {
		s.Channels = append(s.Channels, c)
	}
}

// SetLevel says of what of a quest people are told. LevelAll is what a quest has anyway.
func (s *Settings) SetLevel(quest string, l Level) {
	s.Levels = maps.Clone(s.Levels)
	if l == LevelAll || l == "" {
		delete(s.Levels, quest)
		return
	}
	if s.Levels == nil {
		s.Levels = map[string]Level{}
	}
	s.Levels[quest] = l
}

// RemoveChannel removes the channel with this id.
func (s *Settings) RemoveChannel(id string) {
	s.Channels = slices.DeleteFunc(slices.Clone(s.Channels), func(c Channel) bool { return c.ID == id })
}
