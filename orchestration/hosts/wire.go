package hosts

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/questfile"
	"questboard/orchestration/record"
)

// What is said over the websocket. N numbers a call that wants an answer; Re answers it.
type envelope struct {
	N    uint64          `json:"n,omitempty"`
	Re   uint64          `json:"re,omitempty"`
	Do   string          `json:"do,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
	Err  string          `json:"err,omitempty"`
}

// What a host says.
const (
	doHello    = "hello"    // first; hello
	doBeat     = "beat"     // beat, or the server's own: serverBeat
	doPost     = "post"     // a call: posted; answered once it is stored
	doNewest   = "newest"   // a call: ofQuest; answered with the quest or null
	doPermit   = "permit"   // a call: permitting; answered with permitted
	doWorks    = "works"    // an agent's name
	doChanged  = "changed"  // ofStep
	doProgress = "progress" // progress
	doFreed    = "freed"    // ofRun
	doSize     = "size"     // a call: ofRun; answered with how many bytes of its output are stored
	doOutput   = "output"   // a call: output; answered with the same
	doLeaving  = "leaving"  // it takes nothing new, because it ends
)

// What the server says.
const (
	doWelcome   = "welcome" // first; welcome
	doStart     = "start"   // start
	doEnd       = "end"     // ending
	doInterrupt = "interrupt"
	doMerge     = "merge" // ofStep, with the quest
	doRelease   = "release"
	doPrepare   = "prepare"
	doTidy      = "tidy"
	doOrphan    = "orphan" // orphan
	doReached   = "reached"
	doForget    = "forget" // ofStep
	doLook      = "look"   // a call: ofStep, with the quest; answered with a fingerprint
	doSeek      = "seek"   // a call: seeking; answered with []Sought
)

// hello is how a host introduces itself.
type hello struct {
	Instance string   `json:"instance"` // of this process: another process has another one
	Labels   []string `json:"labels"`
	Slots    int      `json:"slots"`
	Checks   int      `json:"checks"`
	Repos    []string `json:"repos"`  // as the server names them
	Runs     []string `json:"runs"`   // that are at work
	Quests   []string `json:"quests"` // of which the host has something
	Data     string   `json:"data"`   // where it keeps working trees
}

// welcome is the server's answer.
type welcome struct {
	Settings record.Settings `json:"settings"`
	Storable bool            `json:"storable"` // as in serverBeat
	// Quests are those that work on this host, with how many times each has moved.
	Quests map[string]int `json:"quests"`
	// Left are quests that the host knows and that work on another one now.
	Left []string `json:"left"`
}

type beat struct {
	Load float64 `json:"load"` // of the last minute, for each core
	Free int64   `json:"free"` // bytes on the disk of its working trees
}

// serverBeat is what a beat of the server says.
type serverBeat struct {
	Storable bool `json:"storable"` // what is reported can be stored now
}

type ofRun struct {
	Run string `json:"run"`
}

// forQuest are the settings for the repository of a quest.
type forQuest struct {
	Settings record.Settings `json:"settings,omitzero"`
	Repo     string          `json:"repo,omitempty"` // its path on the server
}

// settingsFor returns what a host needs of the settings for a quest; nil: for none. It tells
// nothing of other repositories, of channels and of other hosts.
func settingsFor(s record.Settings, q *orchestration.Quest) forQuest {
	out := forQuest{Settings: record.Settings{Timeouts: s.Timeouts, Roles: s.Roles}}
	if q == nil {
		return out
	}
	out.Repo = q.Repo
	for _, t := range s.Trust {
		if related(t.Path, q.Repo) {
			out.Settings.Trust = append(out.Settings.Trust, t)
		}
	}
	for _, r := range s.Repos {
		if related(r.Path, q.Repo) {
			out.Settings.Repos = append(out.Settings.Repos, r)
		}
	}
	programs := slices.Concat(q.Agents(), q.Fallbacks())
	for _, r := range q.Runs.All() { // their sessions are resumed by the program that began them
		programs = append(programs, r.Agent)
	}
	for _, a := range s.Agents {
		if slices.Contains(programs, record.AgentPrefix+a.Name) {
			out.Settings.Agents = append(out.Settings.Agents, a)
		}
	}
	return out
}

// related reports whether one folder is, holds or lies in the other.
func related(a, b string) bool { return within(a, b) || within(b, a) }

type ofStep struct {
	Quest string `json:"quest"`
	Step  string `json:"step"`
	File  []byte `json:"file,omitempty"` // the quest
	forQuest
}

type start struct {
	File   []byte `json:"file"`
	Run    string `json:"run"`
	Secret string `json:"secret"`
	forQuest
}

type ending struct {
	Run   string                  `json:"run"`
	Grace orchestration.GraceKind `json:"grace"`
}

type orphan struct {
	File []byte `json:"file"`
	Run  string `json:"run"`
	Why  string `json:"why"`
}

type interrupting struct {
	Quest string `json:"quest"`
	Why   string `json:"why"`
}

type seeking struct {
	File     []byte                   `json:"file"`
	Step     string                   `json:"step"`
	Evidence []orchestration.Evidence `json:"evidence"`
}

type permitting struct {
	Quest string             `json:"quest"`
	Run   string             `json:"run"`
	Call  orchestration.Call `json:"call"`
}

type permitted struct {
	No    string `json:"no"`
	Waits bool   `json:"waits"`
}

// progress is what the output of a run has told so far.
type progress struct {
	Quest       string             `json:"quest"`
	Step        string             `json:"step"`
	Run         string             `json:"run"`
	Line        string             `json:"line"`
	Text        string             `json:"text"`
	Compactions int                `json:"compactions"`
	Told        orchestration.Told `json:"told"`
}

// output is a part of a run's output, whole lines. From is where it begins, in bytes.
type output struct {
	Run  string `json:"run"`
	From int64  `json:"from"`
	Data []byte `json:"data"`
	End  bool   `json:"end,omitempty"` // no more follows
	// Files are kept beside the output, by name. They come whole.
	Files map[string][]byte `json:"files,omitempty"`
}

// posted is an input that only the host knows.
type posted struct {
	Quest string          `json:"quest"`
	Kind  string          `json:"kind"`
	Input json.RawMessage `json:"input"`
}

// inputs are the kinds that a host may post: what becomes of its own runs and trees.
var inputs = map[string]func(json.RawMessage) (orchestration.InputKind, error){
	"process-started": decoded[orchestration.ProcessStarted],
	"session-opened":  decoded[orchestration.SessionOpened],
	"run-exited":      decoded[orchestration.RunExited],
	"merge-ended":     decoded[orchestration.MergeEnded],
	"tree-not-made":   decoded[orchestration.TreeNotMade],
}

func decoded[T orchestration.InputKind](body json.RawMessage) (orchestration.InputKind, error) {
	var f T
	err := json.Unmarshal(body, &f)
	return f, err
}

func kindOf(input orchestration.InputKind) string {
	switch input.(type) {
	case orchestration.ProcessStarted:
		return "process-started"
	case orchestration.SessionOpened:
		return "session-opened"
	case orchestration.RunExited:
		return "run-exited"
	case orchestration.MergeEnded:
		return "merge-ended"
	case orchestration.TreeNotMade:
		return "tree-not-made"
	}
	return ""
}

// runOf returns the run that an input concerns, or "".
func runOf(input orchestration.InputKind) string {
	switch f := input.(type) {
	case orchestration.ProcessStarted:
		return f.Run
	case orchestration.SessionOpened:
		return f.Run
	case orchestration.RunExited:
		return f.Run
	}
	return ""
}

func input(p posted) (orchestration.InputKind, error) {
	decode := inputs[p.Kind]
	if decode == nil {
		return nil, fmt.Errorf("a host cannot post %.40q", p.Kind)
	}
	f, err := decode(p.Input)
	if err == nil {
		if run := runOf(f); run != "" && orchestration.QuestOf(run) != p.Quest {
			err = fmt.Errorf("run %.60q is not of quest %.40q", run, p.Quest)
		}
	}
	return f, err
}

// fileOf returns a quest as it is sent.
func fileOf(q *orchestration.Quest) ([]byte, error) { return questfile.Now(q) }

// questOf reads a quest that was sent.
func questOf(file []byte) (*orchestration.Quest, error) { return questfile.ReadNow(file) }

// later is a time that is not reached if since is zero.
func later(since time.Time, after time.Duration, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= after
}
