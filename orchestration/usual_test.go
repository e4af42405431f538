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
	if u := add(orchestration.SizeErrand, 4, 1); !u.Known() || u.Took != 4*time.Minute || u.CostUSD != 1 {
		t.Errorf("three errands: %+v", u)
	}
	if u := add(orchestration.SizeErrand, 5, 0.5); u.Took != 270*time.Second || u.CostUSD != 0.75 {
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
	u := orchestration.UsualOf(past)[orchestration.SizeFull]
	usd, most, known := u.Planned(4)
	if u.MostUSD != 9 || !known || usd != 4*2.75 || most != 4*4.5 {
		t.Errorf("%+v: 4 steps cost %v, at most %v (%v)", u, usd, most, known)
	}
	if _, _, known := orchestration.UsualOf(past[:2])[orchestration.SizeFull].Planned(4); known {
		t.Error("two quests estimate a plan")
	}
	if _, _, known := orchestration.UsualOf([]orchestration.Past{{}, {}, {}})[orchestration.SizeFull].Planned(4); known {
		t.Error("quests without steps estimate a plan")
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
