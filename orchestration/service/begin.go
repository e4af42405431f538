package service

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// BeginRequest is a quest that the user wants to begin now. Repos has completed it.
type BeginRequest struct {
	orchestration.NewQuest // ID: the draft that it comes from; empty: none
	// Needs is what new worktrees of the repository need from now on; nil: as saved.
	Needs *record.RepoSettings
	// Shown is what the person was shown of the repository's own file (ShownFile). If that
	// is not what applies now, Begin refuses. nil: whatever applies.
	Shown *string
}

// Begin begins a quest and saves what new worktrees of its repository need. It deletes
// the draft that the quest comes from. The quest gets the draft's id, so a draft begins
// only once even if Begin is repeated.
func (s Service) Begin(ctx context.Context, o BeginRequest) (*orchestration.Quest, error) {
	wanted, err := s.withFile(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.checkPrograms(ctx, wanted.Programs); err != nil {
		return nil, err
	}
	if wanted.Size == "" { // the rules make it full if there is a plan
		wanted.Size = orchestration.SizeAuto
	}
	putBack, err := s.keepNeeds(ctx, o) // before the quest, whose first tree may be made at once
	if err != nil {
		return nil, err
	}
	q, err := s.create(ctx, wanted)
	if err != nil && o.ID != "" {
		if begun, none := s.Quests.Quest(ctx, o.ID); none == nil {
			q, err = begun, nil
		}
	}
	switch orchestration.CodeOf(err) {
	case "", orchestration.CodeUnavailable: // after an error that is no refusal the quest may have begun
	default:
		return nil, errors.Join(err, putBack())
	}
	if err != nil || o.ID == "" {
		return q, err
	}
	if err := s.Drafts.DeleteDraft(ctx, o.ID, s.Clock()); err != nil && orchestration.CodeOf(err) != orchestration.CodeNotFound {
		return nil, err
	}
	return q, nil
}

// create creates a quest. One with attachments gets its copies of them first, so that its
// first agent finds them.
func (s Service) create(ctx context.Context, wanted orchestration.NewQuest) (q *orchestration.Quest, err error) {
	if len(wanted.Attachments) == 0 {
		return s.Quests.Create(ctx, wanted)
	}
	if wanted.ID == "" {
		wanted.ID = engine.NewQuestID()
	}
	ctx = context.WithoutCancel(ctx) // the copies belong to the quest once it has begun
	err = s.Attachments.Begin(wanted.ID, wanted.Attachments, s.hasBegun(ctx), func() error {
		q, err = s.Quests.Create(ctx, wanted)
		return err
	})
	return q, err
}

// keepNeeds saves what new worktrees need. putBack undoes that, unless somebody has changed it since.
func (s Service) keepNeeds(ctx context.Context, o BeginRequest) (putBack func() error, err error) {
	nothing := func() error { return nil }
	if o.Needs == nil || o.Workspace != orchestration.WorkspaceWorktree {
		return nothing, nil
	}
	settings, err := s.Settings.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	needs := *o.Needs
	needs.Path = o.Repo
	former := settings.Repo(needs.Path)
	if reflect.DeepEqual(former, needs) {
		return nothing, nil
	}
	return func() error {
		return s.Settings.ChangeSettings(ctx, func(s *record.Settings) {
			if reflect.DeepEqual(s.Repo(needs.Path), needs) {
				s.SetRepo(former)
			}
		})
	}, s.Settings.ChangeSettings(ctx, func(s *record.Settings) { s.SetRepo(needs) })
}

// NeedsAsTyped turns typed text into the needs of worktrees. Links and copies are
// paths, one per line.
func NeedsAsTyped(repo, setup, links, copies string) record.RepoSettings {
	return record.RepoSettings{Path: repo, Setup: strings.TrimSpace(setup), Links: PathList(links), Copies: PathList(copies)}
}

// PathList splits a text with one path per line.
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
