package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	foldersRead = 2000 // entries of one folder that are looked at
	foldersMost = 20
)

// Folders implements handlers.Repos: folders that a path may be about to name.
func (r repos) Folders(typed string) []string {
	if !filepath.IsAbs(typed) {
		return nil
	}
	parent, begun := filepath.Split(typed)
	dir, err := os.Open(parent) //#nosec G304 -- the owner types paths of this machine, and only names are told
	if err != nil {
		return nil // nothing is there to complete it with
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(foldersRead) // what was read before a failure is as good
	var found []string
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(begun, ".")
		if e.IsDir() && !hidden && strings.HasPrefix(e.Name(), begun) {
			found = append(found, filepath.Join(parent, e.Name()))
		}
	}
	slices.Sort(found)
	return found[:min(len(found), foldersMost)]
}
