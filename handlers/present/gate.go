package present

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Gate is a gate without its frame. It is nil if there is no such gate.
func (p *Quest) Gate(name string) *views.Gate {
	q := p.q
	if name != orchestration.StepRequirements && name != orchestration.StepPlan {
		return nil
	}
	gate, may := q.GateOf(name), offers(q.StepControls(q.Step(name)))
	view := &views.Gate{QuestID: q.ID, Name: name, Words: p.gateState(gate, name),
		Open: may(orchestration.ControlApprove), SendBack: may(orchestration.ControlFeedback), Off: gate == orchestration.GateOff}
	view.Document = *p.stepDocument(q.Step(name))
	written := q.Written(name)
	view.Mark, view.Whole = GateMark(q, name), planWhole(written.Steps)
	if q.Errand() && gate == orchestration.GateOpen {
		view.Errand, view.Whole = &views.GateErrand{Size: p.size(), Said: p.said()}, ""
	}
	if gate == orchestration.GateOpen && q.SizedBy != "" && slices.Contains(q.SizesPossible(), orchestration.SizeFull) {
		size := p.size()
		view.Size = &views.GateSize{Why: Sentence(size.Name + ", " + size.Why + "."), Then: fullWords(q), Was: SizeMark(q)}
	}
	if name == orchestration.StepPlan && q.Steps.Len() > 0 {
		view.GraphURL = paths.Graph(q.ID)
	}
	return view
}

// fullWords says what comes if the user makes the quest full.
func fullWords(q *orchestration.Quest) string {
	switch {
	case q.Errand():
		return "Then ChaosWhisperer writes requirements, and you are asked as you chose."
	case q.Siege != "":
		return "Then its requirements need not be short. Which steps get a siege stays as you chose it."
	default:
		return "Then each step gets a siege of its own, unless its risk is low."
	}
}

// said is what ChaosWhisperer says of the errand.
func (p *Quest) said() string {
	if r := p.q.Run(p.q.Step(orchestration.StepRequirements).Run); r != nil && r.Signal != nil {
		return p.prose(r.Signal.Summary)
	}
	return ""
}

// SizeMark identifies the state of a quest in which somebody decides about its size.
func SizeMark(q *orchestration.Quest) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s %q %q %v %s %s %s", q.Size, q.SizedBy, q.SizeReason, q.SizesPossible(), q.Phase,
		q.GateRequirements, q.GatePlan)))
	return hex.EncodeToString(sum[:8])
}

// GateMark identifies what is decided at a gate.
func GateMark(q *orchestration.Quest, gate string) string {
	if q.Errand() {
		return SizeMark(q)
	}
	return documentVersion(q.Written(gate))
}

func (p *Quest) gateState(g orchestration.Gate, name string) string {
	switch g {
	case orchestration.GateOpen:
		if p.q.Errand() {
			return p.gateWords(name) + "."
		}
		return p.gateWords(name) + ". Read first, then approve or send back."
	case orchestration.GateApproved:
		return "Approved."
	case orchestration.GatePending:
		return "Being written. You are asked when it is ready."
	default:
		return "This quest does not ask for approval here."
	}
}

// gateWords says that a gate waits for approval, without a full stop.
func (p *Quest) gateWords(gate string) string {
	if p.q.Errand() {
		return Sentence(p.reasonWords(orchestration.QuestReason{Kind: orchestration.ReasonSize, Text: p.q.SizeSaid()}))
	}
	return p.documentWords(gate)
}

// documentWords is gateWords for requirements and plan.
func (p *Quest) documentWords(gate string) string {
	kind := orchestration.ReasonRequirements
	if gate == orchestration.StepPlan {
		kind = orchestration.ReasonPlan
	}
	return Sentence(p.reasonWords(orchestration.QuestReason{Kind: kind}))
}

// openGates returns the gates that wait for the user.
func openGates(q *orchestration.Quest) []string {
	var open []string
	for _, gate := range []string{orchestration.StepRequirements, orchestration.StepPlan} {
		if slices.Contains(q.StepControls(q.Step(gate)), orchestration.ControlApprove) {
			open = append(open, gate)
		}
	}
	return open
}

// article is one part of a document that is compared: a requirement, a step, or what a
// plan says of an observable. Ids differ only within a kind.
type article struct {
	kind, id, title string
	parts           []views.Pair
}

func articles(w orchestration.Written) []article {
	var list []article
	for _, r := range w.Requirements {
		a := article{kind: "requirement", id: r.ID, parts: []views.Pair{{Name: "Given", Value: r.Context}, {Name: "When", Value: r.Trigger}}}
		for _, o := range r.Observables {
			a.parts = append(a.parts, views.Pair{Name: "Then " + o.ID, Value: o.Text})
		}
		list = append(list, a)
	}
	for _, s := range w.Steps {
		list = append(list, article{kind: "step", id: s.ID, title: s.Title, parts: []views.Pair{{Name: "Title", Value: s.Title},
			{Name: "What", Value: s.Description},
			{Name: "Files", Value: strings.Join(s.Files, " ")}, {Name: "Depends on", Value: strings.Join(s.DependsOn, " ")},
			{Name: "Satisfies", Value: strings.Join(s.Observables, " ")},
			{Name: "Risk", Value: strings.TrimSpace(string(s.Risk) + " " + s.RiskReason)}}})
	}
	if len(w.Review) > 0 {
		list = append(list, article{kind: "review", id: "review",
			parts: []views.Pair{{Name: "Left to the review", Value: strings.Join(w.Review, " ")}}})
	}
	for _, u := range w.Uncovered {
		list = append(list, article{kind: "uncovered", id: u.Observable, parts: []views.Pair{{Name: "Left out by the plan", Value: u.Why}}})
	}
	return list
}

// DocumentChanges compares two versions of a document. It lists first the new and changed
// parts, in the order of the new version, and then the removed ones.
func DocumentChanges(old, new orchestration.Written) []views.DocumentChange {
	before, after := articles(old), articles(new)
	find := func(list []article, like article) int {
		return slices.IndexFunc(list, func(a article) bool { return a.kind == like.kind && a.id == like.id })
	}
	var changes []views.DocumentChange
	for _, a := range after {
		kind, was := "Added", article{}
		if i := find(before, a); i >= 0 {
			kind, was = "Changed", before[i]
		}
		if parts := changedParts(was.parts, a.parts); len(parts) > 0 {
			changes = append(changes, views.DocumentChange{ID: clean(a.id), Title: clean(a.title), Kind: kind, Parts: parts})
		}
	}
	for _, a := range before {
		if find(after, a) < 0 {
			changes = append(changes, views.DocumentChange{ID: clean(a.id), Title: clean(a.title), Kind: "Removed",
				Parts: changedParts(a.parts, nil)})
		}
	}
	return changes
}

func changedParts(old, new []views.Pair) []views.ChangedPart {
	var parts []views.ChangedPart
	value := func(list []views.Pair, name string) string {
		for _, p := range list {
			if p.Name == name {
				return p.Value
			}
		}
		return ""
	}
	compare := func(name string) {
		if a, b := value(old, name), value(new, name); strings.TrimSpace(a) != strings.TrimSpace(b) {
			parts = append(parts, views.ChangedPart{Name: clean(name), Words: diffview.Words(a, b)})
		}
	}
	for _, p := range new {
		compare(p.Name)
	}
	for _, p := range old {
		if !slices.ContainsFunc(new, func(n views.Pair) bool { return n.Name == p.Name }) {
			compare(p.Name)
		}
	}
	return parts
}

// documentVersion identifies the version of a document that a form shows.
func documentVersion(w orchestration.Written) string {
	text, err := json.Marshal(w)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// planWhole describes the shape of a plan: how many steps can run at once, and its
// longest chain, which more slots do not shorten.
func planWhole(steps []orchestration.PlanStep) string {
	if len(steps) == 0 {
		return ""
	}
	titles, free := map[string]string{}, 0
	for _, s := range steps {
		titles[s.ID] = StepTitle(&orchestration.Step{PlanStep: s})
		if len(s.DependsOn) == 0 {
			free++
		}
	}
	longest, minutes := orchestration.LongestChain(steps)
	chain := make([]string, len(longest))
	for i, id := range longest {
		chain[i] = titles[id]
	}
	words := fmt.Sprintf("%d steps; %d can start immediately. The longest chain has %d: %s", len(steps), free, len(longest),
		strings.Join(chain, " → "))
	if minutes > 0 {
		words += fmt.Sprintf(" (about %.0f minutes)", minutes)
	}
	return words + "."
}
