package confine

import (
	"os"
	"path/filepath"
	"slices"
)

// systemFolders hold programs and their settings; each machine has some of them.
// Sockets, logs, mounted disks and the homes of others are elsewhere.
var systemFolders = [...]string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap",
}

// system shows the parts of the machine that every program needs.
func (s *Sandbox) system(v *view) {
	s.programs(v)
	for _, path := range []string{"/tmp", "/var/tmp", "/run"} {
		v.put(path, entry{kind: empty})
	}
	// Name lookup needs this file, which is often a link into /run.
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && !within("/etc", real) {
		v.put(real, entry{kind: read, from: real})
	}
}

// programs shows the system's folders.
func (s *Sandbox) programs(v *view) {
	for _, path := range systemFolders {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if to, err := os.Readlink(path); err == nil {
				v.put(path, entry{kind: link, from: to})
			}
		case info.IsDir():
			v.put(path, entry{kind: read, from: path})
		}
	}
}

// tools shows the folders of PATH outside of the system's folders, each with its
// toolchain.
func (s *Sandbox) tools(v *view) {
	for _, dir := range filepath.SplitList(s.Path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if _, e, ok := v.around(dir); ok && e.kind != empty || s.tooWide(dir) || s.ours(dir) {
			continue
		}
		s.named(v, dir, read)
		if root := filepath.Dir(dir); filepath.Base(dir) == "bin" && s.toolchain(root) {
			s.named(v, root, read)
		}
	}
}

// named shows a path that the user named in PATH or a flag, both at that path and at the
// path that it leads to.
func (s *Sandbox) named(v *view, path string, k kind) {
	if real, ok := s.Leads(path); ok {
		v.put(path, entry{kind: k, from: real})
		v.put(real, entry{kind: k, from: real})
	}
}

// Leads returns where a path of the user led when it was first asked for, unless that
// place has become a link. It does not follow the path again, because an agent may have
// changed a folder on the way since.
func (s *Sandbox) Leads(path string) (real string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, known := s.leads[path]
	if !known {
		first = path
	}
	now, err := filepath.EvalSymlinks(first)
	if err != nil || known && now != first {
		return "", false
	}
	if !known {
		if s.leads == nil {
			s.leads = map[string]string{}
		}
		s.leads[path] = now
	}
	return now, true
}

// toolchain reports whether a folder contains only one program with its parts:
// ~/.nvm/versions/node/v24, but not ~/.local.
func (s *Sandbox) toolchain(root string) bool {
	return exists(filepath.Join(root, "lib")) && !s.tooWide(root) && root != filepath.Join(s.Home, ".local")
}

// tooWide reports whether the folder contains the user's home or our data.
func (s *Sandbox) tooWide(dir string) bool {
	for _, secret := range append(spellings(s.Home), spellings(s.Data)...) {
		for _, name := range spellings(dir) {
			if within(name, secret) {
				return true
			}
		}
	}
	return false
}

// ours reports whether the folder is in our data directory.
func (s *Sandbox) ours(dir string) bool {
	return slices.ContainsFunc(spellings(s.Data), func(data string) bool { return within(data, dir) })
}
