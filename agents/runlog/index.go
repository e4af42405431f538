package runlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// entrySize is the size of an index entry: the big-endian offset of a line's end,
// including the newline.
const entrySize = 8

// repair makes the index fit the data. It removes incomplete entries and entries that
// point nowhere, and adds missing ones. A last line without a newline (a crash) counts
// as a line. It returns the number of lines and bytes.
func repair(data, index *os.File) (lines, size int64, err error) {
	size, err = sizeOf(data)
	if err != nil {
		return 0, 0, err
	}
	indexSize, err := sizeOf(index)
	if err != nil {
		return 0, 0, err
	}
	lines = indexSize / entrySize
	var last int64
	if lines > 0 {
		if last, err = entry(index, lines-1); err != nil {
			return 0, 0, err
		}
	}
	if last == size && indexSize%entrySize == 0 {
		return lines, size, nil
	}
	// The entries are trusted if the last one ends where a line ends.
	if last > size || last < 0 || (last > 0 && !newlineBefore(data, last)) {
		lines, last = 0, 0
	}
	lines, err = extend(data, index, lines, last)
	return lines, size, err
}

// extend indexes all lines from offset, as entries from number lines.
func extend(data, index *os.File, lines, offset int64) (int64, error) {
	if err := index.Truncate(lines * entrySize); err != nil {
		return 0, fmt.Errorf("truncate index: %w", err)
	}
	out := bufio.NewWriterSize(io.NewOffsetWriter(index, lines*entrySize), 64<<10)
	in := bufio.NewReaderSize(io.NewSectionReader(data, offset, 1<<62), 256<<10)
	pending := false // bytes since the last newline
	for {
		part, err := in.ReadSlice('\n')
		offset += int64(len(part))
		switch {
		case err == nil:
			pending = false
		case errors.Is(err, bufio.ErrBufferFull):
			pending = true
			continue
		case errors.Is(err, io.EOF):
			if pending = pending || len(part) > 0; !pending {
				return lines, out.Flush()
			}
		default:
			return 0, fmt.Errorf("index output: %w", err)
		}
		lines++
		if _, werr := out.Write(binary.BigEndian.AppendUint64(nil, uint64(offset))); werr != nil {
			return 0, fmt.Errorf("write index: %w", werr)
		}
		if err != nil {
			return lines, out.Flush()
		}
	}
}

// entry returns the end of line i.
func entry(index io.ReaderAt, i int64) (int64, error) {
	var b [entrySize]byte
	if _, err := index.ReadAt(b[:], i*entrySize); err != nil {
		return 0, fmt.Errorf("read index: %w", err)
	}
	return int64(binary.BigEndian.Uint64(b[:])), nil
}

func newlineBefore(data io.ReaderAt, offset int64) bool {
	var b [1]byte
	_, err := data.ReadAt(b[:], offset-1)
	return err == nil && b[0] == '\n'
}

// torn reports whether the last line has no newline.
func torn(data io.ReaderAt, size int64) bool { return size > 0 && !newlineBefore(data, size) }

func sizeOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("stat output: %w", err)
	}
	return info.Size(), nil
}
