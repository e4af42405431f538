package orchestration

import (
	"fmt"
	"strconv"
	"time"
)

// NoticeKind says what a person is told of.
type NoticeKind string

// The kinds that code names. NoticeKinds has all kinds.
const (
	NoticeAsk          NoticeKind = "question"
	NoticePermission   NoticeKind = "permission"
	NoticeGate         NoticeKind = "gate"
	NoticeDelivered    NoticeKind = "delivered"
	NoticeComplete     NoticeKind = "complete"
	NoticeSharedBudget NoticeKind = "server-budget"
	NoticeSharedWarned NoticeKind = "server-budget-80"
	NoticeDamaged      NoticeKind = "damaged"
	NoticeHeld         NoticeKind = "account-held"
	NoticeLogin        NoticeKind = "login"
	NoticeFree         NoticeKind = "account-free"
	NoticeDisk         NoticeKind = "disk-full"
	NoticeBackup       NoticeKind = "backup-failed"
	NoticeTest         NoticeKind = "test"
)

// NoticeRow is all there is to know about one kind of notice.
type NoticeRow struct {
	Kind NoticeKind
	// Event is the entry of a quest's history that causes it; "": something else does. Wait
	// is the kind of the wait, if the event is EventQuestWaits.
	Event EventType
	Wait  WaitKind
	// Text is the field of the entry's data that says what is asked or why; "": none.
	Text string
	// Needs: a person must do something.
	Needs bool
	// Words tell people what it is.
	Words string
}

// NoticeKinds lists every kind. A new one is a new row here.
var NoticeKinds = []NoticeRow{
	{NoticeAsk, EventQuestionAsked, "", "text", true, "A question for you"},
	{NoticePermission, EventQuestionAsked, "", "text", true, "An agent asks for permission"},
	{NoticeGate, EventGateOpened, "", "", true, "Your approval is needed"},
	{"blocked", EventStepBlocked, "", "reason", true, "Blocked"},
	{NoticeComplete, EventQuestCompleted, "", "", false, "Complete"},
	{NoticeDelivered, EventQuestDelivered, "", "", false, "Merged"},
	{"budget-80", EventQuestWarned, "", "why", false, "80 % of the budget is spent"},
	{"budget", EventQuestWaits, WaitBudget, "reason", true, "The budget is spent"},
	{"runs", EventQuestWaits, WaitRuns, "reason", true, "The limit of runs is reached"},
	{"start", EventQuestWaits, WaitStart, "reason", true, "The agent cannot start"},
	{NoticeSharedWarned, "", "", "", false, "80 % of a budget of the server is spent"},
	{NoticeSharedBudget, "", "", "", true, "A budget of the server is spent"},
	{NoticeDamaged, "", "", "", true, "The stored quest cannot be read"},
	{NoticeHeld, "", "", "", false, "The agent's account is at its limit"},
	{NoticeLogin, "", "", "", true, "The agent is not logged in"},
	{NoticeFree, "", "", "", false, "The agent's account may be used again"},
	{NoticeDisk, "", "", "", true, "Nothing can be stored"},
	{NoticeBackup, "", "", "", true, "No backup was made"},
	{NoticeTest, "", "", "", true, "A test"},
}

// Notice is one thing that a person is told, perhaps by several channels. What is told
// twice has the same ID.
type Notice struct {
	ID       string     `json:"id"`
	Kind     NoticeKind `json:"kind"`
	At       time.Time  `json:"at"`
	Needs    bool       `json:"needs,omitempty"`    // a person must do something
	Quest    string     `json:"quest,omitempty"`    // empty: it is about the server
	Title    string     `json:"title,omitempty"`    // of the quest
	Step     string     `json:"step,omitempty"`     // may be empty
	Question string     `json:"question,omitempty"` // its id
	Agent    string     `json:"agent,omitempty"`    // whose account it is about
	Text     string     `json:"text,omitempty"`     // what is asked, or why: the words of an agent
}

// Words tell people what the notice is.
func (n Notice) Words() string { return n.Kind.row().Words }

// NewNotice returns a notice about the server. Its id is made of the time.
func NewNotice(kind NoticeKind, text string, at time.Time) Notice {
	return Notice{ID: string(kind) + "-" + strconv.FormatInt(at.UnixNano(), 36), Kind: kind, At: at, Needs: kind.row().Needs, Text: text}
}

// tells reports whether the entry causes a notice of this kind. A question with a rule asks for
// permission.
func (r NoticeRow) tells(event Event) bool {
	switch {
	case r.Event == "" || r.Event != event.Type:
		return false
	case r.Event == EventQuestionAsked:
		return (r.Kind == NoticePermission) == (event.Data["rule"] != "")
	default:
		return r.Wait == "" || string(r.Wait) == event.Data["kind"]
	}
}

func (k NoticeKind) row() NoticeRow {
	for _, row := range NoticeKinds {
		if row.Kind == k {
			return row
		}
	}
	return NoticeRow{Kind: k, Words: string(k)} // of a newer version
}

// NoticesOf returns what a person is told of a transition. A quest that arrives with its
// whole history, as an imported one does, tells nothing.
func NoticesOf(t Transition) []Notice {
	if t.Before == 0 {
		return nil
	}
	var list []Notice
	for _, event := range t.Events {
		for _, row := range NoticeKinds {
			if !row.tells(event) {
				continue
			}
			n := Notice{ID: fmt.Sprintf("%s-e%d", t.Quest.ID, event.Seq), Kind: row.Kind, At: event.At, Needs: row.Needs,
				Quest: t.Quest.ID, Title: t.Quest.Title, Step: event.Step, Question: event.Data["question"]}
			if row.Text != "" {
				n.Text = event.Data[row.Text]
			}
			if row.Kind == NoticeComplete {
				n.Needs = t.Quest.Undelivered()
			}
			list = append(list, n)
		}
	}
	return list
}

// HoldNotices returns what a person is told when the holds of accounts change. An overload
// passes in minutes, so it is not told.
func HoldNotices(before, after []AccountHold, at time.Time) []Notice {
	var list []Notice
	was, is := heldAgents(before), heldAgents(after)
	for _, h := range after {
		if old, known := was[h.Agent]; h.Kind == HoldOverload || known && old == is[h.Agent] || is[h.Agent] != h.Kind {
			continue
		}
		kind := NoticeHeld
		if h.Kind == HoldLogin {
			kind = NoticeLogin
		}
		list = append(list, accountNotice(kind, h.Agent, h.Reason, at))
	}
	for _, h := range before {
		if _, still := is[h.Agent]; !still && was[h.Agent] == h.Kind {
			list = append(list, accountNotice(NoticeFree, h.Agent, "", at))
		}
	}
	return list
}

// SharedBudgetNotices returns what a person is told when what is used of the server's budgets
// changes, or the budgets do: those that are nearly spent now, or spent, and were not before.
// The budget of a day needs nobody, because the next day brings another.
func SharedBudgetNotices(before, after []SharedBudget, at time.Time) []Notice {
	var list []Notice
	for _, p := range after {
		part, was := p.Budget.Part(p.Used), 0.0
		for _, old := range before {
			if old.Kind == p.Kind {
				was = old.Budget.Part(old.Used)
			}
		}
		var n Notice
		switch {
		case part >= Spent && was < Spent:
			n = NewNotice(NoticeSharedBudget, p.words(), at)
			n.Needs = p.Until.IsZero()
		case part >= Warned && was < Warned:
			n = NewNotice(NoticeSharedWarned, p.Warning(), at)
		default:
			continue
		}
		n.ID = string(p.Kind) + "-" + n.ID
		list = append(list, n)
	}
	return list
}

// DamageNotice is what a person is told when the stored quest cannot be read.
func (q *Quest) DamageNotice(at time.Time) Notice {
	n := NewNotice(NoticeDamaged, q.Wait.Reason, at)
	n.ID, n.Quest, n.Title = q.ID+"-"+n.ID, q.ID, q.Title
	return n
}

// heldAgents says what holds each agent's account. A missing login counts more than a
// limit, because it does not end by itself.
func heldAgents(holds []AccountHold) map[string]HoldKind {
	held := map[string]HoldKind{}
	for _, h := range holds {
		if h.Kind != HoldOverload && held[h.Agent] != HoldLogin {
			held[h.Agent] = h.Kind
		}
	}
	return held
}

func accountNotice(kind NoticeKind, agent, text string, at time.Time) Notice {
	n := NewNotice(kind, text, at)
	n.ID, n.Agent = agent+"-"+n.ID, agent
	return n
}
