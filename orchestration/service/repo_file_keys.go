package service

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"questboard/orchestration"
)

// RepoFileValue is a value that the repository's own file sets.
type RepoFileValue struct{ Key, Value string }

// RepoFileValues lists what a file sets, in the order of docs/configuration.md. Paths are
// one in each line.
func RepoFileValues(f *orchestration.RepoFile) []RepoFileValue {
	list := []RepoFileValue{{"check", f.Check}, {"setup", f.Setup}, {"links", strings.Join(f.Links, "\n")},
		{"copies", strings.Join(f.Copies, "\n")}, {"beforeMerge", f.BeforeMerge}}
	limits := orchestration.LimitsByName(f.Limits)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		list = append(list, RepoFileValue{"limits." + name, fmt.Sprint(limits[name])})
	}
	for _, role := range slices.Sorted(maps.Keys(f.Slots)) {
		list = append(list, RepoFileValue{"slots." + string(role), fmt.Sprint(f.Slots[role])})
	}
	if f.Ports != 0 {
		list = append(list, RepoFileValue{"ports", fmt.Sprint(f.Ports)})
	}
	list = append(list, RepoFileValue{"ask", strings.Join(f.Ask, "\n")})
	list = append(list, RepoFileValue{"size", string(f.Size)})
	for _, role := range slices.Sorted(maps.Keys(f.Texts)) {
		list = append(list, RepoFileValue{"roles/" + string(role) + ".md", fmt.Sprintf("%d bytes for %s", len(f.Texts[role]), role.Name())})
	}
	return slices.DeleteFunc(list, func(v RepoFileValue) bool { return v.Value == "" })
}

// repoFileSets lists the same in a line each.
func repoFileSets(f *orchestration.RepoFile) []string {
	var list []string
	for _, v := range RepoFileValues(f) {
		list = append(list, v.Key+" ("+OneLine(v.Value)+")")
	}
	if len(list) == 0 {
		return []string{"nothing"}
	}
	return list
}
