package runlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Size returns how many bytes of output the run has, with what is not written yet.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Of lists the runs of a quest that have output.
func (l *Logs) Of(quest string) (runs []string, err error) {
	entries, err := fs.ReadDir(l.root.FS(), ".")
	for _, e := range entries {
		if rest, is := strings.CutPrefix(e.Name(), quest+"-r"); is && e.IsDir() && strings.Trim(rest, "0123456789") == "" {
			runs = append(runs, e.Name())
		}
	}
	return runs, err
}

// besides are the files that another machine may send with a run's output.
var besides = []string{stderrName, promptName}

// besideMost is how much of each is sent.
const besideMost = 4 << 20

// Files returns what a run has beside its output, by name, for another machine.
func (l *Logs) Files(run string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range besides {
		f, err := l.open(run, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(f, besideMost))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read what is beside the output of %s: %w", run, err)
		}
		files[name] = text
	}
	return files, nil
}

// KeepFiles stores what another machine has sent. It refuses other names.
func (l *Logs) KeepFiles(run string, files map[string][]byte) error {
	if err := check(run); err != nil {
		return err
	}
	for name, text := range files {
		if !slices.Contains(besides, name) {
			return fmt.Errorf("keep %.40q beside the output of %s: %w", name, run, fs.ErrInvalid)
		}
		if err := l.root.MkdirAll(run, 0o700); err != nil {
			return fmt.Errorf("keep what is beside the output of %s: %w", run, err)
		}
		f, err := l.root.OpenFile(filepath.Join(run, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|nonblock, 0o600)
		if err == nil {
			_, err = f.Write(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return fmt.Errorf("keep what is beside the output of %s: %w", run, err)
		}
	}
	return nil
}
