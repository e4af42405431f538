package ward

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"questboard/agents/runlog"
)

// plainMax is the most that PlainText writes, in bytes.
const plainMax = 64 << 20

const plainCut = "[cut here: the output is longer]\n"

// PlainText writes what a check printed, as it printed it but for colours. It reads the
// record of the check's run.
func PlainText(to io.Writer, from io.Reader) error {
	out := bufio.NewWriter(to)
	left := plainMax
	err := runlog.ReadLines(from, runlog.MaxLine, func(line []byte, _ bool) {
		var e entry
		if json.Unmarshal(line, &e) != nil || e.Stream == "" || e.Text == nil || left <= 0 {
			return
		}
		text := plain(runlog.Presentable([]byte(*e.Text)))
		if !e.More {
			text += "\n"
		}
		if left -= len(text); left <= 0 {
			text = plainCut
		}
		_, _ = out.WriteString(text) // Flush tells
	})
	if failed := out.Flush(); failed != nil {
		return failed
	}
	return err
}

// The limits of LeftOut.
const (
	maxLeftOut = 20
	leftOutMax = 300 // bytes of a line
)

// LeftOut returns the lines of a check's plain output that say which tests were left out,
// with the reasons that they give.
func LeftOut(output io.Reader) ([]string, error) {
	var found []string
	waits := "" // go test tells the reason in the next line
	err := runlog.ReadLines(output, runlog.MaxLine, func(raw []byte, _ bool) {
		if len(found) == maxLeftOut {
			return
		}
		line := strings.TrimSpace(visible(string(raw[:min(len(raw), lookedAt)])))
		if waits != "" {
			if why := goReason.FindStringSubmatch(line); why != nil {
				found = append(found, shortened(waits+": "+why[1]))
			}
			waits = ""
		}
		switch {
		case goSkip.MatchString(line):
			waits = goSkip.FindStringSubmatch(line)[1]
		case skips.MatchString(line):
			found = append(found, shortened(line))
		}
	})
	return found, err
}

func shortened(line string) string {
	if len(line) > leftOutMax {
		return strings.ToValidUTF8(line[:leftOutMax], "") + "…"
	}
	return line
}

var (
	goSkip   = regexp.MustCompile(`^--- SKIP: (\S+)`)
	goReason = regexp.MustCompile(`^\S+\.go:\d+: (.*\S)`)
	// skips matches the lines of pytest -rs, unittest -v, TAP and cargo that say why.
	skips = regexp.MustCompile(`^SKIPPED \[\d+\] \S+: \S|\.\.\. skipped ['"]\S|^(?:not )?ok\b.* # (?i:skip)\S* +\S|^test \S+ \.\.\. ignored, \S`)
)
