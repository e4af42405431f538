package e2etest

import (
	"io/fs"
	"os"
	"syscall"
)

// WriteProgram writes a file that will be executed. It prevents this process from
// starting another one at the same time: the new process would hold the file open for
// writing for a moment, and the system refuses to execute such a file.
func WriteProgram(path string, text []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, mode)
}
