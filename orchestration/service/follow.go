package service

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"questboard/orchestration"
)

// FollowUp begins a quest on the result of another one that is over. The new quest is
// told what was asked and done there. An empty size is that of any new quest.
func (s Service) FollowUp(ctx context.Context, id, request, title string, size orchestration.Size,
	labels *[]string) (*orchestration.Quest, error) {
	former, err := s.Quests.Quest(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := former.MayFollowUp(); err != nil {
		return nil, err
	}
	n := former.FollowUp(request, title)
	n.Size = size
	if labels != nil {
		n.Workplace.Labels = *labels
	}
	full, err := s.Repos.WithDefaults(ctx, n)
	var refused *orchestration.Error
	if errors.As(err, &refused) && refused.Fields["base"] != "" {
		return nil, baseIsGone(former, n.Branch)
	}
	if err != nil {
		return nil, err
	}
	return s.Begin(ctx, BeginRequest{NewQuest: full})
}

// baseIsGone says what to do when the branch with the result of a quest is missing.
func baseIsGone(former *orchestration.Quest, branch string) error {
	if d := former.Delivered; d != nil {
		return conflict("the branch %s, into which this quest was merged, is gone from %s: make it again with `git branch %s %s`, "+
			"or begin a new quest with another base",
			branch, former.Repo, branch, d.Commit)
	}
	return conflict("the branch %s with the work of this quest is not in %s. If the quest has kept work, make the branch of that "+
		"(Kept work in the quest's menu); else begin a new quest", branch, former.Repo)
}

// FollowUps returns the quests that follow this one, the oldest first, with their own
// fields only.
func (s Service) FollowUps(ctx context.Context, id string) ([]*orchestration.Quest, error) {
	const most = 100
	ended, err := s.Quests.Ended(ctx, orchestration.EndedFilter{Follows: id, N: most})
	if err != nil {
		return nil, err
	}
	var list []*orchestration.Quest
	listed := map[string]bool{}
	for _, e := range ended {
		list, listed[e.ID] = append(list, e.Quest), true
	}
	for _, q := range s.Quests.Active() {
		if q.Follows == id && !listed[q.ID] {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, func(a, b *orchestration.Quest) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}
