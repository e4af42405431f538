package handlers

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
)

const (
	// guestNameMost and guestAnswerMost limit a guest's input, in characters.
	guestNameMost   = 60
	guestAnswerMost = 20_000
)

// byLink is added to every guest's name in the history, so that none can pass for the
// owner, the server or a role.
const byLink = " (by a shared link)"

// asked returns the question that a guest may answer. This page is the only one of a
// share with a form. A browser that may send no referrer posts a form without its
// origin, and the gate refuses that. So this page allows a referrer to pages of this
// server, and still to no other.
func (p *Pages) asked(c echo.Context, g *guest, q *orchestration.Quest) (*orchestration.Question, error) {
	question := q.Question(c.Param("question"))
	if question == nil || !g.Answer || question.AsksPermission() {
		return nil, notFound("There is no question here that this link may answer.")
	}
	c.Response().Header().Set("Referrer-Policy", "same-origin")
	return question, nil
}

func (p *Pages) guestQuestion(c echo.Context, g *guest, q *orchestration.Quest) error {
	question, err := p.asked(c, g, q)
	if err != nil {
		return err
	}
	return p.guestQuestionPage(c, http.StatusOK, g, q, question, func(v *views.Question) {
		v.Name.Focus, v.Field.Value = true, chosenOption(c, v.Options)
	})
}

// guestAnswer passes a guest's answer to the agent. Only the first answer counts: a
// later one gets 409 with the first, and the guest's text is shown again.
func (p *Pages) guestAnswer(c echo.Context, g *guest, q *orchestration.Quest) error {
	question, err := p.asked(c, g, q)
	if err != nil {
		return err
	}
	draft := typed(c.FormValue("answer"))
	name := guestName(c.FormValue("name"))
	again := func(status int, q *orchestration.Quest, nameFault, fault string) error {
		return p.guestQuestionPage(c, status, g, q, q.Question(question.ID), func(v *views.Question) {
			v.Name, v.Field = views.Field{Value: name, Error: nameFault}, views.Field{Value: draft, Error: fault}
		})
	}
	nameFault, fault := "", ""
	if name == "" {
		nameFault = "Enter your name: the owner of the quest sees it."
	} else if utf8.RuneCountInString(name) > guestNameMost {
		nameFault = "That is too long for a name: at most 60 characters."
	}
	if strings.TrimSpace(draft) == "" {
		fault = "Write an answer: the agent resumes with exactly this text."
	} else if utf8.RuneCountInString(draft) > guestAnswerMost {
		fault = "That is too long: at most 20,000 characters."
	}
	if question.Open() && nameFault+fault != "" {
		return again(http.StatusUnprocessableEntity, q, nameFault, fault)
	}
	fresh, err := p.Quests.Submit(c.Request().Context(), q.ID, name+byLink, orchestration.AnswerGiven{Question: question.ID, Answer: draft})
	switch code := orchestration.CodeOf(err); {
	case code == orchestration.CodeConflict && fresh != nil:
		return again(http.StatusConflict, fresh, "", "")
	case code == orchestration.CodeInvalid:
		return again(http.StatusUnprocessableEntity, q, "", views.Visible(err.Error()))
	case err != nil:
		return err
	}
	return see(c, g.site().Step(q.ID, question.Step))
}

// guestName returns a name on one line without invisible characters.
func guestName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || r == utf8.RuneError || views.Deceives(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func (p *Pages) guestQuestionPage(c echo.Context, status int, g *guest, q *orchestration.Quest, question *orchestration.Question,
	change func(*views.Question)) error {
	v := p.presentTo(g, q).Question(question)
	v.ReadOnly, v.AskName, v.PostURL = false, true, v.URL
	change(&v)
	title := "Question from " + v.Role
	frame := p.questFrame(g, q, title, views.TabNone, p.presentTo(g, q).Link(question.Step), views.Link{Words: title})
	frame.Topic, frame.Version = present.StepTopic(q.ID, question.Step), q.Version
	return p.renderShared(c, g, status, views.GuestQuestionPage(views.QuestionPage{Frame: frame, Title: title, Question: v}))
}
