package agents

import "questboard/orchestration"

// WantsMap reports whether the run's prompt describes the repository: that of a session
// that plans or builds and knows nothing yet.
func WantsMap(r *orchestration.Run) bool {
	if r.ResumedFrom != "" || r.ForkedFrom != "" {
		return false
	}
	switch r.Role {
	case orchestration.ChaosWhisperer, orchestration.PathSeeker, orchestration.Codeweaver:
		return true
	default:
		return false
	}
}

// RepoMap describes a repository at one commit, so that an agent need not look for what
// the server can count. Package agents/repomap computes it. Others wrote its names and
// texts: a prompt quotes them.
type RepoMap struct {
	Commit string
	// Text names folders, large files, tests and so on; empty: nothing is known.
	Text   string
	Builds []BuildFile
	// Tools are the programs of these toolchains, as runs find them.
	Tools []Tool
	// Notes are the documents for those who work in the repository: CLAUDE.md,
	// AGENTS.md, CONTRIBUTING.md.
	Notes []string
	// Rules is the text of AGENTS.md where there is no CLAUDE.md, of which Claude Code
	// or Questboard tells the agent; RulesCut: there is more.
	Rules    string
	RulesCut bool
}

// BuildFile is a file that says which toolchain a project needs.
type BuildFile struct {
	Path      string
	Toolchain string   // such as "Go"
	Wants     []string // what it says of versions, each one short line
	Unread    bool     // it is too large or missing
}

// Tool is a program of a toolchain, as a run finds it.
type Tool struct {
	Toolchain string
	Name      string
	Version   string // what it says of itself, one short line; "": unknown
	Fails     bool   // it was asked and did not say
	Missing   bool   // it is not on the PATH of runs
}

// maxBuildFiles is how many build files of a toolchain a prompt names.
const maxBuildFiles = 4

// toolchain is what a prompt says about one.
type toolchain struct {
	Name           string
	Builds         []BuildFile
	More           int      // further build files
	Here, NotAsked []string // programs: with their versions, and without
	Fails, Missing []string
}

// toolchains gathers what is known, in the order of the build files.
func (m RepoMap) toolchains() []toolchain {
	var all []toolchain
	at := map[string]int{}
	for _, b := range m.Builds {
		if _, known := at[b.Toolchain]; !known {
			at[b.Toolchain] = len(all)
			all = append(all, toolchain{Name: b.Toolchain})
		}
		if t := &all[at[b.Toolchain]]; len(t.Builds) < maxBuildFiles {
			t.Builds = append(t.Builds, b)
		} else {
			t.More++
		}
	}
	for _, tool := range m.Tools {
		i, known := at[tool.Toolchain]
		switch {
		case !known:
		case tool.Missing:
			all[i].Missing = append(all[i].Missing, tool.Name)
		case tool.Fails:
			all[i].Fails = append(all[i].Fails, tool.Name)
		case tool.Version == "":
			all[i].NotAsked = append(all[i].NotAsked, tool.Name)
		default:
			all[i].Here = append(all[i].Here, tool.Version)
		}
	}
	return all
}
