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

// CutMark stands at the end of a line that was cut.
const CutMark = "… [cut here: the line is longer than is kept]"

// longLine is how much a line may have before its memory is worth a thought.
const longLine = 1 << 20

// ReadLines calls fn for every line of r, without its newline, until the end.
// A last line without a newline is a line. What a line has beyond limit bytes
// is dropped: it then ends with CutMark and cut is true. The line is valid
// until fn returns. An end of file is no error.
func ReadLines(r io.Reader, limit int, fn func(line []byte, cut bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte // a line that does not fit into the reader's buffer
	held, cut := false, false
	keep := func(part []byte) {
		held = true
		if room := limit - len(long); len(part) > room {
			part, cut = part[:max(0, room)], true
		}
		if len(long)+len(part) > cap(long) && cap(long) > longLine { // it will be very long: no copy of it any more
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
			long = nil // one long line must not cost memory for ever
		}
	}
}

// Presentable returns a line as text that can be shown: what is no UTF-8
// becomes U+FFFD, and NUL becomes its symbol. Other control characters stay:
// what they mean is the view's business.
func Presentable(line []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(line), "\uFFFD"), "\x00", "␀")
}
