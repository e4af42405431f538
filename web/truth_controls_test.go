package web_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// pressable is a target and its control: "quest pause", "own-1 retry", "quest1-r3 stop".
type pressable string

// Every form that a page has for a quest is a control, a page has all controls of what it
// is about, and the API lists the same ones. Tests of package orchestration prove that
// Apply accepts these and no others.
func TestPagesAndTheAPIOfferWhatTheRulesAllow(t *testing.T) {
	t.Parallel()
	met := map[orchestration.Control]int{}
	for seed := range uint64(*tales) {
		d := newDoor(t, nil)
		leave(t, d.engine, d.party.Quest)
		o := offering{t: t, d: d, s: newTale(t, d.engine, 1000+seed), api: apiOf(d), met: met}
		if o.s.one(3) {
			d.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: d.clock().AddDate(0, 0, 1), Reason: "overloaded"})
		}
		for n := range 250 {
			if o.s.quest().Over() && o.s.one(3) {
				break
			}
			o.s.move()
			if runs := o.s.quest().OpenRuns(); n == 3 && len(runs) > 0 && o.s.one(3) { // the requirements are blocked
				o.s.try(orchestration.StopPressed{Run: runs[0].ID})
				o.look()
			}
			meddled := o.s.one(15) && o.meddle()
			if needs := len(o.s.quest().Needs(nil)); o.s.one(80) || needs > 0 && o.s.one(12) || meddled && o.s.one(3) {
				o.look()
			}
		}
		o.look()
		if t.Failed() {
			t.Fatalf("tale %d", seed)
		}
	}
	for _, c := range orchestration.AllControls {
		if met[c] == 0 {
			t.Errorf("%s was never offered: %v", c, met)
		}
	}
}

// leave ends another quest, so that the tale gets all slots.
func leave(t *testing.T, engine *handlerstest.Engine, quest string) {
	t.Helper()
	q, err := engine.Submit(t.Context(), quest, "user", orchestration.AbandonPressed{})
	for _, r := range q.OpenRuns() {
		if _, err := engine.Submit(t.Context(), quest, "server", orchestration.RunExited{Run: r.ID, End: orchestration.EndInterrupted}); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

type offering struct {
	t   *testing.T
	d   *door
	s   *tale
	api *echo.Echo
	met map[orchestration.Control]int
}

// meddle does something that changes controls and that a tale does not do.
func (o *offering) meddle() bool {
	q := o.s.quest()
	runs := q.OpenRuns()
	limits := q.Limits
	limits.Runs = q.Runs.Len()
	inputs := []orchestration.InputKind{orchestration.PausePressed{}, orchestration.ResumePressed{}, orchestration.QuestEdited{Limits: &limits}}
	if len(runs) > 0 {
		r := runs[o.s.random.IntN(len(runs))]
		inputs = append(inputs, orchestration.StopPressed{Run: r.ID}, orchestration.StopPressed{Run: r.ID},
			orchestration.RunExited{Run: r.ID, End: orchestration.EndInfrastructure, Exit: orchestration.Exit{Why: "no signal-back"}})
	}
	programs := orchestration.Programs{}
	for _, role := range orchestration.Roles {
		if role.Agent() {
			programs[role] = orchestration.Program{Fallback: []string{"codex"}}
		}
	}
	inputs = append(inputs, orchestration.QuestEdited{Programs: &programs})
	if o.s.one(20) {
		return o.s.try(orchestration.AbandonPressed{})
	}
	return o.s.try(inputs[o.s.random.IntN(len(inputs))])
}

// look compares the pages with the controls.
func (o *offering) look() {
	o.t.Helper()
	q := o.s.quest()
	all := o.controls(q)
	base := "/quests/" + q.ID
	quest := func(c ...orchestration.Control) []pressable { return about("quest", c) }
	o.page("/quests", "#quest-"+q.ID, all, quest(orchestration.ControlPause, orchestration.ControlResume, orchestration.ControlAbandon, orchestration.ControlDelete))
	o.page(base, "#quest-top, #main", all, quest(orchestration.ControlPause, orchestration.ControlPauseNow, orchestration.ControlResume, orchestration.ControlAbandon, orchestration.ControlAccept, orchestration.ControlReview))
	o.page(base+"/change", "#main", all, quest(orchestration.ControlChange))
	o.page(base+"/follow-up", "#main", all, quest(orchestration.ControlFollowUp))
	o.page(base+"/settings", "#quest-settings", all, quest(orchestration.ControlEdit))
	o.page(base+"/settings", "#quest-size-form", all, quest(orchestration.ControlSize))
	o.page(base+"/delivery", "#main", all, quest(orchestration.ControlDeliver, orchestration.ControlPush, orchestration.ControlLeave))
	o.d.diffs.Set(q.ID, "", handlerstest.Patch)
	o.page(base+"/diff", "#main", all, quest(orchestration.ControlComments))
	var slots []pressable
	for _, r := range q.OpenRuns() {
		if r.Live() && r.Step != orchestration.StepBaseline { // it has no slot; its step's page has the control
			slots = append(slots, about(r.ID, []orchestration.Control{orchestration.ControlStop})...)
		}
	}
	o.page("/slots", "#main", all, slots)
	for _, s := range stepsOf(q) {
		at := base + "/steps/" + s.ID
		line := func(c ...orchestration.Control) []pressable { return about(s.ID, c) }
		o.page(at, "#step-panel", all, append(line(orchestration.ControlRetry, orchestration.ControlRetryFresh, orchestration.ControlSkip, orchestration.ControlUndoSkip,
			orchestration.ControlTakeOver, orchestration.ControlMarkDone, orchestration.ControlFallback, orchestration.ControlResplit, orchestration.ControlEdit,
			orchestration.ControlApprove, orchestration.ControlFeedback, orchestration.ControlAnswer), about(s.Run, []orchestration.Control{orchestration.ControlStop, orchestration.ControlMessage})...))
		o.page(at+"/menu", "body", all, append(line(orchestration.ControlRetry, orchestration.ControlRetryFresh, orchestration.ControlUndoSkip,
			orchestration.ControlTakeOver, orchestration.ControlMarkDone, orchestration.ControlFallback, orchestration.ControlEdit, orchestration.ControlApprove, orchestration.ControlFeedback),
			about(s.Run, []orchestration.Control{orchestration.ControlStop})...))
		o.page(at+"/edit", "#step-edit", all, line(orchestration.ControlEdit))
		if s.ID == orchestration.StepRequirements || s.ID == orchestration.StepPlan {
			o.page(base+"/gates/"+s.ID, "#gate", all, line(orchestration.ControlApprove, orchestration.ControlFeedback))
		}
		if o.s.one(8) {
			o.d.diffs.Set(q.ID, s.ID, handlerstest.Patch)
			o.page(at+"/diff", "#main", all, line(orchestration.ControlComments))
		}
	}
	for _, ask := range q.Questions.All() {
		var open []pressable
		if ask.Open() {
			open = about(ask.Step, []orchestration.Control{orchestration.ControlAnswer})
		}
		o.page("/questions/"+ask.ID, "#main", all, open)
	}
	o.answer(q, all)
}

func about(subject string, controls []orchestration.Control) []pressable {
	var list []pressable
	for _, c := range controls {
		list = append(list, pressable(subject+" "+string(c)))
	}
	return list
}

func stepsOf(q *orchestration.Quest) []*orchestration.Step {
	steps := slices.Clone(q.Whole[:])
	for _, s := range q.Steps.All() {
		steps = append(steps, s)
	}
	return steps
}

// controls returns all controls of the quest, its steps and its runs.
func (o *offering) controls(q *orchestration.Quest) map[pressable]bool {
	all := map[pressable]bool{}
	add := func(subject string, controls []orchestration.Control) {
		for i, p := range about(subject, controls) {
			all[p] = true
			o.met[controls[i]]++
		}
	}
	add("quest", q.Controls(o.d.clock(), o.d.engine.Holds()))
	for _, s := range stepsOf(q) {
		add(s.ID, q.StepControls(s))
	}
	for _, r := range q.Runs.All() {
		add(r.ID, q.RunControls(r))
	}
	return all
}

// page compares the controls on a page with all controls, and with those that the page
// must have.
func (o *offering) page(at, within string, all map[pressable]bool, home []pressable) {
	o.t.Helper()
	got := o.d.request(http.MethodGet, at, "", func(r *http.Request) {
		owned(r)
		if strings.HasSuffix(at, "/menu") {
			r.Header.Set("HX-Request-Type", "partial")
		}
	})
	if got.Code >= http.StatusInternalServerError {
		o.t.Fatalf("%s: %d", at, got.Code)
	}
	page, err := goquery.NewDocumentFromReader(got.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	links := "form[method=post], a[href$='/edit']"
	if strings.Contains(at, "/steps/") && !strings.HasSuffix(at, "/diff") {
		links += ", a.button[href*='/gates/']"
	}
	found := map[pressable]bool{}
	page.Find(within).Find(links).AddSelection(page.Find(within).Filter("[method=post]")).Each(func(_ int, e *goquery.Selection) {
		for _, p := range o.pressed(at, e) {
			found[p] = true
		}
	})
	for p := range found {
		if !all[p] {
			o.t.Errorf("%s offers %q, which may not be pressed", at, p)
		}
	}
	for _, p := range home {
		if all[p] && !found[p] {
			o.t.Errorf("%s does not offer %q: %v", at, p, slices.Sorted(maps.Keys(found)))
		}
	}
}

// pressed returns the controls that a form, or a link to a form, stands for.
func (o *offering) pressed(at string, e *goquery.Selection) []pressable {
	to, is := e.Attr("action")
	if !is {
		to, _ = e.Attr("href")
	}
	path, _, _ := strings.Cut(to, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	name := map[string]string{"settings": "edit", "delivery": "deliver", "changes": "feedback"}
	last := parts[len(parts)-1]
	if other := name[last]; other != "" {
		last = other
	}
	hidden, _ := e.Find("input[type=hidden][value=true]").Attr("name")
	switch {
	case is && e.Find("button[type=submit]").Length() == 0: // the comments of a diff that takes none
		return nil
	case hidden != "":
		last += "-" + hidden
	case parts[0] == "slots", parts[0] == "quests" && len(parts) == 3 && parts[2] == "trial":
		return nil // it belongs to the server: it tries a command
	}
	q := o.s.quest()
	switch {
	case parts[0] == "runs" && len(parts) == 3:
		return about(parts[1], []orchestration.Control{orchestration.Control(last)})
	case parts[0] == "questions" && len(parts) == 3:
		return about(q.Question(parts[1]).Step, []orchestration.Control{orchestration.Control(last)})
	case parts[0] == "quests" && len(parts) == 4 && parts[2] == "gates": // both are there, or feedback alone
		var list []pressable
		for _, p := range about(parts[3], []orchestration.Control{orchestration.ControlApprove, orchestration.ControlFeedback}) {
			if o.controls(q)[p] {
				list = append(list, p)
			}
		}
		if len(list) == 0 {
			return about(parts[3], []orchestration.Control{"nothing at its gate"})
		}
		return list
	case parts[0] == "quests" && len(parts) == 5:
		controls := []orchestration.Control{orchestration.Control(last)}
		e.Find("button[type=submit][name][value=true]").Each(func(_ int, b *goquery.Selection) { // a second button of the form
			controls = append(controls, orchestration.Control(last+"-"+b.AttrOr("name", "")))
		})
		return about(parts[3], controls)
	case parts[0] == "quests" && (len(parts) == 3 || len(parts) == 4) && parts[2] != "shares" && parts[2] != "kept":
		return about("quest", []orchestration.Control{orchestration.Control(last)})
	}
	o.t.Errorf("%s has an unknown form: %s", at, to)
	return nil
}

// answer compares the lists of the API.
func (o *offering) answer(q *orchestration.Quest, all map[pressable]bool) {
	type entry struct {
		ID       string
		Controls []orchestration.Control
	}
	var one struct {
		entry
		Steps, Runs []entry
		QuestWide   []entry `json:"lines"`
	}
	w := witness{t: o.t, api: o.api}
	w.ask("/api/v1/quests/"+q.ID, &one)
	one.ID = "quest"
	listed := map[pressable]bool{}
	for _, e := range slices.Concat([]entry{one.entry}, one.Steps, one.QuestWide, one.Runs) {
		for _, p := range about(e.ID, e.Controls) {
			listed[p] = true
		}
	}
	if !maps.Equal(listed, all) {
		o.t.Errorf("the API lists %v, want %v", listed, all)
	}
}
