package handlers

import (
	"context"

	"questboard/orchestration"
	"questboard/orchestration/sharing"
)

// Shares makes, finds and ends links to quests; orchestration/sharing has it.
type Shares interface {
	// Share makes a link; its token is told once.
	Share(ctx context.Context, o sharing.Order) (s orchestration.Share, token string, err error)
	// Shares returns those of a quest, ended ones too, the newest first.
	Shares(ctx context.Context, quest string) ([]orchestration.Share, error)
	// Revoke ends a share and closes what is open of it.
	Revoke(ctx context.Context, id string) (orchestration.Share, error)
	// Find returns the share of a token, ended or not.
	Find(ctx context.Context, token string) (orchestration.Share, error)
	// Viewed notes that somebody looks at it now.
	Viewed(ctx context.Context, s orchestration.Share) error
}
