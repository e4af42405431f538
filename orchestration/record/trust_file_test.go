package record_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

func contentOf(own bool, text string) record.RepoConfig {
	name := ".claude/settings.json"
	if own {
		name = ".questboard/config.yaml"
	}
	return record.RepoConfig{Own: own, Files: []record.WantedFile{{Path: name, Sum: text}}, List: []record.Want{{File: name, Text: text}}}.Sealed()
}

// Trust in what agents' programs load is not trust in what a repository sets for quests,
// nor the other way round; and one does not push the other out.
func TestTrust_oneKindOfContentNeverStandsForTheOther(t *testing.T) {
	t.Parallel()
	own, claude := contentOf(true, "1"), contentOf(false, "1")
	for _, c := range []struct{ trusted, other record.RepoConfig }{{own, claude}, {claude, own}} {
		var s record.Settings
		s.AddTrust("/repo", c.trusted, time.Unix(1, 0))
		trust, _ := s.TrustOf("/repo")
		if !trust.Covers(c.trusted) || trust.Covers(c.other) || trust.Covers(record.RepoConfig{Own: c.other.Own}) {
			t.Errorf("own %v is trusted: covers it %v, the other %v", c.trusted.Own, trust.Covers(c.trusted), trust.Covers(c.other))
		}
		if _, known := trust.Last(c.other); known {
			t.Error("the other kind is known")
		}
		if fresh, gone := trust.Changes(c.other); len(fresh)+len(gone) > 0 {
			t.Errorf("changes against the other kind: %v %v", fresh, gone)
		}
		for i := range 9 {
			s.AddTrust("/repo", contentOf(c.other.Own, fmt.Sprint("n", i)), time.Unix(int64(i), 0))
		}
		if trust, _ := s.TrustOf("/repo"); !trust.Covers(c.trusted) || len(trust.Seen) != 6 {
			t.Errorf("nine contents of the other kind pushed it out: %d are kept", len(trust.Seen))
		}
		s.Withdraw("/repo")
		if trust, known := s.TrustOf("/repo"); known || trust.Covers(c.trusted) {
			t.Error("it was withdrawn")
		}
	}
}

func TestTrust_whatIsNotKeptGoesAndTheOtherKindStays(t *testing.T) {
	t.Parallel()
	var s record.Settings
	at := time.Unix(1, 0)
	first, second, claude := contentOf(true, "1"), contentOf(true, "2"), contentOf(false, "1")
	s.AddTrust("/a", first, at)
	s.AddTrust("/a", second, at)
	s.AddTrust("/a", claude, at)
	s.AddTrust("/b", first, at)
	s.KeepTrust(true, func(repo, hash string) bool { return repo == "/a" && hash == second.Hash })
	trust, _ := s.TrustOf("/a")
	if trust.Covers(first) || !trust.Covers(second) || !trust.Covers(claude) || len(s.Trust) != 1 {
		t.Errorf("kept: %+v", s.Trust)
	}
	if own, other := s.TrustedRepos(true), s.TrustedRepos(false); len(own) != 1 || len(other) != 1 {
		t.Errorf("trusted: %v %v", own, other)
	}
	s.KeepTrust(false, func(string, string) bool { return false })
	if trust, _ := s.TrustOf("/a"); trust.Covers(claude) || !trust.Covers(second) || len(s.TrustedRepos(false)) != 0 {
		t.Errorf("kept: %+v", s.Trust)
	}
}

func TestTrust_aChangedFileIsComparedWithTheLastOfItsKind(t *testing.T) {
	t.Parallel()
	var s record.Settings
	s.AddTrust("/repo", contentOf(true, "1"), time.Unix(1, 0))
	s.AddTrust("/repo", contentOf(false, "x"), time.Unix(2, 0))
	trust, _ := s.TrustOf("/repo")
	if fresh, gone := trust.Changes(contentOf(true, "2")); !fresh[0] || len(gone) != 1 || gone[0].Text != "1" {
		t.Errorf("%v %v", fresh, gone)
	}
}

func TestSettings_whatTheUserSetGoesBeforeTheRepositorysFile(t *testing.T) {
	t.Parallel()
	file := &orchestration.RepoFile{Setup: "make", Links: []string{"a", "b"}, Copies: []string{".env"}}
	for _, c := range []struct{ user, want record.RepoSettings }{
		{record.RepoSettings{}, record.RepoSettings{Setup: "make", Links: []string{"a", "b"}, Copies: []string{".env"}}},
		{record.RepoSettings{Setup: "npm ci"}, record.RepoSettings{Setup: "npm ci", Links: []string{"a", "b"}, Copies: []string{".env"}}},
		{record.RepoSettings{Copies: []string{"b"}}, record.RepoSettings{Setup: "make", Links: []string{"a"}, Copies: []string{"b"}}},
	} {
		if got := c.user.Or(file); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.user, got, c.want)
		}
		if got := c.user.Or(nil); !reflect.DeepEqual(got, c.user) {
			t.Errorf("without a file: %+v", got)
		}
	}
}
