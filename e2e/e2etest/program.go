package e2etest

import (
	"io/fs"
	"os"
	"syscall"
)

// WriteProgram writes a file that is to be executed. Nothing is started meanwhile: a
// process that has not begun yet would hold the file open for writing, and the system
// refuses to execute such a file.
func WriteProgram(path string, text []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, mode)
}
