package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// sessionName is the file of the sessions in the data directory. They are not in the
// database, because restoring a backup must not bring back sessions that were closed
// since.
const sessionName = "sessions.json"

// sessionFile stores the sessions for the next start of the server.
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

// write replaces the whole file. After a crash there is either the old file or the new
// one.
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
