package handlerstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Trees stands in for git. Tests set its errors.
type Trees struct {
	*Diffs
	Engine *Engine
	// DeliverErr, PushErr and RestoreErr are the errors of the methods.
	DeliverErr, PushErr, RestoreErr error
	Pushed                          record.Pushed
	KeptWork                        []record.Kept
	// Measured and MeasureErr are the answer of Extent.
	Measured   record.Extent
	MeasureErr error
	// Gone are the steps without a worktree.
	Gone []string

	mu       sync.Mutex
	Restored [][2]string // ref and branch of each Restore
	Deleted  []string    // quests of each Forget
}

// KeptSample returns kept work of a quest.
func KeptSample(quest string) []record.Kept {
	return []record.Kept{
		{Ref: "refs/questboard/kept/" + quest + "/cookie/uncommitted", Step: "cookie", Label: "uncommitted", Commit: "3a0f2c51d0",
			Subject: "Uncommitted changes of cookie <script>alert(1)</script>", At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)},
		{Ref: "refs/questboard/kept/" + quest + "/plan/" + quest + "-r2", Step: "plan", Label: quest + "-r2", Commit: "77e1b0aa42",
			Subject: "Changes of a role that only reads", At: time.Date(2026, 11, 21, 11, 30, 0, 0, time.UTC)},
	}
}

// Deliver records the delivery. With an error there is no quest, as when the server stops.
func (t *Trees) Deliver(ctx context.Context, q *orchestration.Quest, actor, how, _ string) (*orchestration.Quest, error) {
	if t.DeliverErr != nil {
		return nil, t.DeliverErr
	}
	return t.Engine.Submit(ctx, q.ID, actor, orchestration.QuestDelivered{How: how, Branch: q.Branch, Commit: "8d1f0c3b5a7e"})
}

// Push returns Pushed.
func (t *Trees) Push(context.Context, *orchestration.Quest) (record.Pushed, error) {
	return t.Pushed, t.PushErr
}

// Patch returns a small patch.
func (t *Trees) Patch(context.Context, *orchestration.Quest) ([]byte, error) {
	return []byte("diff --git a/hello.txt b/hello.txt\n"), nil
}

// Extent returns Measured.
func (t *Trees) Extent(context.Context, *orchestration.Quest) (record.Extent, error) {
	return t.Measured, t.MeasureErr
}

// Kept returns KeptWork.
func (t *Trees) Kept(context.Context, *orchestration.Quest) ([]record.Kept, error) {
	return t.KeptWork, nil
}

// Restore records the call.
func (t *Trees) Restore(_ context.Context, _ *orchestration.Quest, ref, branch string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.RestoreErr == nil {
		t.Restored = append(t.Restored, [2]string{ref, branch})
	}
	return t.RestoreErr
}

// Root returns the folder of all steps.
func (t *Trees) Root(q *orchestration.Quest) string { return "/data/work trees/" + q.ID }

// Forget records the quest.
func (t *Trees) Forget(_ context.Context, d orchestration.Deletion, _ bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Deleted = append(t.Deleted, d.Quest)
	return nil
}

// Place returns a folder for each step, except for those in Gone.
func (t *Trees) Place(q *orchestration.Quest, step string) record.Place {
	if q.Workspace != orchestration.WorkspaceWorktree {
		return record.Place{Step: step}
	}
	return record.Place{Step: step, Dir: t.Root(q) + "/" + step, Exists: !slices.Contains(t.Gone, step)}
}

// Disk returns five MiB.
func (t *Trees) Disk(context.Context, *orchestration.Quest) (int64, error) { return 5 << 20, nil }

// Settings keeps settings in memory.
type Settings struct {
	mu  sync.Mutex
	now record.Settings
}

// Settings returns them.
func (s *Settings) Settings(context.Context) (record.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, nil
}

// ChangeSettings changes them.
func (s *Settings) ChangeSettings(_ context.Context, change func(*record.Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
	return nil
}
