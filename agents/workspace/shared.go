package workspace

import (
	"context"

	"questboard/orchestration"
)

// Shared is the workspace of quests whose agents all work in the repository
// itself; two steps that share a file never run together there.
type Shared struct{ Git }

// Dir is the quest's repository, whatever the line.
func (Shared) Dir(_ context.Context, q *orchestration.Quest, _ string) (string, error) {
	return q.Repo, nil
}
