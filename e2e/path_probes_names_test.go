package e2e_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// outside is a folder whose files nobody may read through the server, and a repository
// with links to it.
type outside struct {
	dir, repo string
	canaries  []string // none of them is ever part of an answer
}

const canary = "canary-of-a-file-outside"

func newOutside(t *testing.T) outside {
	t.Helper()
	o := outside{dir: t.TempDir(), repo: apiRepo(t), canaries: []string{canary, "root:x:0:0", apiToken}}
	write(t, filepath.Join(o.dir, "secret.txt"), canary+"\n")
	write(t, filepath.Join(o.repo, "plain.txt"), "of the repository\n")
	for name, make := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(o.dir, path) },
		"secret": func(path string) error { return os.Symlink(filepath.Join(o.dir, "secret.txt"), path) },
		"zero":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop":   func(path string) error { return os.Symlink(path, path) },
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"sparse": func(path string) error { return sparse(path, 10<<30) },
	} {
		if err := make(filepath.Join(o.repo, name)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func sparse(path string, size int64) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}

// paths are hostile names of files, as a field of a form may hold them.
func (o outside) paths(data string) []string {
	secret := filepath.Join(o.dir, "secret.txt")
	up := strings.Repeat("../", 24)
	list := []string{secret, o.dir, up + secret[1:], up + "etc/passwd", "/etc/passwd", "/etc/passwd/", "//etc//passwd", "/./etc/./passwd", "/proc/self/environ", "/proc/self/fd/0",
		"/proc/self/root" + secret, "/proc/self/cwd", "/proc/1/root", "/dev/zero", "/dev/stdin", "/dev/full", "/dev/tty", "/sys/kernel", "..", ".", "...", "....//....//etc/passwd",
		"..\\..\\..\\etc\\passwd", "..%2f..%2fetc%2fpasswd", "..%252fetc%252fpasswd", "%2e%2e/%2e%2e/etc/passwd", "..%5c..%5cetc%5cpasswd", "..;/etc/passwd", "\\\\127.0.0.1\\c$", "C:\\",
		"file:///etc/passwd", "/etc/passwd\x00.png", "\x00", "/etc\x00/passwd", "．．／etc／passwd", "..\u2215..\u2215etc\u2215passwd", "\xc0\xae\xc0\xae/etc/passwd", "..\xc0\xafetc\xc0\xafpasswd",
		"/etc/passwd.", "/etc/passwd...", "/etc/passwd ", " /etc/passwd", "/etc/passwd/.", "/etc/passwd/..", "~root", "~/.ssh/id_rsa", "$HOME", "-", "--help", "-exec", "@/etc/passwd", "|id", ";id",
		"/" + strings.Repeat("a", 300), "/" + strings.Repeat("a/", 3000), strings.Repeat("../", 1200) + "etc/passwd", "/" + strings.Repeat("é", 4000),
		data, filepath.Join(data, "questboard.db"), filepath.Join(data, "worktrees"), filepath.Join(o.repo, ".git"), filepath.Join(o.repo, ".git/config"), filepath.Join(o.repo, ".git/HEAD")}
	for _, name := range []string{"link", "link/secret.txt", "secret", "zero", "loop", "loop/x", "fifo", "fifo/x", "sparse", "sparse/x", "plain.txt"} {
		list = append(list, filepath.Join(o.repo, name), o.repo+"/./"+name, name)
	}
	return list
}

// segments returns the paths as a part of an address: escaped once, escaped twice, and
// not escaped if that can be sent.
func segments(paths []string) []string {
	var all []string
	for i, p := range paths {
		if len(p) > 2000 && i%2 == 0 {
			continue // the address would be refused as a whole
		}
		once := url.PathEscape(p)
		all = append(all, once)
		switch i % 3 {
		case 0:
			all = append(all, url.PathEscape(once))
		case 1:
			all = append(all, strings.NewReplacer("%2F", "%2f", ".", "%2e").Replace(once))
		default:
			if u, err := url.ParseRequestURI("/x/" + p); err == nil && u.RawQuery == "" && !strings.ContainsAny(p, " \x00\"#") {
				all = append(all, p)
			}
		}
	}
	return all
}
