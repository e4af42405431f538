package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"questboard/agents/transcript"
	"questboard/views"
	"questboard/web/paths"
)

// rawLog, behind the id of a run, names its output as it was written.
const rawLog = "/raw"

// rawLines are rows of the lines as they were written; one that is opened is
// laid out.
func (p *Pages) rawLines(run string, from, n int) ([]json.RawMessage, int, error) {
	lines, total, err := p.Output.Page(run, from, n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read output of %s: %w", run, err)
	}
	list := make([]json.RawMessage, len(lines))
	for i, line := range lines {
		text, cut := upTo(string(line), rowText)
		row := views.LogRow{Number: from + i + 1, URL: paths.Site{}.OutputLines(run) + strconv.Itoa(from+i+1) + "?raw=1", Kind: string(transcript.KindRaw),
			Pieces: []views.Piece{{Text: clean(text)}}, More: cut || len(line) > 0 && line[0] == '{'}
		var html bytes.Buffer
		if err := views.LogRowView(row, false).Render(context.Background(), &html); err != nil {
			return nil, 0, fmt.Errorf("render line %d: %w", from+i+1, err)
		}
		if list[i], err = json.Marshal(html.String()); err != nil {
			return nil, 0, fmt.Errorf("encode line %d: %w", from+i+1, err)
		}
	}
	return list, total, nil
}
