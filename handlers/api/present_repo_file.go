package api

import (
	"questboard/orchestration"
)

// repoFileJSON is what the repository's own file said when the quest started.
type repoFileJSON struct {
	Commit      string                        `json:"commit"`
	Check       string                        `json:"check"`
	Setup       string                        `json:"setup"`
	Links       []string                      `json:"links"`
	Copies      []string                      `json:"copies"`
	BeforeMerge string                        `json:"beforeMerge"`
	Limits      orchestration.Limits          `json:"limits"`
	Slots       map[orchestration.Role]int    `json:"slots"`
	Ports       int                           `json:"ports"`
	Ask         []string                      `json:"ask"`
	Size        orchestration.Size            `json:"size"`
	Roles       orchestration.Programs        `json:"roles"`
	Texts       map[orchestration.Role]string `json:"texts"`
}

// presentRepoFile returns nil if none counts for the quest.
func presentRepoFile(f *orchestration.RepoFile) *repoFileJSON {
	if f == nil {
		return nil
	}
	out := &repoFileJSON{Commit: f.Commit, Check: f.Check, Setup: f.Setup, Links: list(f.Links), Copies: list(f.Copies),
		BeforeMerge: f.BeforeMerge,
		Limits:      f.Limits, Slots: f.Slots, Ports: f.Ports, Ask: list(f.Ask), Size: f.Size, Roles: presentPrograms(f.Roles), Texts: f.Texts}
	if out.Slots == nil {
		out.Slots = map[orchestration.Role]int{}
	}
	if out.Texts == nil {
		out.Texts = map[orchestration.Role]string{}
	}
	return out
}

func presentPrograms(p orchestration.Programs) orchestration.Programs {
	if p == nil {
		return orchestration.Programs{}
	}
	return p
}
