package orchestration_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// What is usual is the median, and is known from three quests on.
func TestUsual_isTheMedianOfThreeOrMoreQuestsOfTheSize(t *testing.T) {
	t.Parallel()
	var past []orchestration.Past
	add := func(size orchestration.Size, minutes int64, cost float64) orchestration.Usual {
		past = append(past, orchestration.Past{Size: size, Took: time.Duration(minutes * int64(time.Minute)), CostUSD: cost})
		return orchestration.UsualOf(past)[size]
	}
	add(orchestration.SizeFull, 500, 50)
	add(orchestration.SizeErrand, 9, 0.25)
	if u := add(orchestration.SizeErrand, 1, 4); u.Known() || u.Quests != 2 {
		t.Errorf("two errands: %+v", u)
	}
	if u := add(orchestration.SizeErrand, 4, 1); !u.Known() || u.Took != 4*time.Minute || u.Cost.USD != 1 {
		t.Errorf("three errands: %+v", u)
	}
	if u := add(orchestration.SizeErrand, 5, 0.5); u.Took != 270*time.Second || u.Cost.USD != 0.75 {
		t.Errorf("four errands: %+v", u)
	}
	if u := orchestration.UsualOf(past)[orchestration.SizeQuick]; u.Known() || u.Quests != 0 {
		t.Errorf("no quick quest: %+v", u)
	}
}

// Nine of ten quests cost no more than what is told, and a plan is estimated by its steps.
func TestUsual_saysWhatNineOfTenCostAndEstimatesAPlanByItsSteps(t *testing.T) {
	t.Parallel()
	var past []orchestration.Past
	for n := range 10 {
		past = append(past, orchestration.Past{Size: orchestration.SizeFull, CostUSD: float64(10 - n), Steps: 2})
	}
	of := func(past []orchestration.Past) orchestration.Usual {
		return orchestration.UsualOf(past)[orchestration.SizeFull]
	}
	u := of(past)
	plan := u.Planned(4)
	if u.Cost.P90USD != 9 || u.Cost.Few() || !plan.Known() || plan.USD != 4*2.75 || plan.P90USD != 4*4.5 {
		t.Errorf("%+v: 4 steps cost %+v", u, plan)
	}
	if nine := of(past[:9]).Cost; !nine.Few() || nine.P90USD != 10 {
		t.Errorf("of nine the dearest is %+v", nine)
	}
	if of(past[:2]).Planned(4).Known() || u.Planned(0).Known() {
		t.Error("two quests, or no steps, estimate a plan")
	}
	for n := range past {
		past[n].Steps = 0
	}
	if of(past).Planned(4).Known() {
		t.Error("quests without steps estimate a plan")
	}
}

// A quest that cost nothing worked for a subscription. It says how long, and nothing of money.
func TestUsual_takesNoCostForAPrice(t *testing.T) {
	t.Parallel()
	past := []orchestration.Past{{}, {}, {}, {CostUSD: 2}, {CostUSD: 4}}
	for n := range past {
		past[n].Size, past[n].Steps = orchestration.SizeFull, 1
	}
	if u := orchestration.UsualOf(past)[orchestration.SizeFull]; !u.Known() || u.Cost.Known() || u.Planned(4).Known() {
		t.Errorf("two with a cost: %+v", u)
	}
	past = append(past, orchestration.Past{Size: orchestration.SizeFull, CostUSD: 6, Steps: 1})
	if u := orchestration.UsualOf(past)[orchestration.SizeFull]; u.Quests != 6 || u.Cost.Quests != 3 || u.Cost.USD != 4 || u.Step.USD != 4 {
		t.Errorf("three with a cost: %+v", u)
	}
}

// Every size has a sentence of its own.
func TestSizes_haveAMeaningOfTheirOwn(t *testing.T) {
	t.Parallel()
	said := map[string]orchestration.Size{}
	for _, size := range orchestration.Sizes {
		words := size.Meaning()
		if other, twice := said[words]; words == "" || twice {
			t.Errorf("%s means %q, as %q does", size, words, other)
		}
		said[words] = size
		if named, ok := orchestration.SizeNamed(string(size)); !ok || named != size {
			t.Errorf("%s is not found by its name", size)
		}
	}
	if _, ok := orchestration.SizeNamed(""); ok {
		t.Error("the empty name is a size")
	}
}
