package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/service"
)

func TestAPathIsCompletedWithFoldersOfThisMachine(t *testing.T) {
	t.Parallel()
	home, folders := t.TempDir(), service.NewRepositories(workspace.Git{})
	for _, name := range []string{"billing", "billing-old", "books", ".git", "ünï <b>"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "bill.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string][]string{
		"/bil": {"billing", "billing-old"}, "/": {"billing", "billing-old", "books", "ünï <b>"}, "/.": {".git"}, "/billing/": nil, "/none/x": nil, "/bill.txt/": nil,
	} {
		var got []string
		for _, folder := range folders.Folders(home + typed) {
			got = append(got, filepath.Base(folder))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", typed, got, want)
		}
	}
	for i := range 30 {
		if err := os.Mkdir(filepath.Join(home, "books", fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(folders.Folders(home + "/books/")); n != 20 {
		t.Errorf("%d folders of 30", n)
	}
	if got := folders.Folders("bil"); got != nil {
		t.Errorf("a relative path: %v", got)
	}
}
