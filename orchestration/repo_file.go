package orchestration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RepoFolder is the folder in which a repository keeps its own settings for quests.
const RepoFolder = ".questboard"

// RepoFile is what the repository's own file says for a quest (docs/configuration.md).
// It is read once, from the commit that the quest starts from, and only if the user has
// trusted that content. What the user chose for the quest goes before it.
type RepoFile struct {
	Commit      string          `json:"commit"` // from which it was read
	Check       string          `json:"check,omitempty"`
	Setup       string          `json:"setup,omitempty"`
	Links       []string        `json:"links,omitempty"`
	Copies      []string        `json:"copies,omitempty"`
	BeforeMerge string          `json:"beforeMerge,omitempty"` // a shell command line; empty: none
	Limits      Limits          `json:"limits"`                // zero fields: not set
	Slots       map[Role]int    `json:"slots,omitempty"`       // at most this many runs of a role at once
	Ports       int             `json:"ports,omitempty"`       // in a row, for each program of the quest; 0: not set
	Texts       map[Role]string `json:"texts,omitempty"`       // added to the prompts of a role
	Ask         []string        `json:"ask,omitempty"`         // calls before which a person is asked, see CheckAskRules
	Roles       Programs        `json:"roles,omitempty"`       // the programs of roles for which the user chooses none
	Size        Size            `json:"size,omitempty"`        // of quests for which the user chooses none; empty: not set
}

// RepoFileSlots is the most slots that a repository's file may give to a role.
const RepoFileSlots = 64

// DefaultPorts is how many ports each program of a quest gets, RepoFilePorts the most that a
// repository's file may ask for.
const (
	DefaultPorts  = 20
	RepoFilePorts = 200
)

// WithFile fills in what the user left to the repository's file. The file is nil if
// there is none, or if it does not count.
func (n NewQuest) WithFile(f *RepoFile) NewQuest {
	if f == nil {
		return n
	}
	if blank(n.Ward) {
		n.Ward = f.Check
	}
	if n.Size == "" && n.Plan == nil { // a plan of one's own is full
		n.Size = f.Size
	}
	n.Limits = n.Limits.Or(f.Limits)
	n.Programs = n.Programs.Or(f.Roles)
	n.File = f
	return n
}

// check returns what is wrong with a file, or "". The reader of files checks more and
// names lines; the rules depend on this much.
func (f *RepoFile) check() string {
	if f == nil {
		return ""
	}
	for _, role := range slices.Sorted(maps.Keys(f.Slots)) {
		if n := f.Slots[role]; !slices.Contains(Roles, role) || n < 1 || n > RepoFileSlots {
			return fmt.Sprintf("slots of %s: 1 to %d", role, RepoFileSlots)
		}
	}
	if f.Ports < 0 || f.Ports > RepoFilePorts {
		return fmt.Sprintf("ports: 1 to %d, or 0 if it does not say", RepoFilePorts)
	}
	if f.Size != "" && !slices.Contains(Sizes, f.Size) {
		return "size: possible are " + list(Sizes)
	}
	faults := map[string]string{}
	if f.Roles.check(faults); len(faults) > 0 {
		return told(sortedKeys(faults), ", ") + ": " + faults[sortedKeys(faults)[0]]
	}
	if why := CheckAskRules(f.Ask); why != "" {
		return "ask: " + why
	}
	if f.Limits.negative() {
		return "limits cannot be negative"
	}
	return ""
}

// BeforeMerge returns the repository's command before a merge; "": none.
func (q *Quest) BeforeMerge() string {
	if q.File == nil {
		return ""
	}
	return strings.TrimSpace(q.File.BeforeMerge)
}

// WardCommand returns the command line that a run of ward runs: the check, or the
// repository's command before a merge.
func (q *Quest) WardCommand(r *Run) string {
	if r.BeforeMerge() {
		return q.BeforeMerge()
	}
	return q.Ward
}

// Ports returns how many ports in a row each program of the quest gets.
func (q *Quest) Ports() int {
	if q.File == nil || q.File.Ports == 0 {
		return DefaultPorts
	}
	return q.File.Ports
}

// slotsOf returns how many runs of a role the quest may have at once; 0: any number.
func (q *Quest) slotsOf(role Role) int {
	if q.File == nil {
		return 0
	}
	return q.File.Slots[role]
}

// roleIsFull reports whether the quest has as many live runs of a role as it may have.
func (q *Quest) roleIsFull(role Role) bool {
	most := q.slotsOf(role)
	if most == 0 {
		return false
	}
	live := 0
	for _, n := range q.open {
		if r := q.Runs.At(n); r.Role == role && r.Live() {
			live++
		}
	}
	return live >= most
}

// RepoFilesChanged returns the files of RepoFolder that the quest's steps changed, sorted
// (worktree mode). They count from the next quest on.
func (q *Quest) RepoFilesChanged() []string {
	var files []string
	for _, s := range q.allSteps() {
		if s == nil || s.Stage == StageSkipped || s.Stage == StageSuperseded {
			continue
		}
		for _, f := range s.Changed {
			if inRepoFolder(f) && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	return files
}

// inRepoFolder reports whether a path of the repository's tree is one that is read from a
// RepoFolder. The
// quest's repository may be a folder within a checkout.
func inRepoFolder(path string) bool {
	_, name, in := strings.Cut("/"+path, "/"+RepoFolder+"/")
	return in && (name == "config.yaml" || strings.HasPrefix(name, "roles/") && strings.HasSuffix(name, ".md"))
}
