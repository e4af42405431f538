package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// entry is a line of the ledger. That is a file outside of the server's data, in which
// every run of an agent records that it begins and that its work is done. Tests compare
// the quest with it.
type entry struct{ run, what, role, step string }

// begins and ends return the actions with which an agent of a scenario writes to the
// ledger. Every step works in a folder with its name.
func begins(role string) string { return inLedger("begin", role) }
func ends(role string) string   { return inLedger("end", role) }

func inLedger(what, role string) string {
	return `echo "$QUESTBOARD_RUN_ID ` + what + ` ` + role + ` $(basename "$PWD")" >>'RUNS'`
}

func (m *mortal) ledger() []entry {
	m.t.Helper()
	text, err := os.ReadFile(m.runs)
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	var all []entry
	for line := range strings.Lines(string(text)) {
		words := append(strings.Fields(line), "", "", "", "")
		all = append(all, entry{words[0], words[1], words[2], words[3]})
	}
	return all
}

// assertLedger checks that the quest knows every run that worked, that there is work
// behind every signal, and that every signal is stored of which the agent was told so.
// It returns the number of such signals.
func (m *mortal) assertLedger(t testing.TB, q object) (told int) {
	t.Helper()
	begun, done := map[string]int{}, map[string]int{}
	quest := q["id"].(string)
	for _, e := range m.ledger() {
		if !strings.HasPrefix(e.run, quest+"-") {
			continue // it belongs to another quest
		}
		r := named(q["runs"], e.run)
		switch {
		case r == nil:
			t.Errorf("%s worked for %s of %s, and the quest does not know it", e.run, e.role, e.step)
			continue
		case r["role"] != e.role || r["step"] != e.step:
			t.Errorf("%s worked as %s of %s; the quest says %s of %s", e.run, e.role, e.step, r["role"], r["step"])
		}
		switch e.what {
		case "begin":
			begun[e.run]++
		case "end":
			done[e.run]++
		default:
			t.Errorf("%s of %s: %s %s", e.role, e.step, e.run, e.what)
		}
	}
	for _, r := range objects(q["runs"]) {
		id, stored := r["id"].(string), m.wasTold(t, r["id"].(string))
		if stored {
			told++
		}
		switch {
		case done[id] > begun[id]:
			t.Errorf("%s, %s of %s, began %d times and ended %d times", id, r["role"], r["step"], begun[id], done[id])
		case r["signal"] != nil && r["role"] != "ward" && done[id] != 1:
			t.Errorf("%s, %s of %s, signalled %s and did its work %d times", id, r["role"], r["step"], jsonText(r["signal"]), done[id])
		case stored && r["signal"] == nil:
			t.Errorf("%s, %s of %s, was told that its signal is stored, and it is lost", id, r["role"], r["step"])
		}
	}
	return told
}

var storedAnswer = regexp.MustCompile(`"Stored\. `)

// wasTold reports whether an agent got the answer that its signal is stored, judged by
// its output.
func (m *mortal) wasTold(t testing.TB, run string) bool {
	t.Helper()
	out, err := os.ReadFile(filepath.Join(m.data, "runs", run, "output.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		if storedAnswer.Match(line) {
			return true
		}
	}
	return false
}
