package simulated

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// memory is what a session remembers from one run to the next. As with the real CLI, a
// session can be resumed only in the same working directory, and forked in any.
type memory struct {
	Dir    string   `json:"dir"`
	Visits []string `json:"visits"` // role/step/visit, oldest first
	Cost   float64  `json:"costUsd"`
}

var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

var errUnknownSession = errors.New("no such session")

func (m *memory) file(folder, id string) (string, error) {
	if !sessionID.MatchString(id) {
		return "", fmt.Errorf("error: invalid session id %q", id)
	}
	return filepath.Join(folder, id+".json"), nil
}

// recall loads a session, or returns errUnknownSession.
func recall(folder, id string) (*memory, error) {
	m := &memory{}
	path, err := m.file(folder, id)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnknownSession
	}
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if json.Unmarshal(raw, m) != nil {
		return nil, errUnknownSession
	}
	return m, nil
}

// keep stores a session completely or not at all, because a run may be killed at any
// moment.
func (m *memory) keep(folder, id string) error {
	path, err := m.file(folder, id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make folder of sessions: %w", err)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode session: %w", err)
	}
	aside := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(aside, raw, 0o600); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	if err := os.Rename(aside, path); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}
