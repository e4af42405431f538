package ward

import (
	"bytes"
	"encoding/json"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
)

// record writes the command into the run's output, as lines of JSON like those
// of an agent. A disk that refuses them does not end the command.
type record struct {
	kind string // the lines' type: "ward" or "setup"
	out  *runlog.Writer
}

// entry is one line. Fields that a kind of line does not have are left out.
type entry struct {
	Type     string  `json:"type"`
	Subtype  string  `json:"subtype,omitempty"`
	Stream   string  `json:"stream,omitempty"`
	Text     *string `json:"text,omitempty"`
	More     bool    `json:"more,omitempty"` // the line goes on in the next entry
	Command  *string `json:"command,omitempty"`
	Dir      string  `json:"cwd,omitempty"`
	ExitCode *int    `json:"exit_code,omitempty"`
	Millis   *int64  `json:"duration_ms,omitempty"`
	Why      string  `json:"why,omitempty"`
	Reused   bool    `json:"reused,omitempty"`
	None     bool    `json:"none,omitempty"` // there is no check command
}

func (r record) write(e entry) {
	e.Type = r.kind
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // for those who read the file; views escape anyway
	if err := enc.Encode(e); err != nil {
		return // strings and numbers always encode
	}
	_ = r.out.Append(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}

func (r record) start(command, dir string) {
	r.write(entry{Subtype: "start", Command: &command, Dir: dir})
}

func (r record) note(text string) { r.write(entry{Subtype: "note", Text: &text}) }

// piece is the most of a line that goes into one entry: even with every byte
// escaped the entry is shorter than runlog.MaxLine.
const piece = 2 << 20

func (r record) output(line []byte) {
	for {
		part := line[:min(len(line), piece)]
		line = line[len(part):]
		text := string(part) // invalid UTF-8 becomes U+FFFD in JSON
		r.write(entry{Stream: "output", Text: &text, More: len(line) > 0})
		if len(line) == 0 {
			return
		}
	}
}

func (r record) end(exit orchestration.Exit, took time.Duration) {
	millis := took.Milliseconds()
	r.write(entry{Subtype: "end", ExitCode: &exit.Code, Millis: &millis, Why: exit.Why, Reused: exit.Reused, None: exit.NoCheck})
}
