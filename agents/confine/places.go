package confine

import (
	"os"
	"path/filepath"
)

// systemFolders hold programs and their settings; of them a machine has some.
// Sockets, logs, mounted disks and the homes of others lie elsewhere.
var systemFolders = [...]string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap",
}

// system shows what every program needs of the machine.
func (s *Sandbox) system(v *view) {
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
	for _, path := range []string{"/tmp", "/var/tmp", "/run"} {
		v.put(path, entry{kind: empty})
	}
	// Names are looked up as this file says; it often leads into /run.
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && !within("/etc", real) {
		v.put(real, entry{kind: read, from: real})
	}
}

// tools shows the folders of PATH that are elsewhere, each with the toolchain
// that it belongs to.
func (s *Sandbox) tools(v *view) {
	for _, dir := range filepath.SplitList(s.Path) {
		if !filepath.IsAbs(dir) || s.tooWide(dir) || within(s.Data, dir) {
			continue
		}
		if _, e, ok := v.around(dir); ok && e.kind != empty {
			continue
		}
		v.see(dir, read)
		if root := filepath.Dir(dir); filepath.Base(dir) == "bin" && s.toolchain(root) {
			v.see(root, read)
		}
	}
}

// toolchain reports whether a folder is nothing but one program with what
// belongs to it: ~/.nvm/versions/node/v24, not ~/.local.
func (s *Sandbox) toolchain(root string) bool {
	return exists(filepath.Join(root, "lib")) && !s.tooWide(root) && root != filepath.Join(s.Home, ".local")
}

// tooWide: the folder holds the user's home or our data.
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
