package present

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// RepoFile is what the form for a new quest says about the repository's own file; nil:
// there is none. form has the values that the person entered, by key.
func RepoFile(f service.RepoFile, state service.RepoFileState, repo, base string, form map[string]string) *views.RepoFile {
	const name = "The repository's own file, .questboard/config.yaml, "
	v := &views.RepoFile{Class: "warn", Review: "Review and trust", URL: paths.RepositoryTrustAt(repo, base), Ignored: true}
	switch state {
	case service.RepoFileNone:
		return nil
	case service.RepoFileFaulty:
		v.Class, v.Review, v.Faults = "bad", "", CleanAll(f.Config.Faults)
		v.Words = "The repository's own settings (.questboard) have a fault, so they do not count. Correct them and commit:"
	case service.RepoFileUntrusted:
		v.Words = name + "does not count, because you have not trusted it yet."
	case service.RepoFileChanged:
		v.Words = name + "changed since you trusted it, so it does not count."
	case service.RepoFileCounts:
		v.Class, v.Ignored, v.Review = "", false, "Read it in full"
		v.Words = fmt.Sprintf("From the repository's own file at %.10s, where you leave a field empty:", f.File.Commit)
		v.Values = repoFileValues(f.File, form)
	}
	return v
}

// repoFileValues lists what the file sets, in the order of its keys.
func repoFileValues(f *orchestration.RepoFile, form map[string]string) []views.RepoFileValue {
	var list []views.RepoFileValue
	add := func(key, value string) {
		if value != "" {
			list = append(list, views.RepoFileValue{Key: key, Value: clean(value), Instead: form[key] != "" && form[key] != value})
		}
	}
	add("check", f.Check)
	add("setup", f.Setup)
	add("links", strings.Join(f.Links, "\n"))
	add("copies", strings.Join(f.Copies, "\n"))
	add("beforeMerge", f.BeforeMerge)
	limits := orchestration.LimitsByName(f.Limits)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		add("limits."+name, strconv.Itoa(limits[name]))
	}
	for _, role := range slices.Sorted(maps.Keys(f.Slots)) {
		add("slots."+string(role), strconv.Itoa(f.Slots[role]))
	}
	for _, role := range slices.Sorted(maps.Keys(f.Texts)) {
		add("roles/"+string(role)+".md", views.Count(len(f.Texts[role]), "byte", "bytes")+" for "+role.Name())
	}
	return list
}
