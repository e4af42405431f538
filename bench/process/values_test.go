package process_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

//go:embed values.json
var valuesFile []byte

// value is one figure that the simulation takes for granted.
type value struct {
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Source string  `json:"source"` // "measured, n=…: …" or "assumed…"
}

func (v value) assumed() bool { return strings.HasPrefix(v.Source, "assumed") }

type values map[string]value

// used lists the values that the simulation reads; a table has all of them and no other.
var used = []string{
	"look", "look.tokens", "step.tokens", "own.tokens", "prompt.tokens", "output.tokens", "turns", "window", "start", "end",
	"alone.small", "alone.middle", "features.small", "features.middle", "features.large", "steps.small", "steps.middle",
	"split", "depends", "errand.work", "errand.look", "requirements.full", "requirements.quick", "plan", "siege", "siege.end", "review", "mend",
	"check.small", "check.middle", "check.large", "red", "spread", "faults",
	"finds.requirements", "finds.siege", "finds.end", "finds.review",
}

// readValues reads a table and names everything that is wrong with it.
func readValues(data []byte) (values, error) {
	var v values
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the table of values: %w", err)
	}
	var faults []string
	for _, name := range used {
		if _, there := v[name]; !there {
			faults = append(faults, name+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch x := v[name]; {
		case !slices.Contains(used, name):
			faults = append(faults, name+" is not known")
		case x.Value < 0:
			faults = append(faults, fmt.Sprintf("%s is negative: %v", name, x.Value))
		case x.Unit == "" || !x.assumed() && !strings.HasPrefix(x.Source, "measured, n="):
			faults = append(faults, name+" has no unit, or does not say whether it is measured or assumed")
		case strings.HasPrefix(x.Unit, "share ") && x.Value > 1:
			faults = append(faults, name+" is a share, and more than 1")
		}
	}
	if faults != nil {
		return nil, fmt.Errorf("the table of values has %d faults: %s", len(faults), strings.Join(faults, "; "))
	}
	return v, nil
}

// with returns the table with one value multiplied. A share stays at most 1.
func (v values) with(name string, factor float64) values {
	c := maps.Clone(v)
	x := c[name]
	if x.Value *= factor; strings.HasPrefix(x.Unit, "share ") {
		x.Value = min(x.Value, 1)
	}
	c[name] = x
	return c
}

func table(t testing.TB) values {
	t.Helper()
	v, err := readValues(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestATableThatIsWrongIsRefusedWithItsFaults(t *testing.T) {
	t.Parallel()
	for edit, want := range map[[2]string]string{
		{`"value": 17,`, `"value": -17,`}:                                      "alone.middle is negative: -17",
		{`"review": {"value"`, `"reviews": {"value"`}:                          "review is missing; reviews is not known",
		{`"value": 0.15, "unit"`, `"value": 1.5, "unit"`}:                      "red is a share, and more than 1",
		{`"source": "measured, n=1: 2 s"`, `"source": "guessed"`}:              "check.small has no unit, or does not say whether it is measured or assumed",
		{`"start": {"value": 0.1,`, `"start": {"values": 0.1,`}:                "unknown field",
		{`"value": 2, "unit": "minutes"`, `"value": "two", "unit": "minutes"`}: "cannot unmarshal",
	} {
		text := strings.Replace(string(valuesFile), edit[0], edit[1], 1)
		if text == string(valuesFile) {
			t.Fatalf("nothing reads %s", edit[0])
		}
		if _, err := readValues([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", edit[1], err, want)
		}
	}
}
