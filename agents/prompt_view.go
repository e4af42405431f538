package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"questboard/orchestration"
)

// promptView is the data for the texts. Everything is computed here, so that the texts
// contain words and almost no logic.
type promptView struct {
	orchestration.Brief
	Role    orchestration.Role
	Line    string
	Start   orchestration.StartKind
	Visit   int
	Resumed bool
	// Parent is the role with a copy of whose conversation the session begins; "": none.
	Parent orchestration.Role
	Whole  bool // the step is quest-wide
	Writes bool

	Title, Request, Ward, Dir string
	Attachments               []Attached
	Committed                 bool   // what was left in the tree is committed when the run starts
	BeforeMerge               string // the repository's command before a merge; empty: none
	Shared                    bool
	Quest, Base               string // worktree mode: the quest's branch, and the base of the step's diff

	Map        RepoMap // empty: nothing is known, or the role does not get it
	Toolchains []toolchain

	BaseTook       string                 // how long the check took on the base; "": unknown
	BasePending    bool                   // nobody knows yet how the check ends there
	BaseGreen      bool                   // it passed there
	Baseline       orchestration.Baseline // set where it is red or accepted, and the role would see it
	KnownFaults    string
	BaselineOutput string
	SkippedThere   []string // what the check left out there, with the reasons

	Requirements []orchestration.Requirement
	Locked       bool
	Others       []orchestration.Requirement // of a step: requirements that it has no part in
	MoreOthers   int                         // further ones
	RequestCut   bool                        // Request is only its beginning
	JustPassed   bool                        // the check has passed on this tree, and nobody has worked since

	Siege   siegeFacts
	Step    *stepFacts
	Plan    []orchestration.Step
	PlanCut int
	Reports string // what became of the steps, for Lawbringer
	Sizes   string // of the whole change, for Lawbringer
	// Evidence says how each observable was proven, for Lawbringer.
	Evidence string
	OnWhole  []string // observables that the review owns
	LeftOut  []orchestration.Uncovered
	// PlanApproved: a person has read what the plan leaves out.
	PlanApproved bool
	Beside       []orchestration.Step // other steps that hold files

	ToProve []orchestration.Observable // those for which the run's complete needs evidence
	Listed  bool                       // the prompt has their texts nowhere else

	Instructions     []orchestration.Instruction // what the person wrote beside Retry
	MoreInstructions int                         // older ones that are left out

	Decisions     []orchestration.Decision // what people decided, for a fresh session
	MoreDecisions int                      // older ones that are left out
	Undecided     bool                     // there is none at all

	changeFacts
	sizeFacts

	Look         *lookFacts // only Lawbringer's look at the whole
	MoreFindings int        // older ones that are left out
	NotAsStored  []string   // feedback on a plan: its steps that have changed since
	ToMend       string     // what Lawbringer found, for the role that it hands over to

	Waits               orchestration.Role // the role that is resumed when this run is done
	LastSignal, Changes string
	WardOutput          string

	signals     []orchestration.SignalKind
	Walled      bool // the role may ask a human only at a wall of the environment
	WallWords   string
	SignalWords string
	TargetWords string
	RightsWords string
	// ReadTool reads a file, and ImageTool shows an image; "": not known.
	ReadTool, ImageTool string
	AfterWords          string // what becomes of requirements or a plan after complete
	MustResume          bool
	Example             signalExample
}

// lookFacts says which look of the review it is.
type lookFacts struct {
	Rounds, Of int
	Last       bool // nobody looks at what changes now
	Only       bool // it may only complete
}

// stepFacts is the run's own step.
type stepFacts struct {
	ID, Title, Description        string
	Files, Observables, DependsOn []string
	Lost                          []string               // observables that nobody asks for any more
	Reports                       []orchestration.Report // of its dependencies
	Missing                       []missing
	Replaced                      []replaced
}

// maxPlan is how many steps a prompt lists. The tool get-quest has the rest.
const maxPlan = 200

// maxFindings is how many findings of earlier looks a prompt lists.
const maxFindings = 30

// Conflict reports whether the run was called because of a merge conflict, or because of
// conflict markers that were left in files.
func (v promptView) Conflict() bool {
	return v.Kind == orchestration.BriefConflict || v.Kind == orchestration.BriefMarkers
}

// Subject begins a sentence about the run before this one, which is the same session if
// this one is resumed.
func (v promptView) Subject() string {
	if v.Resumed {
		return "You were"
	}
	return "The run before this one was"
}

// May reports whether the role may send the signal.
func (v promptView) May(kind string) bool {
	return slices.Contains(v.signals, orchestration.SignalKind(kind))
}

func promptOf(q *orchestration.Quest, r *orchestration.Run, facts PromptFacts) promptView {
	v := promptView{
		Brief: r.Brief, Role: r.Role, Line: r.Step, Start: r.Start, Visit: r.Visit, Resumed: r.ResumedFrom != "",
		Writes: r.Role.Writes(), Whole: true,
		Title: q.Title, Request: q.Request, Attachments: facts.Attachments, Ward: q.Ward, Dir: facts.Dir,
		Shared:       shared(q),
		Requirements: q.Requirements, Locked: q.Locked,
		Changes: facts.Changes, WardOutput: facts.WardOutput,
		Walled: r.Role.AsksAtWallsAlone(), WallWords: words(orchestration.Walls),
		signals: q.SignalsFor(r), Example: roles[r.Role].example,
		MustResume: r.Step == orchestration.StepRequirements || r.Step == orchestration.StepPlan && q.Phase == orchestration.PhasePlan,
	}
	v.ToProve, v.Siege = q.ToProve(r), siegeOf(q, r)
	if !v.Shared {
		v.BeforeMerge = q.BeforeMerge()
	}
	v.Committed = !v.Shared && r.Brief.Kind != orchestration.BriefConflict
	if from := q.Run(r.ForkedFrom); from != nil {
		v.Parent = from.Role
	}
	v.Instructions, v.MoreInstructions = q.InstructionsFor(r)
	v.NotAsStored = q.NotAsStored(r)
	v.changeFacts, v.sizeFacts = changesFor(q, r), sizeOf(q, r)
	v.SignalWords = words(v.signals)
	v.TargetWords = words(orchestration.TargetsOf(r.Role))
	v.RightsWords = rightsWords(r.Role, r.Agent, facts.Allow, facts.Deny)
	row, _ := rowOf(r.Agent)
	v.ReadTool, v.ImageTool = row.tools["Read"], row.images
	v.AfterWords = afterWords(q, r)
	if step := stepOf(q, r.Step); step != nil {
		v.Whole = false
		v.Step = factsOf(q, step)
		v.ofStep(q, r, v.Step.Observables)
	}
	v.Listed = v.Step == nil || len(v.Step.Lost) > 0
	v.untitled()
	v.JustPassed = r.Start == orchestration.StartFresh && q.PassedBefore(r)
	if more := len(v.Findings) - maxFindings; more > 0 {
		v.Findings, v.MoreFindings = v.Findings[more:], more
	}
	if q.Looks(r) {
		rounds := q.Step(orchestration.StepReview).Rounds
		v.Look = &lookFacts{Rounds: rounds, Of: orchestration.ReviewRounds, Last: rounds+1 == orchestration.ReviewRounds, Only: q.OnlyComplete()}
	}
	if seesPlan(r) {
		v.Plan, v.PlanCut = planOf(q)
		if r.Role == orchestration.Lawbringer {
			v.Reports, v.Sizes, v.Evidence = reportsOf(q), sizesOf(facts.Stand.Sizes), evidenceOf(q)
		}
		if v.Siege.AtEnd { // who built says which edges are known
			v.Reports, v.Sizes = reportsOf(q), sizesOf(facts.Stand.Sizes)
		}
		v.PlanApproved = q.GatePlan == orchestration.GateApproved
		v.OnWhole, v.LeftOut = q.Step(orchestration.StepReview).Observables, q.Uncovered
	}
	if WantsMap(r) {
		v.Map, v.Toolchains = facts.Map, facts.Map.toolchains()
	}
	if !q.Looks(r) && r.Brief.From == orchestration.Lawbringer {
		v.ToMend = toMend(q, r)
	}
	if v.Shared {
		v.Beside = besideOf(q, r.Step)
	}
	if waiting := q.Run(r.ReturnTo); waiting != nil {
		v.Waits = waiting.Role
	}
	if r.Brief.OutputOf == "" {
		v.WardOutput = ""
	}
	if v.Start == orchestration.StartHandoff {
		v.LastSignal = lastSignal(q, r)
	}
	if !v.Shared {
		v.inTrees(q, r, facts)
	}
	if v.Parent != "" {
		v.Others, v.MoreOthers = nil, 0
		if from := q.Run(r.ForkedFrom); from.Step == r.Step {
			v.Step = nil
		}
	}
	if v.Resumed {
		v.onlyNews()
	} else {
		v.Decisions, v.MoreDecisions = decisionsFor(q, r)
		v.Undecided = len(q.Decisions()) == 0
	}
	return v
}

// onlyNews removes what the session was told before. It keeps the last message for an
// interrupted session, which may have lost it.
func (v *promptView) onlyNews() {
	v.Kind, v.Reason, v.Context, v.Files, v.Comments, v.Digest, v.Check, v.WardOutput = "", "", "", nil, "", "", nil, ""
	v.Progress, v.ContinuationPoint, v.Findings, v.MoreFindings, v.ToMend, v.Changes, v.Waits = "", "", nil, 0, "", "", ""
	if v.Start != orchestration.StartInterrupted && v.Start != orchestration.StartRetry && v.Start != orchestration.StartChange {
		v.Change = ""
	}
	switch v.Start {
	case orchestration.StartInterrupted, orchestration.StartRetry, orchestration.StartChange:
	case orchestration.StartAnswer:
		v.Summary, v.Feedback, v.Message, v.Allowed = "", "", "", ""
	case orchestration.StartFollowupDone:
		v.Question, v.Answer, v.Feedback, v.Message, v.Allowed = "", "", "", "", ""
	case orchestration.StartFeedback:
		v.Question, v.Answer, v.Summary, v.Message, v.Allowed = "", "", "", "", ""
	case orchestration.StartMessage:
		v.Question, v.Answer, v.Summary, v.Feedback = "", "", "", ""
	default:
		v.Brief = orchestration.Brief{From: v.From, Cause: v.Cause}
	}
}

// seesPlan reports whether the prompt lists every step. Roles that plan, and roles that
// judge the whole, need the list.
func seesPlan(r *orchestration.Run) bool {
	home := roles[r.Role].home
	return home == orchestration.StepPlan || home == orchestration.StepReview || r.Step == orchestration.StepReview
}

func stepOf(q *orchestration.Quest, id string) *orchestration.Step {
	for _, s := range q.Steps.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func factsOf(q *orchestration.Quest, s *orchestration.Step) *stepFacts {
	f := &stepFacts{
		ID: s.ID, Title: s.Title, Description: s.Description,
		Files: s.Files, Observables: s.Observables, DependsOn: s.DependsOn,
	}
	for _, o := range q.NoLongerAsked() {
		if slices.Contains(f.Observables, o.ID) {
			f.Lost = append(f.Lost, o.ID)
			f.Observables = slices.DeleteFunc(slices.Clone(f.Observables), func(id string) bool { return id == o.ID })
		}
	}
	f.Reports = q.ReportsFor(s)
	return f
}

func planOf(q *orchestration.Quest) ([]orchestration.Step, int) {
	var plan []orchestration.Step
	for _, s := range q.Steps.All() {
		if len(plan) == maxPlan {
			return plan, q.Steps.Len() - maxPlan
		}
		plan = append(plan, *s)
	}
	return plan, 0
}

func besideOf(q *orchestration.Quest, step string) []orchestration.Step {
	var others []orchestration.Step
	for _, s := range q.Steps.All() {
		if s.ID != step && s.HoldsFiles && !s.Stage.Settled() && len(others) < maxPlan {
			others = append(others, *s)
		}
	}
	return others
}

// lastSignal returns the newest signal of the run's step before this run, as sent.
func lastSignal(q *orchestration.Quest, r *orchestration.Run) string {
	text := ""
	for _, before := range q.Runs.All() {
		if before.Step == r.Step && before.N < r.N && before.Signal != nil {
			if raw, err := json.Marshal(before.Signal); err == nil {
				text = string(before.Role) + ": " + string(raw)
			}
		}
	}
	return text
}

// words lists names in a sentence: `a`, `b` or `c`.
func words[T ~string](names []T) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + string(n) + "`"
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
	return strings.Join(quoted, "")
}
