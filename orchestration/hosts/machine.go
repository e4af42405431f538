package hosts

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// workerFile is the file with the name of a worker, in its data directory.
const workerFile = "worker.id"

// WorkerName returns the name of a worker's data directory, which it gets at the first start. Two
// workers with one key are told apart by it.
func WorkerName(data string) (string, error) {
	folder, err := os.OpenRoot(data)
	if err != nil {
		return "", fmt.Errorf("open the data directory: %w", err)
	}
	defer folder.Close()
	text, err := folder.ReadFile(workerFile)
	if err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the worker's name: %w", err)
	}
	name := rand.Text()
	if err := folder.WriteFile(workerFile, []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the worker's name: %w", err)
	}
	return name, nil
}

// Load returns the load of the last minute for each core; 0: unknown.
func Load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return n / float64(runtime.NumCPU())
}
