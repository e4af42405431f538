package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// withheld are the parts of a quest that the API does not tell, and why. A new field must
// either be in the answer or have a row here.
var withheld = map[string]string{
	"Quest.Backoff":            "how long runs wait before they are tried again",
	"Quest.CrashBackoff":       "how long crashed runs wait before they are tried again",
	"Quest.BudgetWarned":       "the history has the warning",
	"Quest.Former":             "for prompts; follows names that quest",
	"Quest.Changes.Waived":     "what a new plan need not cover; the coverage tells",
	"Quest.FirstPlan":          "a note for the limit of runs",
	"Quest.GrantedAt":          "whose turn it is among quests",
	"Quest.Workplace.Moves":    "the history has each move",
	"Quest.GreenTree":          "saves a second check of the same files",
	"Quest.Untitled":           "whether an agent may give the title",
	"Quest.Merging":            "a step's stage tells that it waits for its merge",
	"Step.Block.At":            "the history has it",
	"Step.Block.Retry":         "how a retry would begin; its role is told",
	"Step.Checked":             "what it means now is told under this name, which needs more than this",
	"Step.Counts.LastFollowup": "finds a hand-over that repeats itself",
	"Step.Counts.Merge":        "the block that it leads to says it",
	"Step.Counts.Overloads":    "how long a run waits, which its notBefore tells",
	"Step.Final":               "the controls tell whether a skip can be undone",
	"Step.MadeOf":              "the comments that it was made of; its description tells",
	"Step.SiegeProof":          "the evidence tells",
	"Step.Looked":              "whether the round of a look is counted yet",
	"Step.GreenTree":           "saves a second check of the same files",
	"Step.StartTree":           "tells whether a tree was changed",
	"Step.HoldsFiles":          "keeps other steps from its files",
	"Step.PlanStep.Minutes":    "an estimate; only the order of work looks at it",
	"Step.Visits":              "the runs have their visit",
	"Run.Beside":               "whether others wrote while it worked",
	"Run.BootID":               "of the machine",
	"Run.HostID":               "of the machine",
	"Run.TokenHash":            "a secret's",
	"Run.Draft":                "a plan that is not in force; its gate shows it",
	"Run.Epoch":                "tells a late report from a new one",
	"Run.Lasted":               "counts for the budget of time, of which the quest tells what is used",
	"Run.Late":                 "the history has the refusal",
	"Run.Launch.With":          "Run.InPlaceOf and Run.Agent tell what comes of it",
	"Run.Launch.Alone":         "what the run begins with; the prompt tells its agent",
	"Run.Launch.Brief":         "what the run begins with; the prompt tells its agent",
	"Question.Text":            "question tells it, or the calls",
	"Quest.Forks":              "copied from the settings when it began; its runs tell which went on from which",
	"Run.SessionCost":          "of which costUsd is the run's own part",
	"Run.Stopping":             "why it is about to end; its outcome tells it then",
}

// reason returns why a field is withheld, or "" if the API must tell it.
func reason(path string) (row, why string) {
	for row, why := range withheld {
		if path == row || strings.HasPrefix(path, row+".") {
			return row, why
		}
	}
	return "", ""
}

// The answer about a quest has every field of it, except for those in withheld.
func TestEveryFieldOfAQuestIsToldOrWithheld(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	tell := func(change int) (string, string) {
		q, path := quest(change)
		s.quests.Replace(q)
		w := httptest.NewRecorder() // a bare recorder, because the values do not follow the OpenAPI document
		s.echo.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/quests/"+q.ID, nil))
		return w.Body.String(), path
	}
	plain, _ := tell(-1)
	if !strings.Contains(plain, `"runs":[{`) {
		t.Fatalf("%.500s", plain)
	}
	untold := map[string]bool{}
	for n := 0; ; n++ {
		answer, path := tell(n)
		if path == "" {
			break
		}
		if answer == plain {
			untold[path] = true
		}
	}
	used := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(untold)) {
		row, why := reason(path)
		if used[row] = true; why == "" {
			t.Errorf("%s is not in the answer", path)
		}
	}
	for row := range withheld {
		if !used[row] {
			t.Errorf("%s is told: it needs no reason", row)
		}
	}
}

// quest returns a quest with a value in every field. The field with the number change has
// another value than usual. It also returns the path of that field, or "" if there are
// not so many fields.
func quest(change int) (*orchestration.Quest, string) {
	f := &filling{change: change}
	q, step, run, ask := &orchestration.Quest{}, &orchestration.Step{}, &orchestration.Run{}, &orchestration.Question{}
	f.fill("Quest", reflect.ValueOf(q).Elem())
	f.fill("Step", reflect.ValueOf(step).Elem())
	f.fill("Run", reflect.ValueOf(run).Elem())
	f.fill("Question", reflect.ValueOf(ask).Elem())
	q.ID = "q"
	step.N, step.ID, run.N, run.ID = 0, "s1", 0, "q-r1"
	for i, step := range orchestration.QuestWideSteps {
		q.Whole[i].ID = step
	}
	q.Steps, q.Questions = orchestration.TableOf(step), orchestration.TableOf(ask)
	q.Runs = orchestration.TableOf(run, &orchestration.Run{ID: "q-r2", N: 1, State: orchestration.RunEnded, Launch: orchestration.Launch{Step: "s1"}})
	return orchestration.Restore(q), f.path
}

// fixed are the fields that quest sets itself: ids, and positions in lists.
var fixed = []string{"Quest.ID", "Step.N", "Step.PlanStep.ID", "Run.ID", "Run.N"}

type filling struct {
	n, change int
	path      string
}

// leaf counts a field without parts, and reports whether it is the one to change.
func (f *filling) leaf(path string) (changed bool) {
	f.n++
	if changed = f.n-1 == f.change; changed {
		f.path = path
	}
	return changed
}

func (f *filling) fill(path string, v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		at := epoch.Add(time.Duration(f.n) * time.Minute)
		if f.leaf(path) {
			at = at.Add(time.Second)
		}
		v.Set(reflect.ValueOf(at))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name := path + "." + field.Name
			if name == "Quest.Whole" { // the quest-wide steps are steps too
				name = "Step"
			}
			if field.IsExported() && !strings.HasPrefix(field.Type.Name(), "Table[") && !slices.Contains(fixed, name) {
				f.fill(name, v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(path, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(path, v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(path, v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(path, key)
		f.fill(path, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		text := cmp.Or(known(v.Type()), fmt.Sprint("text ", f.n))
		other := text + " more"
		switch name := path[strings.LastIndex(path, ".")+1:]; name {
		case "Step":
			text, other = "s1", orchestration.StepPlan
		case "Run", "ResumedFrom", "ForkedFrom", "ReturnTo", "BaselineRun", "OutputOf":
			text, other = "q-r1", "q-r2"
		}
		if f.leaf(path) {
			text = other
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(f.leaf(path))
	case reflect.Float64:
		n := float64(f.n)
		if f.leaf(path) {
			n += 0.5
		}
		v.SetFloat(n)
	default:
		n := int64(f.n)
		if f.leaf(path) {
			n += 1000
		}
		v.SetInt(n)
	}
}

// known returns a valid word for types whose other values would hide fields.
func known(t reflect.Type) string {
	return map[reflect.Type]string{
		reflect.TypeFor[orchestration.Phase]():    string(orchestration.PhaseSteps),
		reflect.TypeFor[orchestration.RunState](): string(orchestration.RunEnded),
	}[t]
}
