package runlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// PageBytes limits the memory of one page. If lines are long, a page has fewer lines
// than requested, but at least one.
const PageBytes = 8 << 20

// Page returns up to n lines from line number from (the first is 0), without their
// newlines, and the number of lines. Beyond the end there are no lines. The next page
// begins at from + len(lines). fs.ErrNotExist: the run has printed nothing yet.
func (l *Logs) Page(run string, from, n int) (lines [][]byte, total int, err error) {
	data, err := l.open(run, outputName)
	if err != nil {
		return nil, 0, err
	}
	defer data.Close()
	lines, total, err = l.page(run, data, from, n)
	if errors.Is(err, errIndex) { // damaged in the middle: rebuild it once
		if err = l.reindex(run, data); err == nil {
			lines, total, err = l.page(run, data, from, n)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("page of %s: %w", run, err)
	}
	return lines, total, nil
}

var errIndex = errors.New("index does not fit the output")

func (l *Logs) page(run string, data *os.File, from, n int) ([][]byte, int, error) {
	index, total, err := l.index(run, data)
	if err != nil {
		return nil, 0, err
	}
	defer index.Close()
	from, n = max(0, from), min(n, int(total)-max(0, from))
	if n <= 0 {
		return nil, int(total), nil
	}
	ends, err := readEnds(index, int64(from), n)
	if err != nil {
		return nil, 0, err
	}
	return readLines(data, ends, int(total))
}

// readEnds returns n+1 offsets: where line from begins, and where each line ends.
func readEnds(index *os.File, from int64, n int) ([]int64, error) {
	ends := make([]int64, 1, n+1)
	skip := int64(1)
	if from == 0 {
		skip = 0 // the first line begins at 0 and needs no entry
	}
	raw := make([]byte, (int64(n)+skip)*entrySize)
	if _, err := index.ReadAt(raw, (from-skip)*entrySize); err != nil {
		return nil, fmt.Errorf("%w: %w", errIndex, err)
	}
	if skip == 1 {
		ends[0] = int64(binary.BigEndian.Uint64(raw))
		raw = raw[entrySize:]
	}
	for ; len(raw) > 0; raw = raw[entrySize:] {
		ends = append(ends, int64(binary.BigEndian.Uint64(raw)))
	}
	return ends, nil
}

// readLines reads the lines between the offsets with a single read.
func readLines(data *os.File, ends []int64, total int) ([][]byte, int, error) {
	start := ends[0]
	for i := 1; i < len(ends); i++ {
		if ends[i] <= ends[i-1] || start < 0 {
			return nil, 0, errIndex
		}
		if i > 1 && ends[i]-start > PageBytes {
			ends = ends[:i]
			break
		}
	}
	size, err := sizeOf(data)
	if err != nil || ends[len(ends)-1] > size {
		return nil, 0, errIndex
	}
	raw := make([]byte, ends[len(ends)-1]-start)
	if _, err := data.ReadAt(raw, start); err != nil {
		return nil, 0, fmt.Errorf("read output: %w", err)
	}
	lines := make([][]byte, 0, len(ends)-1)
	for i := 1; i < len(ends); i++ {
		from, to := ends[i-1]-start, ends[i]-start
		line := raw[from:to:to]
		if trimmed := bytes.TrimSuffix(line, []byte{'\n'}); len(trimmed) < len(line) {
			line = trimmed
		} else if ends[i] != size {
			return nil, 0, errIndex // only the last line may lack its newline
		}
		lines = append(lines, line)
	}
	return lines, total, nil
}

// index opens the run's index and repairs it if needed. The index of a run that is
// writing may be briefly behind its data; that is no fault.
func (l *Logs) index(run string, data *os.File) (*os.File, int64, error) {
	l.repairs.Lock()
	defer l.repairs.Unlock()
	l.mu.Lock()
	live := l.live[run]
	l.mu.Unlock()
	if live != nil {
		lines := live.visible()
		f, err := l.open(run, indexName)
		return f, lines, err
	}
	f, err := l.root.OpenFile(filepath.Join(run, indexName), os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open index: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(fmt.Errorf("open index: %w", fs.ErrInvalid), f.Close())
	}
	lines, _, err := repair(data, f)
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, lines, nil
}

// reindex rebuilds the whole index. If the run is writing, only something outside can
// have damaged the index, and it is repaired when the run is over.
func (l *Logs) reindex(run string, data *os.File) error {
	l.repairs.Lock()
	defer l.repairs.Unlock()
	if l.Live(run) {
		return errIndex
	}
	f, err := l.root.OpenFile(filepath.Join(run, indexName), os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	defer f.Close()
	_, err = extend(data, f, 0, 0)
	return err
}
