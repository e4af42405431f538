package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// RepoConfig is what a directory asks agents' programs to run or to load: hooks,
// servers, settings, skills. It is read as data and never run.
type RepoConfig struct {
	// Own: it is what the repository sets for quests (docs/configuration.md), from a
	// commit, and not what a directory asks agents' programs to load. One is never trusted
	// because the other is.
	Own    bool
	Hash   string // of Files: equal contents have equal hashes
	Files  []WantedFile
	List   []Want
	Faults []string // reasons why this cannot be trusted at all
}

// WantedFile is one file that the agent's program would load.
type WantedFile struct {
	Path string `json:"path"` // relative to the directory
	Sum  string `json:"sum"`  // SHA-256 of its content
}

// Want is one thing that a file asks for.
type Want struct {
	File string `json:"file"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"text"` // the complete text, such as a command
	Sum  string `json:"sum"`  // SHA-256 of Text, because the stored text is cut
}

// WantRules is the kind of a text for the model, which runs nothing. It needs no trust;
// the list has it for completeness.
const WantRules = "rules"

// Sealed fills in the sums and the hash.
func (w RepoConfig) Sealed() RepoConfig {
	for i := range w.List {
		w.List[i].Sum = sumOf(w.List[i].Text)
	}
	slices.SortFunc(w.Files, func(a, b WantedFile) int { return strings.Compare(a.Path, b.Path) })
	all := sha256.New()
	for _, f := range w.Files {
		fmt.Fprintf(all, "%q %s\n", f.Path, f.Sum)
	}
	w.Hash = hex.EncodeToString(all.Sum(nil))
	return w
}

// Nothing reports whether there is nothing to trust.
func (w RepoConfig) Nothing() bool { return len(w.Files) == 0 && len(w.Faults) == 0 }

// Trust is the configuration of one repository that the user has seen and allowed to
// load.
type Trust struct {
	Path string `json:"path"` // absolute
	Seen []Seen `json:"seen"` // newest first
}

// Seen is one content that the user trusts.
type Seen struct {
	Own   bool         `json:"own,omitempty"` // see RepoConfig.Own
	Hash  string       `json:"hash"`
	At    time.Time    `json:"at"`
	Files []WantedFile `json:"files"`
	List  []Want       `json:"list"` // with long texts cut
}

// MaxSeen is how many contents of one kind and repository are trusted at the same time: the
// checkout's, and those of branches that quests started from.
const MaxSeen = 5

// Covers reports whether everything in a directory belongs to one content that the user
// has seen. A missing file of Claude Code's does no harm: worktrees lack what git ignores.
// Of the repository's own file nothing may be missing, for a check could be.
func (t Trust) Covers(w RepoConfig) bool {
	return len(w.Faults) == 0 && slices.ContainsFunc(t.of(w), func(s Seen) bool { return s.covers(w.Files) && (!w.Own || s.Hash == w.Hash) })
}

// of returns the contents of the same kind, newest first.
func (t Trust) of(w RepoConfig) []Seen {
	return slices.DeleteFunc(slices.Clone(t.Seen), func(s Seen) bool { return s.Own != w.Own })
}

// Last returns the content of this kind that the user trusted last; false: none.
func (t Trust) Last(w RepoConfig) (Seen, bool) {
	seen := t.of(w)
	if len(seen) == 0 {
		return Seen{}, false
	}
	return seen[0], true
}

func (s Seen) covers(files []WantedFile) bool {
	for _, f := range files {
		if !slices.Contains(s.Files, f) {
			return false
		}
	}
	return true
}

// TrustOf returns which configuration of a repository the user allowed agents to load;
// false: none.
func (s Settings) TrustOf(repo string) (Trust, bool) {
	i := slices.IndexFunc(s.Trust, func(t Trust) bool { return t.Path == repo })
	if i < 0 {
		return Trust{}, false
	}
	return s.Trust[i], true
}

// TrustedRepos returns the paths of repositories with trusted content of one kind.
func (s Settings) TrustedRepos(own bool) []string {
	var all []string
	for _, t := range s.Trust {
		if _, is := t.Last(RepoConfig{Own: own}); is {
			all = append(all, t.Path)
		}
	}
	return all
}

// AddTrust trusts the content of a repository's directory, in addition to earlier
// contents.
func (s *Settings) AddTrust(repo string, w RepoConfig, at time.Time) {
	was, _ := s.TrustOf(repo)
	now := Seen{Own: w.Own, Hash: w.Hash, At: at, Files: slices.Clone(w.Files), List: slices.Clone(w.List)}
	for i := range now.List {
		now.List[i].Text = cutText(now.List[i].Text)
	}
	seen := append([]Seen{now}, slices.DeleteFunc(was.of(w), func(old Seen) bool { return old.Hash == w.Hash })...)
	seen = append(seen[:min(len(seen), MaxSeen)], was.of(RepoConfig{Own: !w.Own})...)
	s.Withdraw(repo)
	s.Trust = append(s.Trust, Trust{Path: repo, Seen: seen})
	slices.SortFunc(s.Trust, func(a, b Trust) int { return strings.Compare(a.Path, b.Path) })
}

// KeepTrust removes the contents of one kind, by repository and hash, for which keep is
// false.
func (s *Settings) KeepTrust(own bool, keep func(repo, hash string) bool) {
	var all []Trust
	for _, t := range s.Trust {
		t.Seen = slices.DeleteFunc(slices.Clone(t.Seen), func(c Seen) bool { return c.Own == own && !keep(t.Path, c.Hash) })
		if len(t.Seen) > 0 {
			all = append(all, t)
		}
	}
	s.Trust = all
}

// Withdraw removes all trust in a repository.
func (s *Settings) Withdraw(repo string) {
	s.Trust = slices.DeleteFunc(slices.Clone(s.Trust), func(t Trust) bool { return t.Path == repo })
}

// Changes compares a directory with the content that was trusted last. It returns the
// wants that are new or different, by their index in w.List, and those that are gone.
func (t Trust) Changes(w RepoConfig) (fresh map[int]bool, gone []Want) {
	fresh = map[int]bool{}
	last, known := t.Last(w)
	if !known {
		return fresh, nil
	}
	old := last.List
	same := func(a Want) func(Want) bool {
		return func(b Want) bool { return a.File == b.File && a.Kind == b.Kind && a.Name == b.Name && a.Sum == b.Sum }
	}
	for i, want := range w.List {
		if !slices.ContainsFunc(old, same(want)) {
			fresh[i] = true
		}
	}
	for _, want := range old {
		if !slices.ContainsFunc(w.List, same(want)) {
			gone = append(gone, want)
		}
	}
	return fresh, gone
}

func cutText(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	cut := []rune(text[:most])
	return string(cut[:len(cut)-1]) + "…" // the last rune may be incomplete
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
