package repofile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/repofile"
	"questboard/agents/workspace"
	"questboard/orchestration"
)

// entry is one file of a commit.
type entry struct{ mode, name, text string }

// committed returns a repository with one commit of these files. git fast-import makes
// it, so nothing limits the names and kinds of files.
func committed(t *testing.T, files ...entry) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, nil, "init", "-q", "-b", "main")
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n")
	for _, f := range files {
		if f.mode == "160000" {
			fmt.Fprintf(&in, "M 160000 %s %s\n", strings.Repeat("1", 40), f.name)
			continue
		}
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", f.mode, f.name, len(f.text), f.text)
	}
	git(t, dir, in.Bytes(), "fast-import", "--quiet")
	return dir
}

func git(t *testing.T, dir string, in []byte, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%.2000s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, dir, revision string) repofile.Found {
	t.Helper()
	c, err := workspace.Git{Dir: t.TempDir()}.ContentsOf(t.Context(), dir, revision)
	if err != nil {
		t.Fatal(err)
	}
	found, err := repofile.Read(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheFileIsReadFromTheCommit_andNotFromTheFolder(t *testing.T) {
	t.Parallel()
	dir := committed(t, entry{"100644", ".questboard/config.yaml", "check: make committed\n"}, entry{"100644", ".questboard/roles/codeweaver.md", "Step {{code .Line}}."},
		entry{"100644", ".questboard/notes.txt", "nobody's"}, entry{"100644", "a.go", "package a"})
	git(t, dir, nil, "reset", "-q", "--hard")
	for name, text := range map[string]string{"config.yaml": "check: make changed\n", "roles/ward.md": "x"} {
		if err := os.WriteFile(filepath.Join(dir, ".questboard", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := read(t, dir, "")
	if f := found.File; f == nil || f.Check != "make committed" || f.Commit != git(t, dir, nil, "rev-parse", "HEAD") || len(f.Texts) != 1 ||
		f.Texts[orchestration.Codeweaver] != "Step {{code .Line}}." {
		t.Errorf("%+v %q", f, found.Config.Faults)
	}
	if c := found.Config; !c.Own || len(c.Files) != 2 || len(c.List) != 2 || c.List[0].Text != "check: make committed\n" {
		t.Errorf("%+v", c)
	}
}

func TestACommitWithoutTheFileHasNothing(t *testing.T) {
	t.Parallel()
	dir := committed(t, entry{"100644", "a.go", "package a"})
	if found := read(t, dir, "main"); found.File != nil || !found.Config.Nothing() {
		t.Errorf("%+v", found)
	}
}

// The quest's repository may be a folder in a checkout: its own folder counts.
func TestAFolderInACheckoutHasItsOwnFile(t *testing.T) {
	t.Parallel()
	dir := committed(t, entry{"100644", ".questboard/config.yaml", "check: make all\n"}, entry{"100644", "shop/.questboard/config.yaml", "check: make shop\n"})
	git(t, dir, nil, "reset", "-q", "--hard")
	if f := read(t, filepath.Join(dir, "shop"), "").File; f == nil || f.Check != "make shop" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"new", "new/deep", "*", ":(x)"} { // the last two would be patterns of git's
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if found := read(t, filepath.Join(dir, name), ""); found.File != nil || !found.Config.Nothing() {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestABadFileIsRefusedWithAMessage(t *testing.T) {
	t.Parallel()
	config, role := ".questboard/config.yaml", ".questboard/roles/codeweaver.md"
	for name, c := range map[string]struct {
		file entry
		want string
	}{
		"2 MiB":                {entry{"100644", config, strings.Repeat("#", 2<<20)}, "config.yaml has 2048 KiB: at most 16"},
		"a link":               {entry{"120000", config, "/etc/passwd"}, "config.yaml is a link: it must be a plain file"},
		"a submodule":          {entry{"160000", config, ""}, "config.yaml is a submodule: it must be a plain file"},
		"the folder is a link": {entry{"120000", ".questboard", "/etc"}, ".questboard is a link: it must be a folder"},
		"a submodule of roles": {entry{"160000", ".questboard/roles", ""}, ".questboard/roles is a submodule: it must be a folder"},
		"no text":              {entry{"100644", config, "check: \xff\xfe"}, "config.yaml is no text in UTF-8"},
		"unknown key":          {entry{"100644", config, "a: 1\n"}, `config.yaml:1: there is no key "a"`},
		"unknown role":         {entry{"100644", ".questboard/roles/nobody.md", "x"}, `nobody.md" names no role`},
		"ward has no prompt":   {entry{"100644", ".questboard/roles/ward.md", "x"}, `ward.md" names no role`},
		"unknown variable":     {entry{"100644", role, "one\ntwo {{code .Nope}}"}, "codeweaver.md: line 2: there is no variable .Nope"},
		"a large text":         {entry{"100644", role, strings.Repeat("x", 65<<10)}, "codeweaver.md has 65 KiB: at most 64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := read(t, committed(t, c.file), "main")
			if said := strings.Join(found.Config.Faults, "\n"); found.File != nil || !strings.Contains(said, c.want) {
				t.Errorf("%+v\n%s\nwant %q", found.File, said, c.want)
			}
		})
	}
}

func TestTooManyFilesAreAFault(t *testing.T) {
	t.Parallel()
	var files []entry
	for i := range 4000 {
		files = append(files, entry{"100644", fmt.Sprintf(".questboard/roles/%080d", i), "x"})
	}
	found := read(t, committed(t, files...), "main")
	if said := strings.Join(found.Config.Faults, "\n"); found.File != nil || !strings.Contains(said, "too many files") || len(found.Config.Faults) > 20 {
		t.Errorf("%+v\n%.500s", found.File, said)
	}
}

// The object of a partial clone may be elsewhere; nothing is fetched.
func TestAMissingObjectIsAFault(t *testing.T) {
	t.Parallel()
	dir := committed(t, entry{"100644", ".questboard/config.yaml", "check: make\n"})
	blob := git(t, dir, nil, "rev-parse", "main:.questboard/config.yaml")
	remove(t, dir, blob)
	found := read(t, dir, "main")
	if said := strings.Join(found.Config.Faults, "\n"); found.File != nil || said == "" {
		t.Errorf("%+v\n%s", found.File, said)
	}
}

// A folder that the commit does not have is no fault of git's, and a broken repository is none of
// the folder's: its settings must not be lost without a word.
func TestABrokenRepositoryDoesNotCountAsOneWithoutTheFile(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"main^{tree}", "main:shop", "main:shop/.questboard"} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			dir := committed(t, entry{"100644", "shop/.questboard/config.yaml", "check: make shop\n"}, entry{"100644", "shop/a.go", "package a"})
			git(t, dir, nil, "reset", "-q", "--hard")
			remove(t, dir, git(t, dir, nil, "rev-parse", gone))
			c, err := workspace.Git{Dir: t.TempDir()}.ContentsOf(t.Context(), filepath.Join(dir, "shop"), "main")
			if err != nil {
				t.Fatal(err)
			}
			if found, err := repofile.Read(t.Context(), c); err == nil {
				t.Errorf("%+v without an error", found)
			}
		})
	}
}

// remove removes one object of a repository.
func remove(t *testing.T, dir, object string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range packs {
		moved := filepath.Join(t.TempDir(), "pack")
		if err := os.Rename(pack, moved); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx"); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(moved)
		if err != nil {
			t.Fatal(err)
		}
		git(t, dir, data, "unpack-objects", "-q")
	}
	if err := os.Remove(filepath.Join(dir, ".git/objects", object[:2], object[2:])); err != nil {
		t.Fatal(err)
	}
}
