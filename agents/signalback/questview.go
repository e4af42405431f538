package signalback

import (
	"encoding/json"

	"questboard/orchestration"
)

// parts are the values of get-quest's part.
var parts = []string{"requirements", "plan", "step", "history", "decisions", partContract}

// partContract is what a run needs to know of itself when its conversation was compacted.
const partContract = "contract"

// maxAnswer is the largest answer in bytes, within what agents' clients accept from a
// tool.
const maxAnswer = 64 << 10

// describe returns what a run may know about its quest: everything about the work,
// nothing about the server (tokens, costs, processes).
func describe(c caller, part string) string {
	switch part {
	case "requirements":
		return encode(map[string]any{"requirements": append([]orchestration.Requirement{}, c.quest.Requirements...), "locked": c.quest.Locked,
			"noLongerAsked": append([]orchestration.LostObservable{}, c.quest.NoLongerAsked()...)})
	case "plan":
		plan := map[string]any{"steps": stepViews(c.quest, true), "review": reviewOf(c.quest), "uncovered": append([]orchestration.Uncovered{},
			c.quest.Uncovered...)}
		if whole := encode(plan); len(whole) <= maxAnswer {
			return whole
		}
		plan["steps"] = stepViews(c.quest, false) // a re-split needs the two lists
		plan["note"] = "descriptions, files, observables and reports of steps are left out because the plan is long; part step has those of " +
			"your own step"
		return encode(plan)
	case "step":
		return encode(ownStep(c))
	case "history":
		return encode(map[string]any{"stepId": c.run.Step, "runs": history(c)})
	case "decisions":
		return encode(decisions(c.quest))
	default:
		return encode(map[string]any{
			"title": c.quest.Title, "request": c.quest.Request, "phase": c.quest.Phase, "size": c.quest.Size,
			"you":          map[string]any{"role": c.run.Role, "stepId": c.run.Step, "visit": c.run.Visit},
			"requirements": len(c.quest.Requirements),
			"ward":         c.quest.Ward,
			"steps":        stepViews(c.quest, false),
			"changes":      changesOf(c.quest),
			"follows":      c.quest.Former,
		})
	}
}

// changesOf lists what the person changed after the request, oldest first. If it does not
// fit, it drops the oldest.
func changesOf(q *orchestration.Quest) []string {
	out := []string{}
	for _, change := range q.Wishes() {
		out = append(out, change.Text)
	}
	for len(out) > 1 && len(encode(out)) > maxAnswer/2 {
		out = out[1:]
	}
	return out
}

// decisions lists what people decided, the newest last. If it does not fit, it leaves out
// the oldest and says how many.
func decisions(q *orchestration.Quest) map[string]any {
	all := q.Decisions()
	from, size := len(all), 0
	for from > 0 {
		if size += len(encode(all[from-1])) + 1; size > maxAnswer && from < len(all) {
			break
		}
		from--
	}
	out := map[string]any{"decisions": append([]orchestration.Decision{}, all[from:]...)}
	if from > 0 {
		out["leftOut"] = from
	}
	return out
}

type stepView struct {
	ID          string              `json:"id"`
	Title       string              `json:"title"`
	Stage       orchestration.Stage `json:"stage"`
	Hold        orchestration.Hold  `json:"hold,omitempty"`
	DependsOn   []string            `json:"dependsOn,omitempty"`
	ReplacedBy  []string            `json:"replacedBy,omitempty"`
	Description string              `json:"description,omitempty"`
	Files       []string            `json:"files,omitempty"`
	Observables []string            `json:"observables,omitempty"`
	Risk        orchestration.Risk  `json:"risk,omitempty"`
	RiskReason  string              `json:"riskReason,omitempty"`

	Reported []orchestration.Touched `json:"reported,omitempty"`
	Changed  []string                `json:"changed,omitempty"`
}

func stepViews(q *orchestration.Quest, whole bool) []stepView {
	views := make([]stepView, 0, q.Steps.Len())
	var steps []*orchestration.Step
	for _, s := range q.Steps.All() {
		views = append(views, viewOf(s, whole))
		steps = append(steps, s)
	}
	if whole {
		for i, rep := range q.Reports(steps...) {
			views[i].Reported, views[i].Changed = rep.Touched, rep.Changed
		}
	}
	return views
}

func viewOf(s *orchestration.Step, whole bool) stepView {
	v := stepView{ID: s.ID, Title: s.Title, Stage: s.Stage, Hold: s.Hold, DependsOn: s.DependsOn, ReplacedBy: s.ReplacedBy}
	if whole {
		v.Description, v.Files, v.Observables, v.Risk, v.RiskReason = s.Description, s.Files, s.Observables, s.Risk, s.RiskReason
	}
	return v
}

// ownStep returns the caller's step with what its ids stand for: the complete
// observables, and what became of its dependencies.
func ownStep(c caller) map[string]any {
	for _, s := range c.quest.Steps.All() {
		if s.ID != c.run.Step {
			continue
		}
		own := map[string]any{"step": viewOf(s, true), "observables": observablesOf(c.quest, s.Observables),
			"dependencies": append([]orchestration.Report{}, c.quest.ReportsFor(s)...)}
		return withInstructions(own, s)
	}
	whole := wholeOf(c)
	own := map[string]any{
		"stepId":   c.run.Step,
		"note":     "you work for the whole quest, not for one step",
		"findings": append([]orchestration.Finding{}, whole.Findings...),
	}
	if c.run.Step == orchestration.StepReview {
		own["observables"] = observablesOf(c.quest, reviewOf(c.quest))
	}
	return withInstructions(own, whole)
}

// reviewOf returns the ids of the observables that the review owns.
func reviewOf(q *orchestration.Quest) []string {
	for _, s := range q.Whole {
		if s != nil && s.ID == orchestration.StepReview {
			return append([]string{}, s.Observables...)
		}
	}
	return []string{}
}

func observablesOf(q *orchestration.Quest, ids []string) []orchestration.Observable {
	out := []orchestration.Observable{}
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			for _, id := range ids {
				if o.ID == id {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// wholeOf returns the quest-wide step that the caller works for.
func wholeOf(c caller) *orchestration.Step {
	for _, step := range c.quest.Whole {
		if step != nil && step.ID == c.run.Step {
			return step
		}
	}
	return &orchestration.Step{}
}

// withInstructions adds what the person wrote beside Retry, oldest first. If it does not
// fit, it leaves out the oldest texts and says how many.
func withInstructions(own map[string]any, s *orchestration.Step) map[string]any {
	texts := []string{}
	for _, i := range s.Instructions {
		texts = append(texts, i.Text)
	}
	room := max(maxAnswer-len(encode(own)), maxAnswer/2)
	for len(texts) > 1 && len(encode(texts)) > room {
		texts = texts[1:]
	}
	own["instructions"] = texts
	if left := len(s.Instructions) - len(texts); left > 0 {
		own["instructionsLeftOut"] = left
	}
	return own
}

type pastRun struct {
	Role    orchestration.Role    `json:"role"`
	Visit   int                   `json:"visit"`
	Outcome orchestration.Outcome `json:"outcome"`
	Why     string                `json:"why,omitempty"`
	Signal  *orchestration.Signal `json:"signal,omitempty"`
	Answer  string                `json:"answer,omitempty"` // the user's answer to the question of this run
}

// history lists the ended runs of the caller's step, oldest first. If they do not fit,
// it drops the oldest.
func history(c caller) []pastRun {
	answers := map[string]string{}
	for _, q := range c.quest.Questions.All() {
		if q.Answer != "" {
			answers[q.Run] = q.Answer
		}
	}
	past := []pastRun{}
	for _, r := range c.quest.Runs.All() {
		if r.Step == c.run.Step && r.ID != c.run.ID && r.State == orchestration.RunEnded {
			past = append(past, pastRun{r.Role, r.Visit, r.Outcome, r.Why, r.Signal, answers[r.ID]})
		}
	}
	for len(past) > 1 && len(encode(past)) > maxAnswer {
		past = past[(len(past)+1)/2:]
	}
	return past
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("encode a view of the quest: " + err.Error()) // plain data only
	}
	return string(raw)
}
