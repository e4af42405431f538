package handlers

import (
	"context"
	"errors"

	"questboard/handlers/present"
	"questboard/orchestration"
)

// lately says who decided last about a step, or about the quest if step is empty, and how: a
// page that comes too late mostly does because of that. It is empty if nobody has decided, or
// if the history cannot be read now.
func (p *Pages) lately(ctx context.Context, q *orchestration.Quest, step string) string {
	types := []orchestration.EventType{orchestration.EventGateApproved, orchestration.EventGateSentBack, orchestration.EventQuestionAnswered,
		orchestration.EventStepRetried, orchestration.EventStepSkipped, orchestration.EventSkipUndone, orchestration.EventStepYours,
		orchestration.EventStepByHand, orchestration.EventStepEdited, orchestration.EventRunMessaged, orchestration.EventRunFallback}
	if step == "" {
		types = []orchestration.EventType{orchestration.EventQuestEdited, orchestration.EventChangeRequested, orchestration.EventCommentsSent,
			orchestration.EventQuestDelivered, orchestration.EventQuestLeft, orchestration.EventQuestAbandoned}
	}
	last, err := p.Quests.Events(ctx, q.ID, orchestration.EventFilter{Types: types, Step: step, Newest: true, N: 1})
	if err != nil || len(last) == 0 {
		return ""
	}
	return " " + p.present(q).Decision(last[0])
}

// withLately adds to a refusal of a decision that came too late what lately says.
func (p *Pages) withLately(ctx context.Context, q *orchestration.Quest, step string, err error) error {
	var refused *orchestration.Error
	if q == nil || !errors.As(err, &refused) || refused.Code != orchestration.CodeConflict {
		return err
	}
	own := *refused
	own.Message = inFull(present.Sentence(own.Message)) + p.lately(ctx, q, step)
	return &own
}

// reread reports whether the quest changed between the moment at which a handler read it and
// its decision: the handler starts again.
func reread(err error) bool {
	var refused *orchestration.Error
	return errors.As(err, &refused) && refused.Fields["version"] != ""
}
