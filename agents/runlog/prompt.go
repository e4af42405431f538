package runlog

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const promptName = "prompt.json.gz"

// promptMax limits a prompt that is read, expanded. What we write is far smaller; a file
// that something else put there may expand to anything.
const promptMax = 64 << 20

// Prompt is what an agent was told when its run started.
type Prompt struct {
	// System is what we added to the system prompt of the agent's program; may be empty.
	System string `json:"system"`
	// Message is what the agent got on standard input.
	Message string `json:"message"`
	// BuiltIn is the message as it would have been with the built-in text of the role;
	// empty: it is the same.
	BuiltIn string `json:"builtIn,omitempty"`
}

// promptLine stands between the system part and the message.
var promptLine = strings.Repeat("-", 72)

// Text returns the system part, a line of dashes, and the message.
func (p Prompt) Text() string {
	system := p.System
	if system != "" && !strings.HasSuffix(system, "\n") {
		system += "\n"
	}
	return system + promptLine + "\n" + p.Message
}

// KeepPrompt stores the prompt of a run, compressed. An earlier one, of a start that did
// not succeed, is replaced as a whole.
func (l *Logs) KeepPrompt(run string, p Prompt) error {
	if err := check(run); err != nil {
		return err
	}
	name := filepath.Join(run, promptName)
	part := name + ".part"
	err := l.root.MkdirAll(run, 0o700)
	if err == nil {
		err = l.writePrompt(part, p)
	}
	if err == nil {
		err = l.root.Rename(part, name)
	}
	if err != nil {
		_ = l.root.Remove(part)
		return fmt.Errorf("keep prompt of %s: %w", run, err)
	}
	return nil
}

func (l *Logs) writePrompt(name string, p Prompt) error {
	_ = l.root.Remove(name) // whatever it is: a server that died left it
	f, err := l.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nonblock, 0o600)
	if err != nil {
		return err
	}
	small := gzip.NewWriter(f)
	return errors.Join(json.NewEncoder(small).Encode(p), small.Close(), f.Close())
}

// DropPrompt removes the prompt of a run whose process could not be started: nobody
// received it.
func (l *Logs) DropPrompt(run string) error {
	if err := check(run); err != nil {
		return err
	}
	if err := l.root.Remove(filepath.Join(run, promptName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("drop prompt of %s: %w", run, err)
	}
	return nil
}

// Prompt returns the prompt of a run. fs.ErrNotExist: none was kept. Any other error: the
// file is damaged or cannot be read.
func (l *Logs) Prompt(run string) (Prompt, error) {
	f, err := l.open(run, promptName)
	if err != nil {
		return Prompt{}, err
	}
	defer f.Close()
	var p Prompt
	whole, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(io.LimitReader(whole, promptMax)).Decode(&p)
	}
	if err != nil {
		return Prompt{}, fmt.Errorf("read prompt of %s: %w", run, err)
	}
	return p, nil
}
