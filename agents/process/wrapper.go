package process

import (
	"bytes"
	"io"
	"os"
)

// wrapper is bubblewrap around the program: a process that prepares the sandbox, starts
// the program in it and repeats its exit code. On a pipe of its own it reports whether
// the program started.
type wrapper struct{ ours, theirs *os.File }

// wrapperFD is the number of that pipe in the wrapper, which closes it before it starts
// the program.
const wrapperFD = "3"

func newWrapper() (*wrapper, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &wrapper{ours: r, theirs: w}, nil
}

// argv returns the command line. The first n words are the wrapper's own.
func (w *wrapper) argv(words []string, n int) []string {
	argv := []string{words[0], "--json-status-fd", wrapperFD}
	argv = append(argv, words[1:n]...)
	return append(append(argv, "--"), words[n:]...)
}

func (w *wrapper) fd() uintptr { return w.theirs.Fd() }

func (w *wrapper) closeTheirs() { _ = w.theirs.Close() }

// ran reports whether the program was started. Call it when the wrapper is gone: it
// reports an exit code only if the program ran.
func (w *wrapper) ran() bool {
	said, _ := io.ReadAll(io.LimitReader(w.ours, 64<<10))
	_ = w.ours.Close()
	return bytes.Contains(said, []byte(`"exit-code"`))
}
