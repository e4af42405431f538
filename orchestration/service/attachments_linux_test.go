package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/service"
)

// noFolder is a folder in which nobody can make anything, not even root.
const noFolder = "/sys/kernel"

// A disk that takes no file refuses it by name, and everything else goes on: the form keeps
// what was typed, and the files that are kept already.
func TestAFolderThatCannotBeWrittenRefusesFilesByName(t *testing.T) {
	t.Parallel()
	a := &service.Attachments{Dir: noFolder}
	kept := []orchestration.Attachment{{Name: "kept.txt", Size: 1, SHA256: strings.Repeat("0", 64)}}
	all, refused, err := a.Keep(kept, []service.Upload{upload("a.txt", []byte("a")), upload("b.txt", []byte("b"))})
	const why = " was not taken: the server cannot write into its folder for files."
	if err != nil || len(all) != 1 || strings.Join(refused, " ") != "a.txt"+why+" b.txt"+why {
		t.Errorf("%v %q %v", all, refused, err)
	}
	b, dir := attaching(t)
	n := order("/repo", orchestration.WorkspaceShared)
	n.Attachments = b.keep(t, upload("a.txt", []byte("a")))
	for _, folder := range []string{"quests", "beginning"} {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(noFolder, filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
		_, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: n})
		if orchestration.CodeOf(err) != orchestration.CodeInvalid || !strings.Contains(err.Error(), "the files could not be stored: the server cannot write") {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
