package record

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/orchestration"
)

// Settings apply to all quests of the server. No rule reads them.
type Settings struct {
	Slots  int                  // agents that run at once; 0: never set, so the server's flag applies
	Checks int                  // checks that run at once, beside the slots; 0: the same
	Limits orchestration.Limits // of new quests; zero fields: the defaults
	Trust  []Trust              // which repositories' configuration may load, by path
	Editor string               // link that opens a folder in the user's editor, with "{path}"; empty: none
	Repos  []RepoSettings       // by path
	Roles  []RoleSettings       // only roles that differ from the built-in settings
	// BudgetUSD is the budget of new quests that name none; 0: none.
	BudgetUSD float64
	Budgets   Budgets
	Timeouts  Timeouts
	// Forks are those of new quests.
	Forks orchestration.Forks
	// Channels tell people of what happens.
	Channels []Channel
	// Agents are programs of the user's that quests can choose, by name.
	Agents []AgentProgram
	// Hosts are the machines that may work for this server, by name.
	Hosts []Host
	// Levels say of what people are told, by quest. A quest without one: what the channels
	// tell.
	Levels map[string]Level
}

// Budgets are further limits of what agents use. A measure of 0 has no limit.
type Budgets struct {
	Tokens int64         `json:"tokens,omitempty"` // of new quests that name no budget of tokens
	Time   time.Duration `json:"time,omitempty"`   // of new quests that name no budget of time
	// Day and Server are what all quests together may use: in a day (UTC), and in all.
	Day    orchestration.Amount `json:"day,omitzero"`
	Server orchestration.Amount `json:"server,omitzero"`
}

// NewQuests returns the budget of new quests that name none.
func (s Settings) NewQuests() orchestration.Amount {
	return orchestration.Amount{USD: s.BudgetUSD, Tokens: s.Budgets.Tokens, Time: s.Budgets.Time}
}

// NewPrograms returns the programs of a quest that begins now and chooses these. Models are
// left out: those of the settings count for every run that starts.
func (s Settings) NewPrograms(chosen orchestration.Programs) orchestration.Programs {
	set := orchestration.Programs{}
	for _, r := range s.Roles {
		program := r.Program()
		program.Model = ""
		set[r.Role] = program
	}
	return chosen.Or(set)
}

// NewForks returns the forks of a quest that begins now with these programs.
func (s Settings) NewForks(programs orchestration.Programs) orchestration.Forks {
	f := s.Forks
	f.Models = nil
	for _, role := range orchestration.Roles {
		if model := cmp.Or(programs[role].Model, s.OfRole(role).Model); model != "" {
			if f.Models == nil {
				f.Models = map[orchestration.Role]string{}
			}
			f.Models[role] = model
		}
	}
	return f
}

// RepoSettings say what new worktrees of one repository need before a run works in
// them.
type RepoSettings struct {
	Path   string   `json:"path"`             // absolute and clean
	Setup  string   `json:"setup,omitempty"`  // a shell command line such as "npm ci"; empty: none
	Links  []string `json:"links,omitempty"`  // ignored paths that a worktree shares with the user's checkout
	Copies []string `json:"copies,omitempty"` // ignored paths that are copied into the worktree
}

// Repo returns the settings of a repository. If there are none, only the path is filled
// in.
func (s Settings) Repo(dir string) RepoSettings {
	for _, r := range s.Repos {
		if path.Clean(r.Path) == path.Clean(dir) {
			return r
		}
	}
	return RepoSettings{Path: dir}
}

// SetRepo replaces the settings of a repository. Empty settings remove it.
func (s *Settings) SetRepo(r RepoSettings) {
	s.Repos = slices.DeleteFunc(slices.Clone(s.Repos), func(old RepoSettings) bool { return old.Path == r.Path })
	if !r.Empty() {
		s.Repos = append(s.Repos, r)
	}
}

// Or takes what is not set from the repository's own file, which may be nil. A path that
// the user has in one list does not come from the file into the other.
func (r RepoSettings) Or(f *orchestration.RepoFile) RepoSettings {
	if f == nil {
		return r
	}
	set := slices.Concat(r.Links, r.Copies)
	missing := func(own, paths []string) []string {
		if len(own) > 0 {
			return own
		}
		return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return slices.Contains(set, p) })
	}
	r.Links, r.Copies = missing(r.Links, f.Links), missing(r.Copies, f.Copies)
	if r.Setup == "" {
		r.Setup = f.Setup
	}
	return r
}

// Empty reports whether new worktrees need nothing.
func (r RepoSettings) Empty() bool { return r.Setup == "" && len(r.Links)+len(r.Copies) == 0 }

// Check returns the faults by field: path, setup, links, copies.
func (r RepoSettings) Check() map[string]string {
	faults := map[string]string{}
	if !path.IsAbs(r.Path) {
		faults["path"] = "the absolute path of a repository is needed"
	}
	if strings.ContainsFunc(r.Setup, isControl) {
		faults["setup"] = "a command line is one line without control characters"
	}
	for name, list := range map[string][]string{"links": r.Links, "copies": r.Copies} {
		for _, p := range list {
			if why := notWithin(p); why != "" {
				faults[name] = why
			}
		}
	}
	for _, p := range r.Links {
		if slices.Contains(r.Copies, p) {
			faults["copies"] = p + " is linked already: a path is linked or copied, not both"
		}
	}
	return faults
}

// notWithin says why a path cannot be inside of a repository.
func notWithin(p string) string {
	parts := strings.Split(p, "/")
	switch {
	case p == "" || path.Clean(p) != p || path.IsAbs(p) || p == "." || slices.Contains(parts, ".."):
		return strconv.Quote(p) + " is not a path within the repository, such as node_modules or web/.env"
	case slices.Contains(parts, ".git"):
		return strconv.Quote(p) + " belongs to git"
	case strings.ContainsFunc(p, isControl):
		return strconv.Quote(p) + " holds a control character"
	default:
		return ""
	}
}

func isControl(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }

// pathMark is the placeholder for the folder in Settings.Editor.
const pathMark = "{path}"

var (
	linkScheme    = regexp.MustCompile(`^([a-z][a-z0-9+.-]*):`)
	percentEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// deniedSchemes are schemes whose links would open a page, run something in this page,
// or read a file into it.
var deniedSchemes = []string{"http", "https", "ws", "wss", "ftp", "ftps", "javascript", "vbscript", "livescript", "data",
	"file", "filesystem", "blob", "about", "view-source", "chrome", "resource", "jar", "intent", "mailto", "tel", "sms"}

// CheckEditor returns what is wrong with an editor's link, or "".
func CheckEditor(template string) string {
	scheme := linkScheme.FindStringSubmatch(template)
	switch {
	case template == "":
		return ""
	case scheme == nil:
		return "it must begin with the editor's scheme, as in vscode://file{path}"
	case slices.Contains(deniedSchemes, scheme[1]):
		return scheme[1] + ": does not open an editor; take the editor's own scheme, as in vscode://file{path}"
	case !strings.Contains(template[len(scheme[0]):], pathMark):
		return "it must contain {path}, in whose place the folder is put"
	case strings.ContainsFunc(template, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\"<>`\\", r) }):
		return "a link has no spaces, quotation marks or control characters: write them as %20 and the like"
	case len(template) > 500:
		return "it is longer than 500 characters"
	}
	if strings.Contains(percentEscape.ReplaceAllString(template, ""), "%") {
		return "a % in a link begins an escape, such as %20"
	}
	return ""
}

// EditorLink returns the link that opens a folder in the editor, or "" if none is set.
func (s Settings) EditorLink(dir string) string {
	if s.Editor == "" || CheckEditor(s.Editor) != "" {
		return ""
	}
	return strings.ReplaceAll(s.Editor, pathMark, escapePath(dir))
}

// escapePath escapes a path for any part of a link, including a query's value.
func escapePath(dir string) string {
	var b strings.Builder
	for _, c := range []byte(dir) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
