package handlers

import (
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

func (p *presenter) question(question *orchestration.Question) views.Question {
	session := ""
	if r := p.q.Run(question.Run); r != nil && r.Opened && !p.guest() {
		session = clean(r.SessionID)
	}
	text := p.prose(question.Text)
	return views.Question{Options: options(text), Session: session, ID: question.ID, URL: p.Site.Question(question.ID), ReadOnly: p.guest(), AnswerURL: p.answerURL(question),
		PostURL: paths.AnswerQuestion(question.ID),
		Quest:   clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID),
		Line: p.title(question.Line), LineURL: p.Site.Step(p.q.ID, question.Line),
		Role: roleName(question.Role), Text: text, Context: p.prose(question.Context),
		Waiting: views.Since(question.AskedAt, p.Now), Open: p.q.May(orchestration.AnswerGiven{Question: question.ID}) == nil,
		Answer: clean(question.Answer), AnsweredBy: clean(question.AnsweredBy), Closed: closed(p.q, question),
		FreeSlots: max(0, p.Slots-busy(p.q)), Slots: p.Slots}
}

func closed(q *orchestration.Quest, question *orchestration.Question) string {
	if question.Closed == "" && question.Open() && q.Over() {
		return "The quest is over; nobody waits for the answer any more."
	}
	return clean(question.Closed)
}

// lineDocument is what the lines of the whole quest have written so far.
func (p *presenter) lineDocument(s *orchestration.Step) *views.Document {
	switch s.ID {
	case orchestration.LineRequirements:
		d := views.Document{Requirements: p.requirements()}
		return &d
	case orchestration.LinePlan:
		d := views.Document{Steps: p.plan()}
		return &d
	default:
		return nil
	}
}

// plan is the plan in force, or the draft that waits for approval.
func (p *presenter) plan() []views.PlannedStep {
	var list []views.PlannedStep
	add := func(s orchestration.PlanStep) {
		list = append(list, views.PlannedStep{ID: clean(s.ID), Title: clean(s.Title), Description: p.prose(s.Description),
			Files: cleanAll(s.Files), DependsOn: cleanAll(s.DependsOn), Observables: cleanAll(s.Observables)})
	}
	for _, s := range p.q.Steps.All() {
		if s.Stage != orchestration.StageSuperseded {
			add(s.PlanStep)
		}
	}
	if len(list) > 0 {
		return list
	}
	if r := p.q.Run(p.q.Line(orchestration.LinePlan).Run); r != nil && r.Draft != nil {
		for _, s := range r.Draft.Steps {
			add(s)
		}
	}
	return list
}
