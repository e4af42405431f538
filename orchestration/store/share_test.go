package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

func TestSharesComeBackAsTheyWereStored(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s, ctx := d.open(t), t.Context()
		commit(t, s, born(questOf("quest", 5)))
		at := time.Date(2026, 11, 21, 12, 0, 0, 7, time.UTC)
		first := record.Share{ID: "one", Quest: "quest", TokenHash: "aa", Output: true, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
		second := record.Share{ID: "two", Quest: "quest", TokenHash: "bb", Cost: true, Answer: true, CreatedAt: at.Add(1), ExpiresAt: at.Add(2)}
		for _, share := range []record.Share{first, second} {
			if err := s.AddShare(ctx, share); err != nil {
				t.Fatal(err)
			}
		}
		wantShares := func(want ...record.Share) {
			t.Helper()
			got, err := s.Shares(ctx, "quest")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		wantShares(second, first)
		if got, err := s.ShareByHash(ctx, "aa"); err != nil || got != first {
			t.Errorf("by hash: %+v (%v)", got, err)
		}
		for _, revoked := range []time.Time{at.Add(3), at.Add(9)} { // the first time counts
			if err := s.RevokeShare(ctx, "one", revoked); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.ViewedShare(ctx, "two", at.Add(4)); err != nil {
			t.Fatal(err)
		}
		first.RevokedAt, second.ViewedAt = at.Add(3), at.Add(4)
		wantShares(second, first)
		if got, err := s.Share(ctx, "one"); err != nil || got != first {
			t.Errorf("by id: %+v (%v)", got, err)
		}
	})
}

func TestUnknownSharesAreRefusedAndDeletedQuestsHaveNone(t *testing.T) {
	t.Parallel()
	inEachDatabase(t, func(t *testing.T, d database) {
		s, ctx := d.open(t), t.Context()
		share := record.Share{ID: "one", Quest: "quest", TokenHash: "aa"}
		if err := s.AddShare(ctx, share); err == nil {
			t.Error("a quest that is not there was shared")
		}
		commit(t, s, born(questOf("quest", 5)))
		if err := s.AddShare(ctx, share); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, orchestration.Deletion{Quest: "quest"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Share(ctx, "one"); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("the share of a deleted quest: %v", err)
		}
		if _, err := s.ShareByHash(ctx, ""); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("a share by no hash: %v", err)
		}
	})
}
