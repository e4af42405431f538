package present

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

func (p *Quest) addRuns(v *views.Step, s *orchestration.Step, chosen string) {
	shown, id := p.shownRun(s), "newest-log"
	if r := p.q.Run(chosen); r != nil && r.Step == s.ID {
		shown, id = r, "log-of-"+r.ID
	}
	if shown != nil && p.showsOutput() {
		v.Log = p.log(shown, id)
		if shown.ID == chosen && shown.Role.Agent() && !p.guest() { // the tab shows the newest one
			v.Log.PromptURL = paths.StepPrompt(p.q.ID, s.ID, shown.ID)
		}
	}
	for _, r := range p.runsOf(s) {
		v.Runs = append(v.Runs, p.run(r, r == shown))
		if r.Signal != nil {
			v.Signals = append(v.Signals, p.signal(r))
		}
	}
	v.StepCost, v.Reported = p.StepCost(s), p.reported(s)
}

// StepCost is what the runs of a step cost; a visitor who does not see that gets none.
func (p *Quest) StepCost(s *orchestration.Step) (c views.StepCost) {
	if !p.showsCost() {
		return c
	}
	var all used
	for _, r := range p.runsOf(s) {
		all.add(r)
	}
	return views.StepCost{Cost: p.cost(all.usd, all.all()), Costs: p.runCosts(s)}
}

// runsOf returns the runs of a step, newest first.
func (p *Quest) runsOf(s *orchestration.Step) []*orchestration.Run {
	var runs []*orchestration.Run
	for _, r := range p.q.Runs.All() {
		if r.Step == s.ID {
			runs = append(runs, r)
		}
	}
	slices.Reverse(runs)
	return runs
}

// shownRun returns the run whose output says most: the newest that may have output, but
// instead of a check that has passed the agent whose work it was.
func (p *Quest) shownRun(s *orchestration.Step) *orchestration.Run {
	runs := slices.DeleteFunc(p.runsOf(s), func(r *orchestration.Run) bool { return r.State == orchestration.RunQueued })
	if len(runs) == 0 {
		return nil
	}
	newest := runs[0]
	if newest.Role != orchestration.Ward || newest.State != orchestration.RunEnded || !s.LastCheckPassed() {
		return newest
	}
	if i := slices.IndexFunc(runs, func(r *orchestration.Run) bool { return r.Role.Agent() }); i >= 0 {
		return runs[i]
	}
	return newest
}

// reported returns the newest account of each role, in the order in which they were given.
func (p *Quest) reported(s *orchestration.Step) []views.AgentReport {
	if p.guest() {
		return nil
	}
	var list []views.AgentReport
	told := map[orchestration.Role]bool{}
	for _, r := range p.runsOf(s) {
		if r.Signal == nil || told[r.Role] {
			continue
		}
		c := views.AgentReport{Role: RoleName(r.Role)}
		switch x := r.Signal; x.Kind {
		case orchestration.Complete:
			c.Does, c.Words = "reported", p.prose(x.Summary)
		case orchestration.PartiallyComplete:
			c.Does, c.Words = "goes on in a new session", p.prose(x.Progress)
		case orchestration.NeedsRoleFollowup:
			c.Does, c.Words = "calls "+RoleName(x.TargetRole), p.prose(x.Reason)
		default:
			continue // a question stands above
		}
		told[r.Role] = true
		if c.Words != "" {
			list = append(list, c)
		}
	}
	slices.Reverse(list)
	return list
}

func (p *Quest) log(r *orchestration.Run, id string) *views.Log {
	l := &views.Log{ID: id, Run: r.ID, Live: r.Live(), Times: r.Role.Agent(), Words: fmt.Sprintf("Output of %s, run %d", RoleName(r.Role),
		r.N+1),
		Key: r.ID, PageURL: p.Site.Output(r.ID), TextURL: p.Site.OutputText(r.ID), PagesURL: p.Site.OutputLog(r.ID),
		HereURL: p.Site.StepRun(p.q.ID, r.Step, r.ID)}
	if !p.guest() {
		l.FindURL, l.FileURL = paths.FindInOutput(r.ID), paths.RawOutput(r.ID)
	}
	return l
}

func (p *Quest) run(r *orchestration.Run, current bool) views.Run {
	v := views.Run{ID: r.ID, URL: p.Site.StepRun(p.q.ID, r.Step, r.ID), Current: current,
		Role: runName(r), Start: Sentence(startWords(r.Start)), Cost: p.cost(r.CostUSD, r.Tokens.All()),
		Denied: p.deniedWords(r)}
	if from := p.q.Run(r.ForkedFrom); from != nil {
		v.Start += ", goes on from " + runName(from)
	}
	if !p.guest() { // see guest.go
		v.Why = clean(r.Why)
		v.Session, v.ResumeCommand = clean(r.SessionID), resumeCommand(r)
	}
	if r.State != orchestration.RunEnded {
		v.State, v.Lasted = p.runState(r)
		return v
	}
	v.Lasted = views.Lasted(r.StartedAt, r.EndedAt)
	v.State = endState(p.q, r)
	if r.ExitCode != 0 {
		v.ExitCode = strconv.Itoa(r.ExitCode)
	}
	return v
}

// signalWords names the fields of a signal for people.
var signalWords = map[string]string{"continuationPoint": "Where it goes on", "targetRole": "Called", "wall": "What stops it",
	"resume": "After that"}

// signal is a signal with all its fields in full. Its step is the page's.
func (p *Quest) signal(r *orchestration.Run) views.Signal {
	s := r.Signal
	v := views.Signal{Run: runName(r), Kind: Sentence(reportOf(s.Kind, s.TargetRole))}
	add := func(name, value string) {
		if value != "" {
			v.Fields = append(v.Fields, views.Pair{Name: name, Value: clean(value)})
		}
	}
	say := func(name, value string) {
		if value != "" {
			v.Fields = append(v.Fields, views.Pair{Name: name, Value: p.prose(value), Prose: true})
		}
	}
	for _, f := range orchestration.SignalFields {
		name := cmp.Or(signalWords[f.Name], Sentence(f.Name))
		switch {
		case f.Prose:
			say(name, f.In(s))
		case f.Name == "evidence":
			for _, e := range s.Evidence {
				add(name, cmp.Or(p.observableTexts()[e.Observable], e.Observable)+": "+e.Kind.Words()+": "+e.How)
			}
		case f.Name == "targetRole" && s.TargetRole != "":
			add(name, RoleName(s.TargetRole))
		case f.Name == "wall":
			add(name, wallWords(s.Wall))
		case s.Resume != nil && f.Name == "resume":
			add(name, resumeWords(*s.Resume))
		default:
			add(name, f.In(s))
		}
	}
	return v
}

// resumeWords says what follows when the role that was called is done.
func resumeWords(resume bool) string {
	if resume {
		return "The role that called resumes its session"
	}
	return "Work goes on without the session that called"
}

// endState says how a run ended. A check that gave a verdict has passed or failed;
// orchestration.Checked says which, for the newest check of a step.
func endState(q *orchestration.Quest, r *orchestration.Run) views.State {
	switch {
	case r.Outcome == orchestration.OutcomeSignalled && r.Role == orchestration.Ward:
		return checkState(q, r)
	case r.Outcome == orchestration.OutcomeSignalled && r.Signal != nil && r.Signal.Kind != orchestration.Complete:
		return views.State{Class: "idle", Icon: "›", Words: Sentence(reportOf(r.Signal.Kind, r.Signal.TargetRole))}
	case r.Outcome == orchestration.OutcomeSignalled && r.Signal != nil:
		return views.State{Class: "good", Icon: "✓", Words: Sentence(reportOf(r.Signal.Kind, r.Signal.TargetRole))}
	case r.Outcome == orchestration.OutcomeCrashed, r.Outcome == orchestration.OutcomeStuck, r.Outcome == orchestration.OutcomeFailed:
		return views.State{Class: "bad", Icon: "✕", Words: outcomeOf(r.Outcome)}
	default:
		return views.State{Class: "idle", Icon: "■", Words: outcomeOf(r.Outcome)}
	}
}

func checkState(q *orchestration.Quest, r *orchestration.Run) views.State {
	s := q.Step(r.Step)
	switch {
	case r.ExitCode != 0:
		return views.State{Class: "bad", Icon: "✕", Words: "Failed"}
	case r.BeforeMerge(): // with exit code 0 it can still have failed; why says so
		return views.State{Class: "idle", Icon: "■", Words: "Ended"}
	case s != nil && s.Run == r.ID && q.Checked(s) == orchestration.CheckedPassed:
		return views.State{Class: "good", Icon: "✓", Words: "Passed"}
	default: // why says whether there was a check at all
		return views.State{Class: "idle", Icon: "■", Words: "Ended"}
	}
}

// sessionID matches ids that need no quotes in a shell command.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// resumeCommand is the shell command that continues a run's session by hand. It is "" for an id
// that could do harm in a shell, because the agent reported the id, and for another program.
func resumeCommand(r *orchestration.Run) string {
	if r.Agent != "claude" || !sessionID.MatchString(r.SessionID) {
		return ""
	}
	return "claude --resume " + r.SessionID
}
