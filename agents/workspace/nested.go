package workspace

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// nested names the repositories within the tree that became links to commits
// which no repository of the user's has. Those that .gitmodules names are
// submodules, and meant to be links.
func (x index) nested(ctx context.Context, changes []change) []string {
	links := map[string]bool{}
	for _, c := range changes {
		if c.newMode == "160000" && c.oldMode != "160000" {
			links[c.name] = true
		}
	}
	if len(links) == 0 {
		return nil
	}
	out, _ := x.git(ctx, nil, "config", "--null", "--file", filepath.Join(x.tr.path, ".gitmodules"), "--get-regexp", `^submodule\..*\.path$`)
	for field := range strings.SplitSeq(out, "\x00") {
		if _, path, ok := strings.Cut(field, "\n"); ok {
			delete(links, path)
		}
	}
	return slices.Sorted(maps.Keys(links))
}

// leaveOut takes names out of the index, and returns what it changes then.
func (x index) leaveOut(ctx context.Context, names []string, head string) ([]change, error) {
	var gone strings.Builder
	for _, name := range names {
		gone.WriteString("0 " + strings.Repeat("0", len(head)) + "\t" + name + "\x00")
	}
	if _, err := x.git(ctx, []byte(gone.String()), "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	return x.changes(ctx, head)
}

// addWithout adds all but the repositories within the tree, which it returns.
func (x index) addWithout(ctx context.Context, cause error) ([]string, error) {
	out, err := x.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var nested []string
	specs := ".\x00"
	for _, name := range splitNames(out) {
		if within, ok := strings.CutSuffix(name, "/"); ok {
			nested = append(nested, within)
			specs += ":(exclude,literal,top)" + within + "\x00"
		}
	}
	if nested == nil {
		return nil, cause
	}
	_, err = x.git(ctx, []byte(specs), "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
	return nested, err
}
