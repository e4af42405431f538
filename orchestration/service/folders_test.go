package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/service"
)

func TestFoldersAreListedToPickARepositoryFrom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"garden/.git", "notes", ".hidden", "a <b>"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"linked": "garden", "nowhere": "gone", "tofile": "file"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	repos := service.NewRepositories(workspace.Git{})
	l := repos.Browse(t.Context(), dir+"/notes/..")
	var got []string
	for _, f := range l.Folders {
		got = append(got, fmt.Sprint(f.Name, " ", f.Repository))
	}
	if l.Dir != dir || l.Parent != filepath.Dir(dir) || strings.Join(got, ", ") != "a <b> false, garden true, linked true, notes false" || l.Fault != "" {
		t.Errorf("%+v", l)
	}
	if root := repos.Browse(t.Context(), "/"); root.Parent != "" || root.Fault != "" {
		t.Errorf("the root: %+v", root)
	}
	for at, want := range map[string]string{"here": "absolute path", filepath.Join(dir, "gone"): "there is no folder", filepath.Join(dir, "file"): "cannot be read: not a directory"} {
		if l := repos.Browse(t.Context(), at); !strings.Contains(l.Fault, want) || len(l.Folders) > 0 {
			t.Errorf("%s: %+v, want %q", at, l, want)
		}
	}
}

func TestALongListOfFoldersIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 230 {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("f", 1000+i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	repos := service.NewRepositories(workspace.Git{})
	l := repos.Browse(t.Context(), dir)
	if len(l.Folders) != 200 || l.Left != 30 || l.More {
		t.Errorf("%d folders, %d left, more %v", len(l.Folders), l.Left, l.More)
	}
	if got := repos.Folders(filepath.Join(dir, "f12")); len(got) != 20 || got[0] != filepath.Join(dir, "f1200") {
		t.Errorf("%d complete it: %v", len(got), got)
	}
}

// In a folder with too many folders to list (100,000 in `make soak`), the beginning of a name still finds its folder,
// wherever the disk has it.
func TestAFolderAmongVeryManyIsFoundByItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	many := 6_500
	if n, err := strconv.Atoi(os.Getenv("QUESTBOARD_FOLDERS")); err == nil {
		many = n
	}
	for i := range many {
		folder := filepath.Join(dir, fmt.Sprintf("repo-%06d", i))
		if i < 10 { // to make more of them repositories takes long, and nobody looks at them
			folder = filepath.Join(folder, ".git")
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	repos := service.NewRepositories(workspace.Git{})
	if l := repos.Browse(t.Context(), dir); len(l.Folders) != 200 || !l.Folders[0].Repository || !l.More || l.Fault != "" {
		t.Errorf("%d folders, more %v, %q", len(l.Folders), l.More, l.Fault)
	}
	for i := 0; i < many; i += many / 13 {
		path := filepath.Join(dir, fmt.Sprintf("repo-%06d", i))
		if got := repos.Folders(path); len(got) != 1 || got[0] != path {
			t.Errorf("%s is completed to %v", path, got)
		}
	}
}

// A folder on a network that is away holds who opens it, like a pipe that nobody writes to.
// The page gets an answer, those who ask for one folder are held together, and those who are
// held do not become many.
func TestAFolderThatDoesNotAnswerHoldsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipes := make([]string, 10)
	for i := range pipes {
		pipes[i] = filepath.Join(dir, fmt.Sprint("away", i))
		if err := syscall.Mkfifo(pipes[i], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repos := service.NewRepositories(workspace.Git{})
	faults := make(chan string)
	browse := func(dir string) { faults <- repos.Browse(t.Context(), dir).Fault }
	for range 100 {
		go browse(pipes[0])
	}
	for range 100 {
		if fault := <-faults; !strings.Contains(fault, "did not answer within 2s") {
			t.Errorf("one of those who ask for one folder: %q", fault)
		}
	}
	if l := repos.Browse(t.Context(), dir); l.Fault != "" {
		t.Errorf("another folder meanwhile: %q", l.Fault)
	}
	for _, pipe := range pipes {
		go browse(pipe)
	}
	held, refused := 0, 0
	for range pipes {
		switch fault := <-faults; {
		case strings.Contains(fault, "did not answer within 2s"):
			held++
		case strings.Contains(fault, "still being waited for"):
			refused++
		default:
			t.Errorf("%q", fault)
		}
	}
	// All eight places are taken at once, or nearly: a quick look at one of these folders may
	// have a place in the moment in which another is asked for.
	if held > 8 || held < 6 {
		t.Errorf("%d were held, %d refused", held, refused)
	}
	for _, pipe := range pipes { // they answer at last
		if writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = writer.Close()
		}
	}
}

func TestTheHomeDirectoryIsExpanded(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	repos := service.NewRepositories(workspace.Git{})
	for typed, want := range map[string]string{"~": home, "~/a b": filepath.Join(home, "a b"), "~other/x": "~other/x", "/~": "/~", "": ""} {
		if got := repos.Expand(typed); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
}
