package session

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is the longest line that is read as one. What is longer is cut here
// for the parser alone; the log keeps what it keeps.
const maxLine = 16 << 20

// eachLine calls fn with every line, without its end, half a line at the end
// included. The slice is valid only during the call.
func eachLine(r io.Reader, fn func(line []byte)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte // a line that did not fit the buffer
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = grow(long, part)
			continue
		}
		line := part
		if len(long) > 0 {
			long = grow(long, part)
			line = long
		}
		if len(line) > 0 {
			fn(trimEnd(line))
		}
		if long = long[:0]; cap(long) > 1<<20 {
			long = nil // one huge line must not hold its memory for the whole run
		}
		if err != nil {
			return
		}
	}
}

func grow(long, part []byte) []byte {
	return append(long, part[:min(len(part), maxLine-len(long))]...)
}

func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}
