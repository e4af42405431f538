package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// withMarkers returns those of the files that hold a conflict's markers: its
// three lines, in their order.
func (tr *tree) withMarkers(files []string) []string {
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return nil
	}
	defer inside.Close()
	var found []string
	for _, name := range files {
		if hasMarkers(inside, filepath.FromSlash(name)) {
			found = append(found, name)
		}
	}
	return found
}

var markers = [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}

func hasMarkers(inside *os.Root, name string) bool {
	info, err := inside.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := inside.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	reader := bufio.NewReader(io.LimitReader(f, hashedWhole))
	next, begins := 0, true
	for {
		line, err := reader.ReadSlice('\n')
		if begins && bytes.HasPrefix(line, markers[next]) {
			if next++; next == len(markers) {
				return true
			}
		}
		begins = err == nil // a line too long for the reader goes on
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}
