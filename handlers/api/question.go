package api

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// listQuestions answers with the questions of all quests, oldest first.
func (h handlers) listQuestions(c echo.Context) error {
	want := c.QueryParam("open")
	if want != "" && want != "true" && want != "false" {
		return invalid("open", "must be true or false")
	}
	quests := h.Quests.Active()
	if want != "true" { // no question of an ended quest waits for an answer
		var err error
		if quests, err = h.Quests.Quests(c.Request().Context()); err != nil {
			return err
		}
	}
	found := []questionJSON{}
	for _, q := range quests {
		for _, ask := range q.Questions.All() {
			if want == "" || ask.Open() == (want == "true") {
				found = append(found, presentQuestion(q.ID, ask))
			}
		}
	}
	slices.SortFunc(found, func(a, b questionJSON) int {
		return cmp.Or(a.AskedAt.Compare(*b.AskedAt), cmp.Compare(a.ID, b.ID))
	})
	return c.JSON(http.StatusOK, map[string]any{"questions": found})
}

// answer answers a question. Only the first answer counts. A later one gets a conflict,
// with the first answer in the body.
func (h handlers) answer(c echo.Context) error {
	id := c.Param("question")
	var in struct {
		Answer    string                       `json:"answer"`
		Decisions []orchestration.CallDecision `json:"decisions"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	text := wrong.text("answer", in.Answer)
	if err := wrong.err(); err != nil {
		return err
	}
	quest := orchestration.QuestOf(id)
	if quest == "" {
		return notFound("there is no question %q", id)
	}
	q, err := h.Quests.Submit(c.Request().Context(), quest, user,
		orchestration.AnswerGiven{Question: id, Answer: text, Decisions: in.Decisions})
	if q != nil && q.Question(id) != nil && q.Question(id).AsksPermission() {
		c.Set(record.AuditNote, q.Question(id).DecisionWords(in.Decisions))
	}
	if err != nil {
		if f := FaultOf(err); f.Status == http.StatusConflict && q != nil && q.Question(id) != nil {
			return f.with("question", presentQuestion(q.ID, q.Question(id)))
		}
		return err
	}
	return c.JSON(http.StatusOK, presentQuestion(q.ID, q.Question(id)))
}
