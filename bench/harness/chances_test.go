package harness_test

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed chances.json
var chancesFile []byte

// chance is how often something happens.
type chance struct {
	Value  float64 `json:"value"`
	Is     string  `json:"is"`
	Source string  `json:"source"` // "assumed"; nothing here was measured
}

type chances map[string]chance

// known lists the chances that the agents read; a table has all of them and no other.
var known = []string{"slip", "blunder", "forget", "idle", "crash", "stale", "join.seen", "join.merge", "resolve", "mend",
	"finds.siege", "finds.end", "finds.review", "errand", "quick", "second"}

// readChances reads a table and names everything that is wrong with it.
func readChances(data []byte) (chances, error) {
	var c chances
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("read the table of chances: %w", err)
	}
	var faults []string
	for _, name := range known {
		if _, there := c[name]; !there {
			faults = append(faults, name+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		switch x := c[name]; {
		case !slices.Contains(known, name):
			faults = append(faults, name+" is not known")
		case x.Value < 0 || x.Value > 1:
			faults = append(faults, fmt.Sprintf("%s is no chance: %v", name, x.Value))
		case x.Is == "" || x.Source != "assumed":
			faults = append(faults, name+" does not say what it is, or that it is assumed")
		}
	}
	if faults != nil {
		return nil, fmt.Errorf("the table of chances has %d faults: %s", len(faults), strings.Join(faults, "; "))
	}
	return c, nil
}

// draw is a number from 0 to 1 that always is the same for the same arguments.
func draw(seed uint64, pair, chance, what string, n int) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s\x00%d", seed, pair, chance, what, n))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}
