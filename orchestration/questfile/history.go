package questfile

import (
	"time"

	"questboard/orchestration"
)

// questionRecord is orchestration.Question as written in the file.
type questionRecord struct {
	ID      string             `json:"id"`
	Run     string             `json:"run"`
	Step    string             `json:"step"`
	Role    orchestration.Role `json:"role"`
	Text    string             `json:"question"`
	Context string             `json:"context"`
	Wall    orchestration.Wall `json:"wall,omitempty"`
	AskedAt time.Time          `json:"askedAt"`

	Calls  []orchestration.Call `json:"calls,omitempty"`
	Reason string               `json:"reason,omitempty"`

	Answer     string    `json:"answer,omitempty"`
	AnsweredBy string    `json:"answeredBy,omitempty"`
	AnsweredAt time.Time `json:"answeredAt,omitzero"`

	Closed string `json:"closed,omitempty"`
}

// eventRecord is orchestration.Event as written in the file.
type eventRecord struct {
	Seq   int64                   `json:"seq"`
	At    time.Time               `json:"at"`
	Actor string                  `json:"actor"`
	Type  orchestration.EventType `json:"type"`
	Step  string                  `json:"step,omitempty"`
	Run   string                  `json:"run,omitempty"`
	Data  map[string]string       `json:"data,omitempty"`
}
