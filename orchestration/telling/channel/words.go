package channel

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/web/paths"
)

// said is a message in words for people. The words of agents in it are clean, but may be
// markup somewhere.
type said struct {
	head  string // a line
	url   string // where a press leads
	needs bool
	lines []line
}

// line is what one notice says.
type line struct {
	head string // what it is, and of which quest
	text string // what is asked, or why; may be empty
	url  string
	of   orchestration.Notice // its texts are clean
}

// textMost is how many characters of what an agent says are told. The page has all.
const textMost = 600

func (s Sender) words(ctx context.Context, m record.Message) said {
	var out said
	needs := 0
	for _, n := range m.Notices {
		n.Title, n.Text = cut(s.Clean(ctx, n.Quest, n.Title), 120), cut(s.Clean(ctx, n.Quest, n.Text), textMost)
		n.Agent, n.Step = s.Clean(ctx, "", n.Agent), s.Clean(ctx, "", n.Step)
		head := n.Words()
		switch {
		case n.Title != "":
			head += " · " + n.Title
		case n.Quest != "":
			head += " · " + n.Quest
		case n.Agent != "":
			head += " · " + n.Agent
		}
		if n.Needs {
			needs++
		}
		out.lines = append(out.lines, line{head: head, text: n.Text, url: s.Site + place(n), of: n})
	}
	out.needs = needs > 0
	if len(out.lines) == 1 {
		out.head, out.url = out.lines[0].head, out.lines[0].url
		return out
	}
	out.head, out.url = fmt.Sprintf("%d things happened", len(out.lines)), s.Site+paths.Today
	if needs > 0 {
		out.head, out.url = fmt.Sprintf("%d things happened, %d for you to do", len(out.lines), needs), s.Site+paths.Questions
	}
	return out
}

// place is the page that a notice is about.
func place(n orchestration.Notice) string {
	switch {
	case n.Question != "":
		return paths.Question(n.Question)
	case n.Kind == orchestration.NoticeGate:
		return paths.Gate(n.Quest, n.Step)
	case n.Quest != "" && n.Step != "":
		return paths.Step(n.Quest, n.Step)
	case n.Kind == orchestration.NoticeComplete || n.Kind == orchestration.NoticeDelivered:
		return paths.Delivery(n.Quest)
	case n.Quest != "":
		return paths.Quest(n.Quest)
	case n.Kind == orchestration.NoticeTest:
		return paths.Channels
	case n.Kind == orchestration.NoticeSharedBudget || n.Kind == orchestration.NoticeSharedWarned:
		return paths.Limits
	case n.Agent != "":
		return paths.Questions
	default:
		return paths.Doctor
	}
}

// cut shortens a text to at most this many characters.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return strings.TrimSpace(string(runes[:most-1])) + "…"
}

// text is the whole message as text, of at most this many bytes.
func (m said) text(most int) string {
	var b strings.Builder
	for i, l := range m.lines {
		var part string
		if len(m.lines) > 1 {
			part = l.head
		}
		if l.text != "" {
			part = strings.TrimPrefix(part+"\n"+l.text, "\n")
		}
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			part = "\n\n" + part
		}
		if b.Len()+len(part) > most-20 {
			fmt.Fprintf(&b, "\n\n… and %d more", len(m.lines)-i)
			break
		}
		b.WriteString(part)
	}
	if b.Len() == 0 {
		return m.head
	}
	return b.String()
}
