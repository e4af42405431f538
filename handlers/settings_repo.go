package handlers

import (
	"slices"
	"strings"

	"questboard/orchestration"
	"questboard/views"
)

// readRepo reads what worktrees of a repository need out of the fields, and
// marks what is wrong in them. What is wrong with the path is for the caller.
func readRepo(path string, setup, links, copies *views.Field) orchestration.RepoSettings {
	r := orchestration.RepoSettings{Path: path, Setup: setup.Value, Links: pathList(links.Value), Copies: pathList(copies.Value)}
	faults := r.Check()
	for name, field := range map[string]*views.Field{"setup": setup, "links": links, "copies": copies} {
		if why := faults[name]; why != "" {
			field.Error = sentence(why) + "."
		}
	}
	return r
}

// pathList takes a text with a path on each line.
func pathList(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		path := strings.TrimSpace(line)
		if len(path) > 1 {
			path = strings.TrimSuffix(path, "/")
		}
		if path != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

func repoFields(r orchestration.RepoSettings) (setup, links, copies views.Field) {
	return views.Field{Value: r.Setup}, views.Field{Value: strings.Join(r.Links, "\n")}, views.Field{Value: strings.Join(r.Copies, "\n")}
}
