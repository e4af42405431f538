package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"questboard/orchestration"
)

// Create begins a quest. It fills in ID, At and Backoff if they are empty, and replaces
// each limit that is 0 with the server's.
func (e *Engine) Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	o := &request{done: make(chan answer, 1)}
	o.act = func(r *batch) error {
		again := o.quest != ""
		if !again {
			n = e.fillIn(n, r)
			host, err := orchestration.ChooseHost(n.Workplace.Labels, r.offers(n.Repo, n.Workspace == orchestration.WorkspaceShared))
			if err != nil {
				return err
			}
			n.Workplace.Host = host
			o.quest = n.ID
		}
		q, err := r.quest(n.ID)
		switch {
		case orchestration.CodeOf(err) == orchestration.CodeNotFound:
			return r.create(n)
		case err != nil:
			return err
		case again && q.CreatedAt.Equal(n.At) && q.Request == n.Request:
			return nil // the earlier attempt took place although it reported an error
		default:
			return &orchestration.Error{Code: orchestration.CodeConflict, Message: fmt.Sprintf("there is already a quest %s", n.ID)}
		}
	}
	q, err := e.wait(ctx, o)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// fillIn adds what the caller left to the server.
func (e *Engine) fillIn(n orchestration.NewQuest, r *batch) orchestration.NewQuest {
	if n.ID == "" {
		n.ID = NewQuestID()
	}
	if n.At.IsZero() {
		n.At = r.at
	}
	if n.Backoff.First <= 0 {
		n.Backoff = e.backoff()
	}
	if len(n.CrashBackoff) == 0 {
		n.CrashBackoff = e.cfg.CrashBackoff
	}
	n.Limits = n.Limits.Or(r.settings().Limits)
	n.Programs = r.settings().NewPrograms(n.Programs)
	n.Forks = r.settings().NewForks(n.Programs)
	return n
}

// Submit applies an input and returns once it is committed. It returns the quest as it
// then is, even with a refusal. A refusal is an *orchestration.Error; an unknown quest
// gives one with CodeNotFound. If ctx ends, Submit stops waiting, but the input may
// still take effect.
func (e *Engine) Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	f, is := input.(orchestration.SignalReceived)
	if is {
		e.dispatch.AwaitStart(ctx, f.Run)
	}
	if asked, is := input.(orchestration.PermissionAsked); is {
		e.dispatch.AwaitStart(ctx, asked.Run)
		asked.Why = e.textBefore(ctx, asked.Run)
		input = asked
	}
	q, err := e.Quest(ctx, quest)
	if err != nil {
		return nil, err
	}
	if is {
		if q.AsksForTree(f) {
			f.TreeChanged = e.treeChanged(ctx, q, q.Run(f.Run).Step)
		}
		if seek := q.ToSeek(f); seek != nil {
			f.Found = e.dispatch.Seek(ctx, q, q.Run(f.Run).Step, seek)
		}
		input = f
	}
	return e.wait(ctx, applying(quest, actor, input))
}

// textTime is how long a question about a call waits for the text that the agent wrote before
// it: the two reach us by different ways.
const textTime = time.Second

func (e *Engine) textBefore(ctx context.Context, run string) (text string) {
	for range textTime / (20 * time.Millisecond) {
		if text = e.dispatch.LastText(run); text != "" {
			return text
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ""
		}
	}
	return ""
}

// treeChanged compares a step's tree with the one that its first run found.
func (e *Engine) treeChanged(ctx context.Context, q *orchestration.Quest, step string) orchestration.TreeChanged {
	start := q.Step(step).StartTree
	if start == "" {
		return orchestration.TreeUnknown
	}
	switch now := e.dispatch.Look(ctx, q, step); now {
	case "":
		return orchestration.TreeUnknown
	case start:
		return orchestration.TreeSame
	default:
		return orchestration.TreeDiffers
	}
}

// wait hands a request to the loop and waits for its answer.
func (e *Engine) wait(ctx context.Context, o *request) (*orchestration.Quest, error) {
	if !e.inbox.post(o) {
		return nil, ErrStopped
	}
	select {
	case a := <-o.done:
		return a.quest, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Delete removes a quest that is over, or damaged, with its history.
func (e *Engine) Delete(ctx context.Context, id string) error {
	_, err := e.wait(ctx, &request{quest: id, done: make(chan answer, 1), alone: func() error {
		q, err := e.newBatch().quest(id)
		if err != nil {
			return err
		}
		if err := q.MayDelete(); err != nil {
			return err
		}
		// A missing quest means that the earlier attempt took place although it
		// reported an error.
		if err := e.cfg.Store.Delete(context.Background(), orchestration.DeletionOf(q)); err != nil && !errors.Is(err, ErrNotFound) {
			if Unwritable(err) {
				e.refused(err)
			}
			return fmt.Errorf("delete quest %s: %w", id, err)
		}
		e.drop(id)
		e.cfg.Notifier.QuestChanged(id, nil)
		return nil
	}})
	if err == nil {
		e.dispatch.Wait(id) // the caller removes its trees next
	}
	return err
}
