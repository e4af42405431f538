package orchestration_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// What the walks do with risks and sieges.

// drawRisk gives a step of a plan a risk, with a reason where it needs one.
func drawRisk(rt *rapid.T, s *orchestration.PlanStep) {
	s.Risk = rapid.SampledFrom([]orchestration.Risk{"", "", "normal", "low", "high"}).Draw(rt, "risk")
	if s.Risk == "low" || s.Risk == "high" {
		s.RiskReason = "it touches text"
	}
}

// riskWrongly sends a draft with a risk that nobody knows, or without its reason.
func (w *walk) riskWrongly(r *orchestration.Run, d orchestration.PlanDraft) {
	if !w.one("a wrong risk", 8) {
		return
	}
	d.Steps = slices.Clone(d.Steps)
	d.Steps[0].Risk, d.Steps[0].RiskReason = rapid.SampledFrom([]orchestration.Risk{"low", "high", "deadly"}).Draw(w.rt, "wrong risk"), " "
	before := w.q
	if err := w.apply(orchestration.PlanDrafted{Run: r.ID, Draft: d}); err == nil || !strings.Contains(err.Error(), d.Steps[0].ID+": the risk") || w.q != before {
		w.rt.Fatalf("a plan with the risk %q without a reason: error %v", d.Steps[0].Risk, err)
	}
	w.cov.add("refused: risk")
}

// countSieges counts which sieges there were and which were not.
func (w *walk) countSieges(before *orchestration.Quest) {
	if before == nil {
		return
	}
	was, now := before.Step(orchestration.StepReview), w.q.Step(orchestration.StepReview)
	if was.Besieged == "" && now.Besieged != "" {
		w.cov.add("siege: of the whole")
		if siegeOf(w.q) == "each" {
			w.cov.add("siege: of the whole, because steps had none")
		}
	}
	if was.Besieged != "" && now.Besieged == "" {
		w.cov.add("siege: owed again")
	}
	for n, s := range before.Steps.All() {
		if n >= w.q.Steps.Len() || s.Stage == orchestration.StageDone || w.q.Steps.At(n).Stage != orchestration.StageDone {
			continue
		}
		if why := w.q.NoSiege(w.q.Steps.At(n)); why != "" {
			w.cov.add("siege: " + string(why))
		}
	}
}

// wantedSieges lists what the walks must meet of sieges.
func wantedSieges() []string {
	return []string{"refused: risk", "control: siege", "siege: of the whole", "siege: of the whole, because steps had none", "siege: owed again",
		"siege: low-risk", "siege: normal-risk", "siege: at-the-end", "proof: by the siege at the end", "proof: by the review"}
}
