package present

import (
	"fmt"
	"slices"
	"strings"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// StepTopic is the topic that the panel of a step subscribes to.
func StepTopic(quest, step string) string { return "step/" + quest + "/" + step }

// Step is the panel of a step. run chooses the run whose output is shown; if it is empty,
// the newest.
func (p *Quest) Step(s *orchestration.Step, run string) views.Step {
	state, since := p.state(s)
	v := views.Step{Quest: p.q.ID, QuestURL: p.Site.Quest(p.q.ID), ID: s.ID, Title: StepTitle(s),
		Topic: StepTopic(p.q.ID, s.ID), Version: p.q.Version,
		State: state, Since: since, Role: p.role(s), RoleAbout: p.roleAbout(s), Why: p.stepWhy(s),
		Description: p.prose(s.Description), Files: CleanAll(s.Files), Observables: p.observables(s),
		Siege: p.siegeWords(s), Decisions: p.Decisions(s), ReadOnly: p.guest(), NoOutput: !p.showsOutput()}
	for _, d := range s.DependsOn {
		v.After = append(v.After, p.Link(d))
	}
	for _, other := range p.q.Steps.All() {
		if slices.Contains(other.DependsOn, s.ID) && other.Stage != orchestration.StageSuperseded {
			v.Blocks = append(v.Blocks, p.Link(other.ID))
		}
	}
	for _, r := range s.ReplacedBy {
		v.Replaced = append(v.Replaced, p.Link(r))
	}
	if !p.guest() && !s.Whole() {
		v.GraphURL = graphURL(p.q.ID, s.ID, s.Stage == orchestration.StageSuperseded)
	}
	if question := p.q.OpenQuestion(s); question != nil {
		view := p.Question(question)
		view.InPanel = true
		v.Question = &view
	}
	p.addRuns(&v, s, run)
	v.Denied = p.denied(s)
	v.Place = p.place(s)
	p.addDiff(&v, s)
	v.Document = p.stepDocument(s)
	if s.ID == orchestration.StepRequirements {
		v.Asked = p.Asked()
	}
	return v
}

// stepWhy is the result of why for the step's panel. It is empty while a question is
// open, because the panel shows that itself.
func (p *Quest) stepWhy(s *orchestration.Step) string {
	if s.Hold == orchestration.HoldQuestion {
		return ""
	}
	return p.why(s)
}

// Link is a link to a step.
func (p *Quest) Link(step string) views.Link {
	s := p.q.Step(step)
	return views.Link{Words: p.title(step), URL: p.Site.Step(p.q.ID, step),
		Done: s != nil && s.Stage == orchestration.StageDone, Skipped: s != nil && s.Stage == orchestration.StageSkipped}
}

func (p *Quest) observables(s *orchestration.Step) []views.Observable {
	texts := map[string]string{}
	for _, r := range p.q.Requirements {
		for _, o := range r.Observables {
			texts[o.ID] = o.Text
		}
	}
	proven := p.evidence(s.ID)
	for _, o := range p.q.NoLongerAsked() {
		texts[o.ID] = o.Text + " (no longer asked)"
	}
	list := make([]views.Observable, len(s.Observables))
	for i, id := range s.Observables {
		list[i] = views.Observable{ID: clean(id), Text: clean(texts[id]), Evidence: proven[id]}
	}
	return list
}

// StepsThatChanged returns links to the steps that changed a file and whose work is on the
// quest's branch.
func (p *Quest) StepsThatChanged(file string) []views.Link {
	var list []views.Link
	add := func(s *orchestration.Step) {
		if _, is := slices.BinarySearch(s.Changed, file); is && s.Stage == orchestration.StageDone {
			list = append(list, views.Link{Words: StepTitle(s), URL: paths.StepDiff(p.q.ID, s.ID)})
		}
	}
	for _, s := range p.q.Steps.All() {
		add(s)
	}
	if review := p.q.Step(orchestration.StepReview); review != nil {
		add(review)
	}
	return list
}

// ShortTitle is the title of a step as it stands beside a line of code.
func (p *Quest) ShortTitle(s *orchestration.Step) string { return p.oneLine(StepTitle(s), 40) }

// addDiff adds the step's diff to its panel.
func (p *Quest) addDiff(v *views.Step, s *orchestration.Step) {
	v.URL = p.Site.Step(p.q.ID, s.ID)
	for _, f := range s.Undeclared() {
		v.Outside = append(v.Outside, diffview.ShortPath(f))
	}
	if p.guest() {
		return // a share has no diffs
	}
	v.DiffURL, v.DiffFiles = paths.StepDiff(p.q.ID, s.ID), len(s.Changed)
	v.Comments, v.CommentsWait = p.pending(s)
}

// pending returns comments that no run works on yet, and what they wait for.
func (p *Quest) pending(s *orchestration.Step) (text, wait string) {
	if s.Comments == "" || s.Stage.Settled() || p.q.Over() {
		return "", ""
	}
	r := p.q.Run(s.Run)
	switch {
	case r == nil || s.Stage == orchestration.StageReady || s.Stage == orchestration.StageWaiting:
		wait = "Spiritmender begins this step with them."
	case r.State == orchestration.RunEnded || r.Role == orchestration.Ward:
		wait = "They wait for the check; then Spiritmender gets them."
	default:
		wait = fmt.Sprintf("They wait until %s has finished and the check has run; then Spiritmender gets them.", RoleName(r.Role))
	}
	return clean(s.Comments), wait
}

// CommentsSent says what happens to the comments that were just sent. followup is the new
// step for them, if there is one.
func (p *Quest) CommentsSent(n int, followup string, s *orchestration.Step) *views.DiffNotice {
	notice := &views.DiffNotice{Text: fmt.Sprintf("%s sent. ", views.Count(n, "comment was", "comments were"))}
	if next := p.q.Step(followup); next != nil && !next.Whole() {
		link := p.Link(next.ID)
		notice.Text += "They became a new step:"
		notice.Link = &link
		return notice
	}
	if s == nil {
		return notice
	}
	if _, wait := p.pending(s); wait != "" {
		notice.Text += wait
		return notice
	}
	if r := p.q.Run(s.Run); r != nil && r.Role == orchestration.Spiritmender && r.State == orchestration.RunQueued {
		notice.Text += "Spiritmender gets them in the next free slot."
	} else {
		notice.Text += "Spiritmender works on them."
	}
	return notice
}

// place is where a step works, with commands that lead there.
func (p *Quest) place(s *orchestration.Step) views.Place {
	if p.guest() {
		return views.Place{}
	}
	at := p.Place(p.q, s.ID)
	if !s.Started || !at.Exists {
		return views.Place{}
	}
	if at.Host != "" {
		return views.Place{Dir: clean(at.Dir), Host: clean(at.Host)}
	}
	v := views.Place{Dir: clean(at.Dir), Editor: p.Editor(at.Dir), SettingsURL: paths.Settings}
	if v.Dir == at.Dir { // otherwise the command would differ from the shown path
		v.Enter = "cd " + quoted(at.Dir)
	}
	if r := p.newestSession(s); r != nil {
		v.Resume, v.Live = resumeCommand(r), r.Live()
	}
	return v
}

// newestSession returns the newest run of an agent that has a session to resume.
func (p *Quest) newestSession(s *orchestration.Step) *orchestration.Run {
	for _, r := range p.runsOf(s) {
		if r.Role.Agent() && r.Opened {
			return r
		}
	}
	return nil
}

// quoted quotes a word for a POSIX shell.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
