package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Wants are what a directory asks agents' programs to run or to load: hooks,
// servers, settings, skills. They were read as data.
type Wants struct {
	Hash   string // of Files: equal contents have equal hashes
	Files  []WantedFile
	List   []Want
	Faults []string // why nobody can trust this, whatever it says
}

// WantedFile is one file that the program would load.
type WantedFile struct {
	Path string `json:"path"` // relative to the directory
	Sum  string `json:"sum"`  // SHA-256 of its content
}

// Want is one thing that a file asks for.
type Want struct {
	File string `json:"file"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"text"` // the command, or whatever it is, in full
	Sum  string `json:"sum"`  // of Text, which is cut where it is remembered
}

// WantRules is the kind of a text for the model that runs nothing: it needs no
// trust and stands in the list for completeness.
const WantRules = "rules"

// Sealed fills in the sums and the hash.
func (w Wants) Sealed() Wants {
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
func (w Wants) Nothing() bool { return len(w.Files) == 0 && len(w.Faults) == 0 }

// Trust is what the user has seen of one repository and allowed to load.
type Trust struct {
	Path string `json:"path"` // absolute
	Seen []Seen `json:"seen"` // newest first
}

// Seen is one content that the user trusts.
type Seen struct {
	Hash  string       `json:"hash"`
	At    time.Time    `json:"at"`
	Files []WantedFile `json:"files"`
	List  []Want       `json:"list"` // long texts are cut
}

// maxSeen is how many contents of one repository are trusted at once: that of
// the user's checkout, and those of branches that quests started from.
const maxSeen = 5

// Covers reports whether a directory holds nothing but what the user has seen
// together. A file that is missing does no harm: worktrees lack what git
// ignores.
func (t Trust) Covers(w Wants) bool {
	return len(w.Faults) == 0 && slices.ContainsFunc(t.Seen, func(s Seen) bool { return s.covers(w.Files) })
}

func (s Seen) covers(files []WantedFile) bool {
	for _, f := range files {
		if !slices.Contains(s.Files, f) {
			return false
		}
	}
	return true
}

// TrustOf is what the user trusts of a repository; the zero value: nothing.
func (s Settings) TrustOf(repo string) (Trust, bool) {
	i := slices.IndexFunc(s.Trust, func(t Trust) bool { return t.Path == repo })
	if i < 0 {
		return Trust{}, false
	}
	return s.Trust[i], true
}

// TrustedRepos are the paths of which anything is trusted.
func (s Settings) TrustedRepos() []string {
	var all []string
	for _, t := range s.Trust {
		all = append(all, t.Path)
	}
	return all
}

// AddTrust trusts what a directory of a repository holds, beside what was
// trusted of it before.
func (s *Settings) AddTrust(repo string, w Wants, at time.Time) {
	was, _ := s.TrustOf(repo)
	now := Seen{Hash: w.Hash, At: at, Files: slices.Clone(w.Files), List: slices.Clone(w.List)}
	for i := range now.List {
		now.List[i].Text = cutText(now.List[i].Text)
	}
	seen := append([]Seen{now}, slices.DeleteFunc(slices.Clone(was.Seen), func(old Seen) bool { return old.Hash == w.Hash })...)
	s.Withdraw(repo)
	s.Trust = append(s.Trust, Trust{Path: repo, Seen: seen[:min(len(seen), maxSeen)]})
	slices.SortFunc(s.Trust, func(a, b Trust) int { return strings.Compare(a.Path, b.Path) })
}

// Withdraw trusts nothing of a repository any more.
func (s *Settings) Withdraw(repo string) {
	s.Trust = slices.DeleteFunc(slices.Clone(s.Trust), func(t Trust) bool { return t.Path == repo })
}

// Changes compares a directory with what was trusted last: wants that are new
// or different, by their place in w.List, and those that are gone.
func (t Trust) Changes(w Wants) (fresh map[int]bool, gone []Want) {
	fresh = map[int]bool{}
	if len(t.Seen) == 0 {
		return fresh, nil
	}
	old := t.Seen[0].List
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
	return string(cut[:len(cut)-1]) + "…" // the last one may be half a letter
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
