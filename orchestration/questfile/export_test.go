package questfile

import (
	"encoding/json"

	"questboard/orchestration"
)

// RoundTrip writes a quest and reads it without any checks.
func RoundTrip(q *orchestration.Quest) (*orchestration.Quest, error) {
	data, err := json.Marshal(recordQuest(q))
	if err != nil {
		return nil, err
	}
	var r questRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return r.quest(), nil
}
