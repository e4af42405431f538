package questfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"questboard/orchestration"
)

type document struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Quest   questRecord   `json:"quest"`
	Events  []eventRecord `json:"events"`
}

// Encode returns the quest file, indented because people read it, too. events is the
// whole history, oldest first.
func Encode(q *orchestration.Quest, events []orchestration.Event) ([]byte, error) {
	if q.Damaged() { // the file would contain the placeholder
		return nil, &orchestration.Error{Code: orchestration.CodeConflict, Message: "the quest is " + q.Wait.Reason}
	}
	doc := document{Format: Format, Version: Version, Quest: recordQuest(q),
		Events: make([]eventRecord, len(events))}
	for i, e := range events {
		doc.Events[i] = eventRecord(e)
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode quest %s: %w", q.ID, err)
	}
	return append(data, '\n'), nil
}

// Now returns a quest without its history, for another machine that works on it.
func Now(q *orchestration.Quest) ([]byte, error) {
	if q.Damaged() {
		return nil, &orchestration.Error{Code: orchestration.CodeConflict, Message: "the quest is " + q.Wait.Reason}
	}
	return json.Marshal(recordQuest(q))
}

// ReadNow reads what Now has written by the same version of this program, and checks the quest
// like Decode.
func ReadNow(data []byte) (*orchestration.Quest, error) {
	var r questRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read quest: %w", err)
	}
	q := orchestration.Restore(r.quest())
	if err := errors.Join(orchestration.Check(q), orchestration.ValidateLoaded(q)); err != nil {
		return nil, fmt.Errorf("check quest: %w", err)
	}
	return q, nil
}

// Decode reads a quest file and checks it: the quest satisfies every invariant of the
// state machine, every name in it is known, and every reference in it exists.
func Decode(data []byte) (*orchestration.Quest, []orchestration.Event, error) {
	// The head first: a newer file may have unknown fields, and its version is the
	// better reason to give.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&head); err != nil || head.Format != Format {
		return nil, nil, fmt.Errorf("this is no quest file: %q is missing at its start", Format)
	}
	if head.Version != Version {
		return nil, nil, fmt.Errorf("the quest file has version %d; this program reads %d", head.Version, Version)
	}
	var doc document
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, nil, fmt.Errorf("decode quest file: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("decode quest file: something follows the document")
	}
	if err := doc.references(); err != nil {
		return nil, nil, fmt.Errorf("check quest file: %w", err)
	}
	q := doc.Quest.quest()
	orchestration.CarryOver(q)
	q = orchestration.Restore(q)
	if err := errors.Join(orchestration.Check(q), orchestration.ValidateLoaded(q)); err != nil {
		return nil, nil, fmt.Errorf("check quest file: %w", err)
	}
	events := make([]orchestration.Event, len(doc.Events))
	for i, e := range doc.Events {
		events[i] = orchestration.Event(e)
	}
	return q, events, nil
}
