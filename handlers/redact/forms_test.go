package redact_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// These values take the place of the secret in a form: passwords of people and of
// machines, short ones, a plain word, and ones with characters that end other things.
var passwords = []string{"CaNaRy9xQz", "c4n4ry", "hunter2", "C@n4/ry:x", "swordfish", "Pa$$w0rd!CaNaRy", "a8f5f167f44f4964e6c998dee827110c"}

// mixedOnes are the passwords that are not just a word or a number.
var mixedOnes = []string{"CaNaRy9xQz", "c4n4ry", "hunter2", "C@n4/ry:x", "Pa$$w0rd!CaNaRy"}

// keys are secrets that no person chose: long, with letters and digits.
var keys = []string{"CaNaRy9xQz7LmN4pRsT2vW5yB8dF3hJ6kZ1qX", "cAnArY1234567890abcdefghijklmnopqrstuv"}

// formsOf returns the forms of a part of testdata/forms.txt, each with each value.
func formsOf(t *testing.T, part string, values []string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "\n## "+part+"\n")
	list, _, _ = strings.Cut(list, "\n## ")
	all := map[string]string{}
	for form := range strings.Lines(list) {
		if form = strings.TrimSuffix(form, "\n"); form == "" || strings.HasPrefix(form, "## ") {
			continue
		}
		form = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\e`, "\x1b").Replace(form)
		for _, value := range values {
			all[strings.ReplaceAll(form, "§", value)] = value
		}
	}
	return all
}

// A value that follows a secret's name, or has a known beginning, does not leak, in
// whatever form people and programs write it.
func TestNoFormLeaksAValue(t *testing.T) {
	t.Parallel()
	r, count := redact.New("", nil), 0
	for part, values := range map[string][]string{"named": slices.Concat(passwords, keys), "addresses": slices.Concat(passwords, keys), "machine": keys, "among": mixedOnes} {
		all := formsOf(t, part, values)
		if len(all) < 40 {
			t.Errorf("only %d texts of %s were read", len(all), part)
		}
		for form, value := range all {
			count++
			for _, text := range []string{form, "Look:\n" + form + "\nand so on", "  " + form + "\r\nnext: line", `said:\n` + form} {
				if got := r.Text(text); strings.Contains(got, value) || left(got, value) {
					t.Errorf("%s: %q is shown as %q", part, text, got)
					break
				}
			}
		}
	}
	t.Logf("%d texts", 4*count)
}

// left reports whether a large part of a value is left.
func left(got, value string) bool {
	for i := 0; i+6 <= len(value); i++ {
		if len(value) > 8 && strings.Contains(got, value[i:i+6]) {
			return true
		}
	}
	return false
}

// The forms are escaped as JSON once and more than once.
func TestJSONWithinJSONLeaksNothing(t *testing.T) {
	t.Parallel()
	r := redact.New("", nil)
	for _, value := range passwords {
		text := fmt.Sprintf(`{"user":"me","password":%q,"after":"shown"}`, value+`"q\`)
		for depth := range 6 {
			if got := r.Text(text); strings.Contains(got, value) || !strings.Contains(got, "shown") {
				t.Errorf("depth %d: %q is shown as %q", depth, text, got)
			}
			text = fmt.Sprintf(`{"input":%q}`, text)
		}
	}
}

// Texts are redacted when they are made, and the page is redacted again as a whole. The
// second time changes nothing.
func TestWhatIsRedactedStaysAsItIs(t *testing.T) {
	t.Parallel()
	r := redactor()
	texts := slices.Clone(canaries)
	for _, part := range []string{"named", "addresses", "machine", "among"} {
		for form := range formsOf(t, part, slices.Concat(passwords, keys)) {
			texts = append(texts, form, form+" and more")
		}
	}
	for _, sign := range []string{"", " ", "]", ")", "}", `"`, "'", ",", ".", "|", "<", "&amp;", "x", "a-known-SECRET-value", " x", "\n"} {
		texts = append(texts, "token=a-known-SECRET-value"+sign, "token: x-a-known-SECRET-value"+sign+"x", `"token":"a-known-SECRET-value`+sign)
	}
	for _, text := range texts {
		once := r.Text(text)
		if got := r.Text(once); got != once {
			t.Errorf("%q, redacted once:\n\t%q, twice:\n\t%q", text, once, got)
		}
		if strings.Contains(once, "]]") && !strings.Contains(text, "]") {
			t.Errorf("%q is shown as %q", text, once)
		}
	}
}

// A page shows the escape character as a visible sign, raw or written out. The whole
// sequence is removed, or nothing.
func TestNoColourCutsASecret(t *testing.T) {
	t.Parallel()
	r, count := redact.New("", nil), 0
	for form, value := range formsOf(t, "named", passwords) {
		if !strings.Contains(form, "\x1b[") {
			continue
		}
		for _, begin := range []string{"\x1b[", "␛[", "\u009b", "⟨U+009B⟩"} {
			count++
			text := strings.ReplaceAll(form, "\x1b[", begin)
			if got := r.Text(text); strings.Contains(got, value) || left(got, value) || strings.ContainsAny(got, "\x1b␛\u009b⟨⟩") {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d texts", count)
	}
}
