package workspace

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// openPlain opens a file of git's or of a tree for reading. Agents can put
// anything in its place: a pipe would hold us, a link would lead us elsewhere.
func openPlain(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a plain file", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readPlain reads such a file, the first MiB of it: what git and people write
// there is a few lines.
func readPlain(name string) ([]byte, error) {
	f, err := openPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// readAtMost reads a file whole, and refuses one that is larger.
func readAtMost(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it is larger than %d KiB", most>>10)
	}
	return text, err
}
