package workspace_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// secret is in every file that a tree must not lead to.
const secret = "CANARY-outside"

// outer is what is outside of the trees: files, a repository, and a program that leaves a
// mark when it is started.
type outer struct {
	t       *testing.T
	dir     string
	program string
	mark    string
	files   map[string]os.FileInfo
}

func newOuter(t *testing.T) *outer {
	t.Helper()
	o := &outer{t: t, dir: filepath.Join(t.TempDir(), "outside"), files: map[string]os.FileInfo{}}
	o.mark = filepath.Join(filepath.Dir(o.dir), "mark")
	o.program = filepath.Join(filepath.Dir(o.dir), "program")
	put(t, filepath.Dir(o.dir), "program", "#!/bin/sh\necho x >>'"+o.mark+"'\nexec cat\n")
	if err := os.Chmod(o.program, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g", "secret", "deep/er/file"} {
		put(t, o.dir, name, secret+"\n")
	}
	git(t, o.dir, "init", "-q")
	git(t, o.dir, "add", "-A")
	git(t, o.dir, "commit", "-q", "-m", secret)
	long := time.Now().Add(-time.Hour)
	o.each(func(path string, info os.FileInfo) {
		if info.Mode().IsRegular() {
			_ = os.Chtimes(path, long.Add(-time.Minute), long) // so that a read shows even where times of reading are kept seldom
		}
	})
	o.each(func(path string, info os.FileInfo) { o.files[path] = info })
	return o
}

func (o *outer) each(see func(path string, info os.FileInfo)) {
	_ = filepath.WalkDir(o.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !strings.Contains(path, "/.git/") {
			if info, err := os.Lstat(path); err == nil {
				see(path, info)
			}
		}
		return nil
	})
}

// harm returns what was read outside of the trees, and anything worse that happened; ""
// if nothing did.
func (o *outer) harm() (read, worse string) {
	var reads, harm []string
	if _, err := os.Stat(o.mark); err == nil {
		harm = append(harm, "a program of the tree's was started")
	}
	left := len(o.files)
	o.each(func(path string, info os.FileInfo) {
		was, there := o.files[path]
		if left--; !there {
			harm = append(harm, path+" is new")
			return
		}
		if was.ModTime() != info.ModTime() || was.Size() != info.Size() || was.Mode() != info.Mode() {
			harm = append(harm, path+" was written")
		}
		if info.Mode().IsRegular() && info.Sys().(*syscall.Stat_t).Atim != was.Sys().(*syscall.Stat_t).Atim {
			reads = append(reads, path+" was read")
		}
		o.files[path] = info
	})
	if left > 0 {
		harm = append(harm, fmt.Sprintf("%d files are gone", left))
	}
	return strings.Join(reads, ", "), strings.Join(harm, ", ")
}

// shows returns a file of a commit.
func shows(repo, commit, name string) string {
	out, _ := exec.Command("git", "-C", repo, "show", commit+":"+name).Output()
	return string(out)
}

// traps are things that an agent may leave in its tree. A trap that cannot be made
// here, such as a device without the right to make one, is left out.
var traps = []struct {
	name string
	lay  func(m *attacker, dir string)
}{
	{"a link out", func(m *attacker, dir string) { m.link(dir, "out", m.outside.dir) }},
	{"a link to a file", func(m *attacker, dir string) {
		m.link(dir, "secret.txt", filepath.Join(m.outside.dir, "secret"))
	}},
	{"a tracked folder that leads out", func(m *attacker, dir string) {
		_ = os.RemoveAll(filepath.Join(dir, "dir"))
		m.link(dir, "dir", m.outside.dir)
	}},
	{"a tracked file that leads out", func(m *attacker, dir string) {
		_ = os.Remove(filepath.Join(dir, "a.txt"))
		m.link(dir, "a.txt", filepath.Join(m.outside.dir, "secret"))
	}},
	{"a special name that leads out", func(m *attacker, dir string) { m.link(dir, m.special(), filepath.Join(m.outside.dir, "secret")) }},
	{"a pipe at a special name", func(m *attacker, dir string) { m.pipe(dir, m.special()) }},
	{"a pipe", func(m *attacker, dir string) { m.pipe(dir, "pipe") }},
	{"a pipe at a tracked file", func(m *attacker, dir string) {
		_ = os.Remove(filepath.Join(dir, "a.txt"))
		m.pipe(dir, "a.txt")
	}},
	{"a socket", func(_ *attacker, dir string) {
		// The path of a socket must be short, so it is made at a short path.
		if here, err := os.MkdirTemp("", "s"); err == nil {
			defer os.RemoveAll(here)
			if l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(here, "s")}); err == nil {
				l.SetUnlinkOnClose(false)
				_ = l.Close()
				_ = os.Rename(filepath.Join(here, "s"), filepath.Join(dir, "socket"))
			}
		}
	}},
	{"a device at .gitignore", func(_ *attacker, dir string) {
		_ = syscall.Mknod(filepath.Join(dir, ".gitignore"), syscall.S_IFCHR|0o644, 1<<8|5)
	}},
	{"no .git", func(_ *attacker, dir string) { _ = os.RemoveAll(filepath.Join(dir, ".git")) }},
	{".git leads to another repository", func(m *attacker, dir string) {
		_ = os.RemoveAll(filepath.Join(dir, ".git"))
		m.link(dir, ".git", filepath.Join(m.outside.dir, ".git"))
	}},
	{".git names another repository", func(m *attacker, dir string) {
		_ = os.RemoveAll(filepath.Join(dir, ".git"))
		m.put(dir, ".git", "gitdir: "+filepath.Join(m.outside.dir, ".git")+"\n")
	}},
	{"a pipe at .git", func(m *attacker, dir string) {
		_ = os.RemoveAll(filepath.Join(dir, ".git"))
		m.pipe(dir, ".git")
	}},
	{"a repository of its own", func(m *attacker, dir string) {
		_ = os.RemoveAll(filepath.Join(dir, ".git"))
		m.evil(dir)
	}},
	{"a repository within", func(m *attacker, dir string) { m.evil(filepath.Join(dir, "within")) }},
	{"a repository within that is named a module", func(m *attacker, dir string) {
		m.evil(filepath.Join(dir, "within"))
		_ = os.Remove(filepath.Join(dir, ".gitmodules"))
		m.put(dir, ".gitmodules", "[submodule \"within\"]\n\tpath = within\n\turl = ./within\n\tupdate = none\n")
	}},
	{"a repository within without a commit", func(m *attacker, dir string) { m.sh(dir, "git init -q empty; echo x >empty/x") }},
	{"a repository within whose HEAD is a pipe", func(m *attacker, dir string) {
		m.sh(dir, "git init -q stuck; rm stuck/.git/HEAD; mkfifo stuck/.git/HEAD")
	}},
	{"a broken repository within", func(m *attacker, dir string) {
		m.put(dir, "broken/.git", "gitdir: "+m.outside.dir+"/none\n")
		m.put(dir, "broken/x", "x\n")
	}},
	{"a repository within that works elsewhere", func(m *attacker, dir string) {
		m.sh(dir, "git init -q far; git -C far config core.worktree '"+m.outside.dir+"'; git -C far commit -q --allow-empty -m x")
	}},
	{"odd names", func(m *attacker, dir string) {
		for _, name := range oddNames {
			m.put(dir, name, "odd\n")
		}
		m.put(dir, strings.Repeat("n", 250), "long\n")
	}},
	{"names like git's", func(m *attacker, dir string) {
		for _, name := range []string{".GIT/config", "git~1/x", ".git /x", ".GITMODULES", ".git\u200c/config", "x/.Git/hooks/pre-commit"} {
			path := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
				_ = os.WriteFile(path, []byte("[core]\n\tfsmonitor = "+m.outside.program+"\n"), 0o644)
			}
		}
	}},
	{"a deep folder", func(m *attacker, dir string) { m.put(dir, strings.Repeat("d/", 300)+"f", "deep\n") }},
	{"a sparse file", func(_ *attacker, dir string) { sparse(filepath.Join(dir, "sparse.bin"), 200<<20) }},
	{"a sparse .gitignore", func(_ *attacker, dir string) { sparse(filepath.Join(dir, ".gitignore"), 1<<30) }},
	{"a sparse .gitattributes", func(_ *attacker, dir string) { sparse(filepath.Join(dir, "work-one", ".gitattributes"), 1<<30) }},
	{"many files", func(m *attacker, dir string) { m.sh(dir, "mkdir -p many; cd many; seq 2000 | xargs touch") }},
	{"files that nobody may read", func(m *attacker, dir string) {
		m.put(dir, "closed/f", "f\n")
		_ = os.Chmod(filepath.Join(dir, "closed", "f"), 0)
		_ = os.Chmod(filepath.Join(dir, "closed"), 0)
	}},
	{"attributes that name drivers", func(m *attacker, dir string) {
		_ = os.Remove(filepath.Join(dir, ".gitattributes"))
		m.put(dir, ".gitattributes", "* filter=evil diff=evil merge=evil ident\n*.bin working-tree-encoding=nonsense\n")
		m.sh(dir, "git config filter.evil.clean '"+m.outside.program+"' || true")
	}},
	{"what our git would wait in", func(m *attacker, dir string) {
		m.sh(dir, "rm -rf sub .gitmodules .gitignore; "+strings.ReplaceAll(heldUp[m.rnd.IntN(len(heldUp))].lay, "$sub", subRepository))
	}},
	{"a worktree within", func(m *attacker, dir string) { m.sh(dir, "git worktree add -q --detach within-worktree || true") }},
	{"folders that may not be written", func(m *attacker, dir string) { m.sh(dir, "mkdir -p shut; mkfifo shut/.gitignore; chmod 555 shut") }},
	{"another branch", func(m *attacker, dir string) { m.sh(dir, "git checkout -q --orphan elsewhere || true") }},
	{"an index that is locked", func(m *attacker, dir string) { m.sh(dir, `touch "$(git rev-parse --git-path index.lock)" || true`) }},
}

func (m *attacker) special() string {
	names := []string{".gitignore", ".gitattributes", ".gitmodules", "work-one/.gitignore", "work-two/.gitattributes", ".mailmap", "dir/.gitignore"}
	return names[m.rnd.IntN(len(names))]
}

func (m *attacker) link(dir, name, to string) {
	path := filepath.Join(dir, name)
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	_ = os.Symlink(to, path)
}

func (m *attacker) pipe(dir, name string) {
	path := filepath.Join(dir, name)
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	_ = os.Remove(path)
	_ = syscall.Mkfifo(path, 0o644)
}

// evil makes a repository whose configuration names the program as a filter, with a
// file that git would filter.
func (m *attacker) evil(dir string) {
	_ = os.MkdirAll(dir, 0o755)
	m.sh(dir, "git init -q; echo '* filter=inner' >inner.attributes; echo one >inner; cp inner.attributes .git/info/attributes; git add inner; "+
		"git commit -q -m inner; for key in filter.inner.clean filter.inner.smudge core.fsmonitor; do git config $key '"+m.outside.program+"'; done; echo two >inner")
}

func (m *attacker) put(dir, name, content string) {
	m.Helper()
	root, err := filepath.EvalSymlinks(dir)
	at, none := filepath.EvalSymlinks(filepath.Dir(filepath.Join(dir, name)))
	if err == nil && none == nil && at != root && !strings.HasPrefix(at, root+"/") { // otherwise the program itself would write there
		return
	}
	put(m.T, dir, name, content)
}

func (m *attacker) sh(dir, script string) {
	at := filepath.Join(dir, ".git")
	var text []byte
	if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() {
		text, _ = os.ReadFile(at)
	} else if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return
	}
	if m.outside.dir != "" && strings.Contains(string(text), m.outside.dir) { // otherwise the program itself would write there
		return
	}
	// Its git waits for a pipe that an earlier trap has laid. A run ends with all its processes.
	ctx, cancel := context.WithTimeout(m.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false")
	_ = cmd.Run()
	_ = os.Remove(m.outside.mark) // the program itself may have left it
}

func sparse(path string, size int64) {
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	_ = os.Remove(path)
	if f, err := os.Create(path); err == nil {
		_ = f.Truncate(size)
		_ = f.Close()
	}
}
