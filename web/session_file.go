package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// sessionName is the file of the sessions within the data directory. It is not
// in the database, for a backup that is restored must not bring back what was
// logged out since.
const sessionName = "sessions.json"

// sessionFile keeps the sessions over a restart.
type sessionFile struct{ dir string }

func (f sessionFile) read() (map[string]session, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, fmt.Errorf("open the data directory: %w", err)
	}
	defer func() { _ = root.Close() }()
	text, err := root.ReadFile(sessionName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all map[string]session
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read %s: %w", sessionName, err)
	}
	return all, nil
}

// write replaces the file as a whole: a crash leaves the old one or the new.
func (f sessionFile) write(all map[string]session) error {
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write %s: %w", sessionName, err)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return fmt.Errorf("open the data directory: %w", err)
	}
	defer func() { _ = root.Close() }()
	const part = sessionName + ".part"
	file, err := root.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", sessionName, err)
	}
	return root.Rename(part, sessionName)
}
