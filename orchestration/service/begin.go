package service

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Order is a quest that somebody wants to begin now. Repos has settled it.
type Order struct {
	orchestration.NewQuest // its ID is that of the draft it was made from; empty: of none
	// Needs is what new worktrees of the repository need from now on; nil: what
	// is saved for it.
	Needs *record.RepoSettings
}

// Begin begins a quest, and keeps for its repository what new worktrees need.
// The draft that it was made from is gone then. A draft's quest has the draft's
// id, so it begins once, however often this is asked for.
func (s Service) Begin(ctx context.Context, o Order) (*orchestration.Quest, error) {
	if err := s.keepNeeds(ctx, o); err != nil {
		return nil, err
	}
	q, err := s.Quests.Create(ctx, o.NewQuest)
	if err != nil && o.ID != "" {
		if begun, none := s.Quests.Quest(ctx, o.ID); none == nil {
			q, err = begun, nil
		}
	}
	if err != nil || o.ID == "" {
		return q, err
	}
	if err := s.Drafts.DeleteDraft(ctx, o.ID, s.Clock()); err != nil && orchestration.CodeOf(err) != orchestration.CodeNotFound {
		return nil, err
	}
	return q, nil
}

func (s Service) keepNeeds(ctx context.Context, o Order) error {
	if o.Needs == nil || o.Workspace != orchestration.WorkspaceWorktree {
		return nil
	}
	settings, err := s.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	needs := *o.Needs
	needs.Path = o.Repo
	if reflect.DeepEqual(settings.Repo(needs.Path), needs) {
		return nil
	}
	return s.Settings.ChangeSettings(ctx, func(s *record.Settings) { s.SetRepo(needs) })
}

// NeedsAsTyped reads what worktrees of a repository need out of what somebody
// typed: links and copies are paths, one a line.
func NeedsAsTyped(repo, setup, links, copies string) record.RepoSettings {
	return record.RepoSettings{Path: repo, Setup: strings.TrimSpace(setup), Links: PathList(links), Copies: PathList(copies)}
}

// PathList takes a text with a path on each line.
func PathList(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		path := strings.TrimSpace(line)
		if len(path) > 1 {
			path = strings.TrimSuffix(path, "/")
		}
		if path != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}
