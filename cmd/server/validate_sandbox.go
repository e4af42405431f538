package main

import (
	"os"
	"path/filepath"
	"strings"
)

// validateSandbox checks what agents are to see besides: a path that cannot be
// meant would undo the sandbox without a word.
func (c Config) validateSandbox(home string, fault func(flag, format string, args ...any)) {
	check := func(flag, path string) {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case !filepath.IsAbs(path) || strings.ContainsRune(path, 0):
			fault(flag, "%q is not absolute", path)
		case err != nil:
			fault(flag, "%q does not exist", path)
		case holds(real, c.Data) || holds(c.Data, real):
			fault(flag, "%q is the data directory, holds it or is in it: no agent may see that", path)
		case holds(real, home):
			fault(flag, "%q is your home or holds it: name only what is needed", path)
		case flag == sandboxWrite && real == "/tmp":
			fault(flag, "agents have a /tmp of their own already")
		}
		for _, other := range c.SandboxWrite {
			if other != path && holds(other, real) {
				fault(flag, "%q is in %q, which agents may change: they could put a link to anything there", path, other)
			}
		}
	}
	for _, path := range c.SandboxRead {
		check(sandboxRead, path)
	}
	for _, path := range c.SandboxWrite {
		check(sandboxWrite, path)
	}
	if len(c.SandboxRead)+len(c.SandboxWrite) > 0 && !c.Sandbox {
		fault("sandbox", "it is off, so -%s and -%s mean nothing: agents see all of your files", sandboxRead, sandboxWrite)
	}
}

const (
	sandboxRead  = "sandbox-read"
	sandboxWrite = "sandbox-write"
)

// holds reports whether the folder is the path or holds it, whatever links
// lead there.
func holds(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// real is a path without links, as far as it exists.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	if parent := filepath.Dir(path); parent != path {
		if _, err := os.Lstat(path); err != nil {
			return filepath.Join(real(parent), filepath.Base(path))
		}
	}
	return filepath.Clean(path)
}
