package runlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxLine is the longest line that is kept whole, in bytes.
const MaxLine = 16 << 20

// CutMark is added to the end of a line that was cut.
const CutMark = "… [cut here: the line is longer than is kept]"

// longLine is the size from which the memory of a line matters.
const longLine = 1 << 20

// ReadLines calls fn for every line of r, without its newline, until the end. A last
// line without a newline counts. A line longer than limit bytes is cut: it then ends
// with CutMark, and cut is true. The line is valid until fn returns. The end of the
// file is not an error.
func ReadLines(r io.Reader, limit int, fn func(line []byte, cut bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte // collects a line that does not fit into the reader's buffer
	held, cut := false, false
	keep := func(part []byte) {
		held = true
		if room := limit - len(long); len(part) > room {
			part, cut = part[:max(0, room)], true
		}
		if len(long)+len(part) > cap(long) && cap(long) > longLine { // the line will be very long: do not copy it any more
			long = append(make([]byte, 0, limit+len(CutMark)), long...)
		}
		long = append(long, part...)
	}
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			keep(part)
			continue
		}
		line := bytes.TrimSuffix(part, []byte{'\n'})
		if held || len(line) > limit {
			keep(line)
			if line = long; cut {
				line = append(line, CutMark...)
			}
		}
		if err == nil || held || len(line) > 0 {
			fn(line, cut)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read lines: %w", err)
		}
		if held, cut, long = false, false, long[:0]; cap(long) > longLine {
			long = nil // one long line must not occupy memory forever
		}
	}
}

// Presentable returns a line as text that can be shown. Invalid UTF-8 becomes U+FFFD,
// and NUL becomes its symbol. Other control characters stay, because the view handles
// them.
func Presentable(line []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(line), "\uFFFD"), "\x00", "␀")
}
