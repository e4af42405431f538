package simulated

import (
	"fmt"
	"os"
	"path/filepath"
)

// edit writes one file below dir. os.Root refuses a path that leaves the folder, even
// through a symbolic link.
func edit(dir, path, content string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open working directory: %w", err)
	}
	defer func() { _ = root.Close() }()
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(dir, path); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if parent := filepath.Dir(path); parent != "." {
		if err := root.MkdirAll(parent, 0o755); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if err := root.WriteFile(path, []byte(content), 0o644); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
