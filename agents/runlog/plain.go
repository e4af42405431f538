package runlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const plainName = "output.txt"

// PlainText returns the path of the run's output as plain text, for agents that read it
// themselves. write makes the text from the raw output, once; a run that is still writing
// has none.
func (l *Logs) PlainText(run string, write func(to io.Writer, from io.Reader) error) (string, error) {
	if err := check(run); err != nil {
		return "", err
	}
	if l.Live(run) {
		return "", fmt.Errorf("make plain text of %s: %w", run, ErrLive)
	}
	l.plain.Lock()
	defer l.plain.Unlock()
	path := filepath.Join(l.dir, run, plainName)
	if f, err := l.open(run, plainName); err == nil {
		return path, f.Close()
	}
	name := filepath.Join(run, plainName)
	part := name + ".part"
	err := l.writePlain(run, part, write)
	if err == nil {
		err = l.root.Rename(part, name)
	}
	if err != nil {
		_ = l.root.Remove(part)
		return "", fmt.Errorf("make plain text of %s: %w", run, err)
	}
	return path, nil
}

func (l *Logs) writePlain(run, part string, write func(to io.Writer, from io.Reader) error) error {
	raw, err := l.Raw(run)
	if err != nil {
		return err
	}
	defer raw.Close()
	_ = l.root.Remove(part) // whatever it is: a server that died left it
	f, err := l.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nonblock, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f, raw), f.Close())
}
