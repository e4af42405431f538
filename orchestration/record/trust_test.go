package record_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration/record"
)

func holding(files ...string) record.RepoConfig {
	var w record.RepoConfig
	for _, f := range files {
		path, sum, _ := strings.Cut(f, "=")
		w.Files = append(w.Files, record.WantedFile{Path: path, Sum: sum})
		w.List = append(w.List, record.Want{File: path, Kind: "file", Name: path, Text: sum})
	}
	return w.Sealed()
}

// The user trusts whole contents. Files of two contents that were trusted separately
// are not trusted together, and the number of trusted contents is limited.
func TestTrustIsOfWholeContents(t *testing.T) {
	t.Parallel()
	var s record.Settings
	at := time.Unix(1, 0)
	s.AddTrust("/repo", holding("settings=1", "hook=1"), at)
	s.AddTrust("/repo", holding("hook=2", "settings=2"), at)
	covers := func(files ...string) bool {
		trust, _ := s.TrustOf("/repo")
		return trust.Covers(holding(files...))
	}
	for _, files := range [][]string{{"settings=1", "hook=1"}, {"hook=2", "settings=2"}, {"settings=1"}, {}} {
		if !covers(files...) {
			t.Errorf("%v is not trusted", files)
		}
	}
	for _, files := range [][]string{{"settings=1", "hook=2"}, {"settings=3"}, {"settings=1", "hook=1", "more=1"}} {
		if covers(files...) {
			t.Errorf("%v is trusted", files)
		}
	}
	if _, known := s.TrustOf("/repo/"); known {
		t.Error("another path is trusted")
	}
	for _, sum := range []string{"3", "4", "5", "6"} {
		s.AddTrust("/repo", holding("settings="+sum), at)
	}
	if covers("settings=1") || !covers("settings=2") || !covers("settings=6") {
		t.Error("the oldest of six contents is to be forgotten, and no other")
	}
	if faulty := (record.RepoConfig{Faults: []string{"a link leads out"}}).Sealed(); func() bool { trust, _ := s.TrustOf("/repo"); return trust.Covers(faulty) }() {
		t.Error("what cannot be read is trusted")
	}
	s.Withdraw("/repo")
	if len(s.Trust) != 0 || covers() {
		t.Error("trust was withdrawn")
	}
}

func TestChangesSinceTheLastTrustAreNamed(t *testing.T) {
	t.Parallel()
	var s record.Settings
	long := strings.Repeat("x", 1000)
	s.AddTrust("/repo", holding("gone=1", "same=1", "long="+long+"1", "changed=1"), time.Unix(1, 0))
	trust, _ := s.TrustOf("/repo")
	if n := len(trust.Seen[0].List[2].Text); n > 410 {
		t.Errorf("%d bytes of a long text are kept", n)
	}
	now := holding("same=1", "long="+long+"2", "changed=2", "new=1")
	fresh, gone := trust.Changes(now)
	var names []string
	for i, want := range now.List {
		if fresh[i] {
			names = append(names, want.Name)
		}
	}
	for _, want := range gone {
		names = append(names, "-"+want.Name)
	}
	if got := strings.Join(names, " "); got != "long changed new -gone -long -changed" {
		t.Errorf("changed: %s", got)
	}
}
