package agents

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"questboard/orchestration"
)

// maxQuoted limits one quoted text; a mark shows where it was cut. A quest's texts can be
// of any length, but a context window is limited.
const maxQuoted = 64 << 10

func promptFuncs() template.FuncMap {
	return template.FuncMap{
		"fence": fence, "code": code, "codes": codes, "line": oneLine,
		"roleName": orchestration.Role.Name, "example": example, "handover": handoverExample,
		"some": some, "brief": brief, "lines": func(list []string) string { return strings.Join(list, "\n") }, "took": took, "nth": nth,
		"bytes": byteCount, "ids": ids, "became": became,
	}
}

// byteCount is a size in words.
func byteCount(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
}

// became says what was done about a finding.
func became(f orchestration.Finding) string {
	switch {
	case len(f.Steps) > 0:
		return "steps were planned for it: " + codes(f.Steps)
	case f.State == orchestration.FindingUnchanged:
		return "nothing was changed for it"
	case f.State == orchestration.FindingStands:
		return "it was left as it was"
	case f.Commit != "":
		return "it was mended in " + code(f.Commit)
	default:
		return "it was handed over to be mended"
	}
}

// ids lists observables for programs, as JSON.
func ids(list []orchestration.Observable) (string, error) {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.ID
	}
	raw, err := json.Marshal(names)
	return string(raw), err
}

// nth is a number as English counts: 2nd, 3rd, 11th.
func nth(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

// fence quotes a text as data. The fence is longer than any run of backticks in the
// text, so that the text cannot end its own quotation.
func fence(text string) string {
	text = strings.TrimRight(clean(text), "\n")
	if text == "" {
		text = "(nothing)"
	}
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		if run++; run > longest {
			longest = run
		}
	}
	marks := strings.Repeat("`", longest+1)
	return marks + "text\n" + text + "\n" + marks
}

// clean makes hostile bytes harmless and keeps all readable characters.
func clean(text string) string {
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "\n[cut here]"
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}

// oneLine quotes a text within a sentence: one line, at most 500 characters.
func oneLine(text string) string { return lineOf(text, 500) }

// lineOf makes one line of a text, of at most so many characters.
func lineOf(text string, most int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// code quotes an id or a path.
func code(text any) string {
	var s string
	switch t := text.(type) {
	case string:
		s = t
	case orchestration.Role:
		s = string(t)
	}
	return "`" + strings.ReplaceAll(oneLine(s), "`", "'") + "`"
}

func codes(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	quoted := make([]string, len(list))
	for i, item := range list {
		quoted[i] = code(item)
	}
	return strings.Join(quoted, ", ")
}

// maxSome is how many names some lists.
const maxSome = 40

// some quotes the first of many names.
func some(list []string) string {
	if more := len(list) - maxSome; more > 0 {
		return fmt.Sprintf("%s and %d more", codes(list[:maxSome]), more)
	}
	return codes(list)
}

// field is a field of a call.
type field struct {
	name  string
	value any
}

// example returns a call of signal-back with complete, as the agent would make it.
func example(v promptView) (string, error) {
	fields := []field{{"summary", v.Example.Summary}}
	if len(v.ToProve) > 0 {
		fields = append(fields, field{"evidence", []orchestration.Evidence{{Observable: v.ToProve[0].ID, Kind: orchestration.ByTest,
			How: "TestExpiresAtIsInTheAnswer"}}})
	}
	return call(v, orchestration.Complete, fields...)
}

// handoverExample returns one of the two forms of a hand-over.
func handoverExample(v promptView, resume bool) (string, error) {
	h := v.Example.Away
	if resume {
		h = v.Example.Back
	}
	fields := []field{{"targetRole", h.Target}, {"reason", h.Reason}, {"context", h.Context}, {"resume", resume}}
	if v.Look != nil {
		fields = append(fields, field{"findings", h.Findings})
	}
	return call(v, orchestration.NeedsRoleFollowup, fields...)
}

func call(v promptView, kind orchestration.SignalKind, more ...field) (string, error) {
	var b strings.Builder
	b.WriteString("```json\n{")
	for i, f := range append([]field{{"signal", kind}, {"stepId", v.Line}}, more...) {
		if i > 0 {
			b.WriteString(", ")
		}
		raw, err := json.Marshal(f.value)
		if err != nil {
			return "", err
		}
		b.WriteString(`"` + f.name + `": ` + string(raw))
	}
	b.WriteString("}\n```")
	return b.String(), nil
}
