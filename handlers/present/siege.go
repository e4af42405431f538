package present

import (
	"strings"

	"questboard/orchestration"
	"questboard/views"
)

// riskWords is a planned risk with its reason; "": it is normal.
func (p *Quest) riskWords(s orchestration.PlanStep) string {
	if s.Risk == "" || s.Risk == orchestration.RiskNormal {
		return ""
	}
	return string(s.Risk) + " (" + p.oneLine(s.RiskReason, 300) + ")"
}

// siegeWords says on the step's panel how much a mistake would cost, and why the step has
// no siege of its own.
func (p *Quest) siegeWords(s *orchestration.Step) string {
	var words []string
	if risk := p.riskWords(s.PlanStep); risk != "" {
		words = append(words, "Risk: "+risk)
	}
	if why := p.q.NoSiege(s); why != "" {
		words = append(words, Sentence(why.Words()))
	}
	return strings.Join(words, " · ")
}

// siegeChips tells on the card that a step gets no siege. Of a siege of the whole work its
// panel tells.
func (p *Quest) siegeChips(s *orchestration.Step) []views.Chip {
	if why := p.q.NoSiege(s); why == orchestration.NoSiegeLow || why == orchestration.NoSiegeNormal {
		return []views.Chip{{Words: why.Words(), Title: p.riskWords(s.PlanStep)}}
	}
	return nil
}
