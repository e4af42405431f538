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
		"nth": nth, "ids": ids, "became": became,
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
func oneLine(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:499]) + "…"
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

// field is a field of a call.
type field struct {
	name  string
	value any
}

// example returns a call of signal-back as the agent would make it.
func example(v promptView, kind string) (string, error) {
	switch orchestration.SignalKind(kind) {
	case orchestration.Complete:
		if len(v.ToProve) == 0 {
			return call(v, kind, field{"summary", v.Example.Summary})
		}
		return call(v, kind, field{"summary", v.Example.Summary},
			field{"evidence", []orchestration.Evidence{{Observable: v.ToProve[0].ID, Kind: orchestration.ByTest, How: "TestExpiresAtIsInTheAnswer"}}})
	case orchestration.PartiallyComplete:
		return call(v, kind,
			field{"progress", "parse() and its tests are done and green; format() is written, untested. The date library rounds to seconds, so compare truncated times."},
			field{"continuationPoint", "format_test.go: add the cases for empty and negative durations, then run the check"})
	case orchestration.NeedsUserInput:
		if v.Walled {
			return call(v, kind,
				field{"wall", orchestration.WallCredential},
				field{"question", "The tests of the mail gateway need a sandbox key. (A) Put one into MAIL_TEST_KEY for runs, or (B) leave the gateway untested? I would take A."},
				field{"context", "go test ./mail exits with 1: \"MAIL_TEST_KEY is not set\". There is no stand-in in the repository. Everything else of the step is tried; only mail-is-sent would stay unproven."})
		}
		return call(v, kind,
			field{"question", "Should an expired link show a page that says so (A), or behave like an unknown link (B)? I would take A."},
			field{"context", "Requirement link-expires does not say. B hides from strangers that the link existed; A is kinder to the person it was made for."})
	case orchestration.NeedsRoleFollowup:
	}
	return "", fmt.Errorf("there is no example of %q", kind)
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
	return call(v, string(orchestration.NeedsRoleFollowup), fields...)
}

func call(v promptView, kind string, more ...field) (string, error) {
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
