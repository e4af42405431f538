package api_test

import (
	"context"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// trees stands in for git.
type trees struct {
	*patches
	refuse    error
	pushed    record.Pushed
	kept      []record.Kept
	asked     []string // the calls, in words
	forgotten []string
	quests    *quests
}

func (t *trees) Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error) {
	if t.refuse != nil {
		return q, t.refuse
	}
	t.asked = append(t.asked, how+": "+message)
	return t.quests.Submit(ctx, q.ID, actor, orchestration.QuestDelivered{How: how, Branch: q.Branch, Commit: "c0ffee"})
}

func (t *trees) Push(context.Context, *orchestration.Quest) (record.Pushed, error) {
	return t.pushed, t.refuse
}

func (t *trees) Patch(context.Context, *orchestration.Quest) ([]byte, error) {
	return []byte("diff --git a/x b/x\n"), t.refuse
}

func (t *trees) Kept(context.Context, *orchestration.Quest) ([]record.Kept, error) {
	return t.kept, t.refuse
}

func (t *trees) Restore(_ context.Context, _ *orchestration.Quest, ref, branch string) error {
	t.asked = append(t.asked, ref+" as "+branch)
	return t.refuse
}

func (t *trees) Root(q *orchestration.Quest) string { return "/data/worktrees/" + q.ID }

func (t *trees) Place(q *orchestration.Quest, step string) record.Place {
	return record.Place{Step: step, Dir: t.Root(q) + "/" + step, Exists: step != "two"}
}

func (t *trees) Extent(context.Context, *orchestration.Quest) (record.Extent, error) {
	return record.Extent{}, nil
}

func (t *trees) Disk(context.Context, *orchestration.Quest) (int64, error) { return 4096, nil }

func (t *trees) Forget(_ context.Context, d orchestration.Deletion, late bool) error {
	t.forgotten = append(t.forgotten, d.Quest)
	return t.refuse
}
