package handlers

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// Question shows one question, open or not. For htmx it is the panel of its step, which
// has the same form.
func (p *Pages) Question(c echo.Context) error {
	q, question, err := p.askedBy(c)
	if err != nil {
		return err
	}
	if s := q.Step(question.Step); partial(c) && s != nil {
		c.Response().Header().Set("HX-Push-Url", paths.Step(q.ID, s.ID))
		return p.step(c, http.StatusOK, q, p.present(q).Step(s, ""))
	}
	v := p.present(q).Question(question)
	v.Field = views.Field{Value: chosenOption(c, v.Options), Focus: true}
	return p.questionPage(c, http.StatusOK, q, question.Step, v)
}

// chosenOption returns the field's text for the option in the address.
func chosenOption(c echo.Context, list []views.Option) string {
	n, err := strconv.Atoi(c.QueryParam("option"))
	if err != nil || n < 1 || n > len(list) {
		return ""
	}
	return list[n-1].Answer
}

func (p *Pages) questionPage(c echo.Context, status int, q *orchestration.Quest, step string, v views.Question) error {
	title := "Question from " + v.Role
	frame := p.questFrame(nil, q, title, views.TabNone, p.present(q).Link(step), views.Link{Words: title})
	frame.Section = views.SectionQuestions
	frame.Topic, frame.Version = present.StepTopic(q.ID, step), q.Version
	var err error
	if v.Tail, err = p.tailOf(q.Question(v.ID)); err != nil {
		return err
	}
	return render(c, status, views.QuestionPageView(views.QuestionPage{Frame: frame, Title: title, Question: v}))
}

// tailLines is how many lines of output are shown beside a question.
const tailLines = 20

// tailOf returns the last output of the agent that asks.
func (p *Pages) tailOf(question *orchestration.Question) ([]views.OutputRow, error) {
	_, total, err := p.Output.Page(question.Run, 0, 1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read output of %s: %w", question.Run, err)
	}
	lines, _, err := p.Output.Page(question.Run, max(0, total-tailLines), tailLines)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read output of %s: %w", question.Run, err)
	}
	rows := make([]views.OutputRow, len(lines))
	for i, line := range lines {
		read := transcript.Read(line)
		rows[i] = views.OutputRow{Kind: string(read.Kind), Head: views.Visible(read.Head), Text: present.OneLine(transcript.Plain(read.Text),
			300)}
	}
	return rows, nil
}

func (p *Pages) askedBy(c echo.Context) (*orchestration.Quest, *orchestration.Question, error) {
	id := c.Param("question")
	q, err := p.Quests.Quest(c.Request().Context(), orchestration.QuestOf(id))
	if err != nil {
		return nil, nil, err
	}
	question := q.Question(id)
	if question == nil {
		return nil, nil, notFound("There is no question %q.", views.Visible(id))
	}
	return q, question, nil
}

// Answer passes the answer to the agent. Only the first answer counts: a later one gets
// 409 with the first, and the text is shown again.
func (p *Pages) Answer(c echo.Context) error {
	q, question, err := p.askedBy(c)
	if err != nil {
		return err
	}
	draft := typed(c.FormValue("answer"))
	var status int
	fault := ""
	decisions := decisionsIn(c)
	if strings.TrimSpace(draft) == "" && question.Open() && !question.AsksPermission() {
		status, fault = http.StatusUnprocessableEntity, "Write an answer: the agent resumes with exactly this text."
	} else {
		if question.AsksPermission() {
			c.Set(record.AuditNote, question.DecisionWords(decisions))
		}
		_, err = p.Quests.Submit(c.Request().Context(), q.ID, user,
			orchestration.AnswerGiven{Question: question.ID, Answer: draft, Decisions: decisions})
		switch orchestration.CodeOf(err) {
		case orchestration.CodeConflict:
			status = http.StatusConflict
		case orchestration.CodeInvalid:
			status, fault = http.StatusUnprocessableEntity, views.Visible(err.Error())
		default:
			if err != nil {
				return err
			}
			return see(c, paths.Step(q.ID, question.Step))
		}
	}
	return p.answerAgain(c, status, views.Field{Value: draft, Error: fault}, decisions)
}

// decisionsIn reads what a form says about each call of a question.
func decisionsIn(c echo.Context) []orchestration.CallDecision {
	var all []orchestration.CallDecision
	for _, d := range c.Request().PostForm["decision"] {
		all = append(all, orchestration.CallDecision(d))
	}
	return all
}

// answerAgain shows the current question, with the user's text and decisions.
func (p *Pages) answerAgain(c echo.Context, status int, draft views.Field, decisions []orchestration.CallDecision) error {
	q, question, err := p.askedBy(c)
	if err != nil {
		return err
	}
	quest := p.present(q)
	if partial(c) {
		v := quest.Step(q.Step(question.Step), "")
		view := keepDecisions(quest.Question(question), draft, decisions)
		view.InPanel = true
		v.Question = &view
		return p.step(c, status, q, v)
	}
	return p.questionPage(c, status, q, question.Step, keepDecisions(quest.Question(question), draft, decisions))
}

// keepDecisions puts into the form what was sent. What is wrong with decisions stands beside
// them. A call that has joined since is the last one.
func keepDecisions(view views.Question, draft views.Field, decisions []orchestration.CallDecision) views.Question {
	view.Field = draft
	if len(view.Calls) == 0 || draft.Error == "" {
		return view
	}
	view.Field.Error, view.Undecided = "", "Decide about the call."
	if len(view.Calls) > 1 {
		view.Undecided = "Decide about each call. There are " + strconv.Itoa(len(view.Calls)) + " now."
	}
	for i, d := range decisions[:min(len(decisions), len(view.Calls))] {
		if slices.Contains(orchestration.CallDecisions, d) {
			view.Calls[i].Chosen = string(d)
		}
	}
	return view
}
