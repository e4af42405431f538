package orchestration

// Why a step has no siege of its own, and the words for it.

// NoSiege says why a step gets no siege of its own.
type NoSiege string

const (
	NoSiegeLow    NoSiege = "low-risk"    // its risk is low
	NoSiegeNormal NoSiege = "normal-risk" // its risk is normal, and only high ones get one
	NoSiegeErrand NoSiege = "errand"      // an errand has none
	NoSiegeYet    NoSiege = "at-the-end"  // the review will besiege the whole work

	// NoSiegeWhole: the review has besieged the whole work.
	NoSiegeWhole NoSiege = "with-the-whole"
)

// NoSieges lists every reason.
var NoSieges = []NoSiege{NoSiegeLow, NoSiegeNormal, NoSiegeErrand, NoSiegeYet, NoSiegeWhole}

// NoSiege says why the step of the plan gets no siege of its own; "": it gets one, has
// had one, or a person answers for it.
func (q *Quest) NoSiege(s *Step) NoSiege {
	review := q.Step(StepReview)
	switch {
	case s.Whole() || s.Verdict || s.Stage == StageSkipped || s.Stage == StageSuperseded:
		return ""
	case s.Stage == StageDone && review != nil && review.Besieged != "":
		return NoSiegeWhole
	case s.Stage == StageDone && q.Phase == PhaseComplete && q.siegeDue(): // of a quest that was made up
		return ""
	case s.Stage == StageDone && q.OwesSiege(s):
		return NoSiegeYet
	case q.OwesSiege(s):
		return ""
	}
	switch q.SiegeMode() {
	case SiegeEnd:
		return NoSiegeYet
	case SiegeNone:
		return NoSiegeErrand
	case SiegeEach, SiegeRisky:
	}
	if s.RiskOf() == RiskLow {
		return NoSiegeLow
	}
	return NoSiegeNormal
}

// Words says it as a note on the step.
func (n NoSiege) Words() string {
	return map[NoSiege]string{
		NoSiegeLow:    "no siege: low risk",
		NoSiegeNormal: "no siege: normal risk",
		NoSiegeErrand: "no siege: errand",
		NoSiegeYet:    "siege at the end",
		NoSiegeWhole:  "besieged with the whole",
	}[n]
}

// follows says it to an agent whose step is about to be left.
func (n NoSiege) follows() string {
	return map[NoSiege]string{
		"":            "the step had its siege",
		NoSiegeLow:    "the plan says that the risk of your step is low",
		NoSiegeNormal: "the plan says that the risk of your step is normal, and here only steps of high risk get a siege",
		NoSiegeErrand: "an errand gets no siege",
		NoSiegeYet:    "the whole work gets one siege at the end",
	}[n]
}

// siegeWords names the steps that no siege has tested.
func (o QuestOutcome) siegeWords() []string {
	of := map[NoSiege][]string{}
	for _, s := range o.NoSiege {
		of[s.Why] = append(of[s.Why], s.Title)
	}
	var words []string
	for _, w := range []struct {
		why   NoSiege
		words string
	}{
		{NoSiegeLow, "No siege, because the risk is low: "},
		{NoSiegeNormal, "No siege, because the risk is not high: "},
		{NoSiegeYet, "No siege yet: "},
	} {
		if names := of[w.why]; len(names) > 0 {
			words = append(words, w.words+few(names))
		}
	}
	return words
}

// NoSiegeLines names each step that no siege has tested, and why.
func (o QuestOutcome) NoSiegeLines() []string {
	var lines []string
	for _, s := range o.NoSiege {
		lines = append(lines, s.Title+": "+s.Why.Words())
	}
	return lines
}

// ByWords says who proved an observable of a step without a siege; "": its own verdict.
func (p Proven) ByWords() string {
	switch p.By {
	case "":
		return ""
	case Siegemaster:
		return "by the siege at the end"
	default:
		return "by the review"
	}
}
