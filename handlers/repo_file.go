package handlers

import (
	"fmt"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// repoFile is what the form for a new quest says about the repository's own file; nil:
// there is none. form has the values that the person entered, by key.
func repoFile(f service.RepoFile, state service.RepoFileState, repo, base string, form map[string]string) *views.RepoFile {
	const name = "The repository's own file, .questboard/config.yaml, "
	v := &views.RepoFile{Class: "warn", Review: "Review and trust", URL: paths.RepositoryTrustAt(repo, base), Ignored: true}
	switch state {
	case service.RepoFileNone:
		return nil
	case service.RepoFileFaulty:
		v.Class, v.Review, v.Faults = "bad", "", present.CleanAll(f.Config.Faults)
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

// repoFileValues lists what the file sets, and where the form goes before it.
func repoFileValues(f *orchestration.RepoFile, form map[string]string) []views.RepoFileValue {
	var list []views.RepoFileValue
	for _, v := range service.RepoFileValues(f) {
		list = append(list, views.RepoFileValue{Key: v.Key, Value: views.Visible(v.Value), Instead: form[v.Key] != "" && form[v.Key] != v.Value})
	}
	return list
}
