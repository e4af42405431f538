package present

import (
	"os"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/views"
)

// Every role has a row in roles.go, with words, a column of the board and a colour of
// slots.css. Only ChaosWhisperer has no column, because it works before there are cards.
func TestEveryRoleHasARowForPages(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../../static/css/slots.css")
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]orchestration.Role{}
	for _, role := range orchestration.Roles {
		row, there := roles[role]
		if !there || row.does == "" {
			t.Errorf("handlers/present/roles.go: no row of %s, or no words for it", role)
			continue
		}
		known := slices.ContainsFunc(columns, func(c column) bool { return c.id == row.column })
		if !known && role != orchestration.ChaosWhisperer {
			t.Errorf("handlers/present/roles.go: %s stands in the column %q, which the board does not have", role, row.column)
		}
		if row.colour != "" && !strings.Contains(string(css), ".colour-"+row.colour+" {") {
			t.Errorf("handlers/present/roles.go: %s has the colour %q, which static/css/slots.css does not have", role, row.colour)
		}
		if other, taken := looks[row.texture]; taken {
			t.Errorf("handlers/present/roles.go: %s and %s have one texture", role, other)
		}
		looks[row.texture] = role
	}
	legend := new(Quest).legend()
	for _, role := range orchestration.Roles {
		if !slices.ContainsFunc(legend, func(row views.Pair) bool { return strings.Contains(row.Name+" "+row.Value, role.Name()) }) {
			t.Errorf("the legend of the board does not explain %s", role)
		}
	}
	if len(roles) > len(orchestration.Roles) {
		t.Errorf("handlers/present/roles.go has %d rows for %d roles", len(roles), len(orchestration.Roles))
	}
}

// A card in a column that the board does not have would be on no page.
func TestEveryStageStandsInAColumnOfTheBoard(t *testing.T) {
	t.Parallel()
	p := &Quest{q: &orchestration.Quest{}}
	used := map[string]bool{}
	for _, stage := range orchestration.Stages {
		in := p.column(&orchestration.Step{Stage: stage})
		used[in] = true
		known := slices.ContainsFunc(columns, func(c column) bool { return c.id == in })
		if !known && stage != orchestration.Stage(orchestration.ChaosWhisperer) { // only the step requirements, which has no card
			t.Errorf("handlers/present/card.go: the stage %s stands in the column %q, which the board does not have", stage, in)
		}
	}
	for _, c := range columns {
		if !used[c.id] {
			t.Errorf("handlers/present/columns.go: no stage stands in the column %q, so it stays empty", c.id)
		}
	}
}
