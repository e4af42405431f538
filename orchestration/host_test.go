package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestChooseHost_theFewestQuestsForItsSlots_ofThoseThatFit(t *testing.T) {
	t.Parallel()
	here := orchestration.HostOffer{Slots: 3, Quests: 2, Labels: []string{"linux"}}
	forge := orchestration.HostOffer{Name: "forge", Slots: 6, Quests: 3, Labels: []string{"linux", "gpu"}}
	smith := orchestration.HostOffer{Name: "smith", Slots: 6, Quests: 0, Obstacle: "is drained"}
	for name, c := range map[string]struct {
		labels []string
		offers []orchestration.HostOffer
		host   string
		says   []string // of the refusal; nil: host is chosen
	}{
		"the least busy":          {nil, []orchestration.HostOffer{here, forge, smith}, "forge", nil},
		"the first among equals":  {nil, []orchestration.HostOffer{{Slots: 1}, {Name: "forge", Slots: 2}}, "", nil},
		"with the label":          {[]string{"gpu"}, []orchestration.HostOffer{here, forge}, "forge", nil},
		"nobody has all labels":   {[]string{"gpu", "mac"}, []orchestration.HostOffer{here, forge}, "", []string{"the server's own machine has no label gpu, mac", "forge has no label mac"}},
		"a server without slots":  {nil, []orchestration.HostOffer{{}}, "", []string{"no host can take this quest", "has no slots"}},
		"what keeps it from that": {nil, []orchestration.HostOffer{smith}, "", []string{"smith is drained"}},
	} {
		host, err := orchestration.ChooseHost(c.labels, c.offers)
		if c.says == nil && (err != nil || host != c.host) {
			t.Errorf("%s: %q, %v", name, host, err)
		}
		for _, words := range c.says {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v does not say %q", name, err, words)
			}
		}
	}
}

func TestHostChosen_onlyWhenNothingIsAtWork(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	run := p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.HostChosen{Host: "forge"}, "is alive on the server's own machine")
	p.exit(run, orchestration.EndInterrupted)
	p.do(orchestration.HostChosen{Host: "forge", Why: "it is drained"})
	if w := p.q.Workplace; w.Host != "forge" || w.Moves != 1 {
		t.Errorf("the quest works at %+v", w)
	}
	p.do(orchestration.HostChosen{Host: "forge"}) // a repeat changes nothing
	if p.q.Workplace.Moves != 1 {
		t.Errorf("a repeat moved it to %+v", p.q.Workplace)
	}
	shared := withSteps(t, step("a"))
	shared.refused(orchestration.HostChosen{Host: "forge"}, "in the repository itself")
}

func TestAssign_onlyTheSlotsOfTheQuestsHost(t *testing.T) {
	t.Parallel()
	here, there := newQuest(), newQuest()
	here.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b")}}
	there.ID, there.Plan, there.Workplace = "there", &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("x"), step("y")}}, orchestration.Workplace{Host: "forge"}
	one, two := create(t, here), create(t, there)
	one.slots, two.slots = 2, 2
	one.grant() // both slots here are taken
	waits := *two.q
	pool := orchestration.Pool{Now: epoch, Host: "forge", Slots: 1, Quests: []*orchestration.Quest{one.q, &waits}}
	grants := orchestration.Assign(pool)
	if len(grants) != 1 || grants[0].Quest != "there" || grants[0].Slot != 1 {
		t.Errorf("the host gives %+v", grants)
	}
}

func TestHolds_ofAHostHoldOnlyItsQuests(t *testing.T) {
	t.Parallel()
	hold := []orchestration.AccountHold{{Kind: orchestration.HoldHost, Host: "forge", Reason: "forge is away"}}
	p := inWorktrees(t, step("a"))
	if why := p.q.Why(p.now, hold); strings.Contains(why, "forge") {
		t.Errorf("another quest says %q", why)
	}
	p.do(orchestration.HostChosen{Host: "forge"})
	if why := p.q.Why(p.now, hold); !strings.Contains(why, "forge is away") {
		t.Errorf("its quest says %q", why)
	}
}
