package present

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheOptionsOfAQuestionAreThoseThatItsAgentNumbered(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		var s strings.Builder
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&s, "%d. way %d\n", i, i)
		}
		return s.String()
	}
	for _, c := range []struct {
		name, text string
		want       []string // what the agent gets as the answer
	}{
		{"dots", "Which login?\n1. the SSO\n2. a password", []string{"1. the SSO", "2. a password"}},
		{"brackets", "Which?\n\n1) SSO\n\n2) password\n\n3) both", []string{"1) SSO", "2) password", "3) both"}},
		{"letters", "Which?\n(a) SSO\n(b) password", []string{"(a) SSO", "(b) password"}},
		{"capitals", "Which?\nA. SSO\nB. password", []string{"A. SSO", "B. password"}},
		{"the word", "I see two ways.\n\nOption 1: SSO\nIt is quick.\n\nOption 2: password\n\nWhich one?", []string{"Option 1: SSO", "Option 2: password"}},
		{"the word in bold, in a list", "- **Option A:** SSO\n- **Option B:** password", []string{"**Option A:** SSO", "**Option B:** password"}},
		{"the word as a heading", "## Option 1 – SSO\nIt is quick.\n\n## Option 2 – password\nSlow.", []string{"Option 1 – SSO", "Option 2 – password"}},
		{"the word wins over numbers", "Done so far:\n1. parsed\n2. stored\n\nOption A: go on\nOption B: stop", []string{"Option A: go on", "Option B: stop"}},
		{"lines that go on", "Which?\n1. the SSO\n   of the company\n2. a password\nof twelve letters\n3. both\nTell me.", []string{"1. the SSO of the company", "2. a password of twelve letters", "3. both"}},
		{"CRLF", "Which?\r\n1. SSO\r\n2. password\r\n", []string{"1. SSO", "2. password"}},
		{"a list within", "Which?\n1. SSO\n   - quick\n   - safe\n2. password\n   1. long\n   2. short", []string{"1. SSO", "2. password"}},
		{"dashes below a line that asks", "Which login should it be?\n\n- SSO\n- password", []string{"SSO", "password"}},
		{"boxes", "**Which login?**\n* [ ] SSO\n* [ ] password", []string{"SSO", "password"}},
		{"nine", "Which?\n" + many(9), strings.Split(strings.TrimSpace(many(9)), "\n")},

		{"nothing", "", nil},
		{"prose", "Which login provider should billing use: the internal SSO, or the vendor's?", nil},
		{"one", "Is it right?\n1. yes", nil},
		{"ten", "Which?\n" + many(10), nil},
		{"two hundred", "Which?\n" + many(200), nil},
		{"a gap", "1. SSO\n3. password", nil},
		{"not from the first", "2. SSO\n3. password", nil},
		{"two lists", "Which login?\n1. SSO\n2. password\n\nWhich colour?\n1. red\n2. blue", nil},
		{"two styles", "1. SSO\n2. password\n\na) red\nb) blue", nil},
		{"several questions", "1. Which login?\n2. Which colour?", nil},
		{"dashes that list something else", "I found these:\n- a.go\n- b.go\n\nDelete them?", nil},
		{"two lists of dashes", "Which login?\n- SSO\n- password\n\nWhich colour?\n- red\n- blue", nil},
		{"code", "What is wrong here?\n```\n1. SSO\n2. password\n```", nil},
		{"code that does not end", "```\n1. SSO\n2. password", nil},
		{"code by its indentation", "Look:\n\n    1. SSO\n    2. password", nil},
		{"a quotation", "> 1. SSO\n> 2. password", nil},
		{"a thousand letters", "Which?\n1. SSO\n2. " + strings.Repeat("x", 1000), nil},
		{"an empty one", "Which?\n1. SSO\n2.", nil},
		{"figures", "It takes\n1.5 litres or\n2.5 litres", nil},
		{"a megabyte", many(100_000), nil},
		{"abbreviations", "I. e. the first.\nA. Smith says so.", nil},
	} {
		var got []string
		for _, o := range options(c.text) {
			got = append(got, o.Answer)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := options("Which?\n1. **SSO** by `sso.corp`\n2. [the](http://x) __other__"); len(got) != 2 || got[0].Words != "1. SSO by sso.corp" || got[1].Words != "2. the other" {
		t.Errorf("the buttons say %+v", got)
	}
}

// Whatever a question contains, its options are few, short and parts of it.
func FuzzOptions(f *testing.F) {
	for _, text := range []string{"Which?\n1. a\n2. b", "- Option A: x\n- Option B: y", "Which?\n- a\n  - b\n\tc", "```\n1. a", "(a) x\n(b) y\n   z", "#\n1)", "\n \n1."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := options(text)
		if n := len(list); n == 1 || n > 9 {
			t.Errorf("%d options", n)
		}
		for _, o := range list {
			if o.Words == "" || o.Answer == "" || len([]rune(o.Answer)) > 160 || strings.Contains(o.Answer, "\n") {
				t.Errorf("an option %+v", o)
			}
		}
	})
}
