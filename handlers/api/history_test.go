package api_test

import (
	"net/http"
	"testing"

	"questboard/orchestration/questfile"
)

func TestTheHistoryIsPagedBySeq(t *testing.T) {
	t.Parallel()
	s := asking(t)
	whole := s.get("/quests/q01/events").want(http.StatusOK)
	total := len(whole["events"].([]any))
	if total < 4 || whole["last"] != float64(total) {
		t.Fatalf("%d entries, last %v", total, whole["last"])
	}
	after, seen := 0.0, 0
	for {
		page := s.get("/quests/q01/events?n=3&after=" + jsonNumber(after)).want(http.StatusOK)
		entries := page["events"].([]any)
		for _, e := range entries {
			if seen++; e.(object)["seq"] != float64(seen) {
				t.Fatalf("entry %d has seq %v", seen, e.(object)["seq"])
			}
		}
		if page["last"].(float64) < after {
			t.Fatalf("last went back to %v", page["last"])
		}
		if after = page["last"].(float64); len(entries) == 0 {
			break
		}
	}
	if seen != total {
		t.Errorf("%d entries by pages; want %d", seen, total)
	}
	for query, want := range map[string]int{"?type=question.asked": 1, "?step=requirements&type=quest.created": 0, "?step=none": 0, "?actor=user&type=quest.created": 1} {
		if got := len(s.get("/quests/q01/events" + query).want(http.StatusOK)["events"].([]any)); got != want {
			t.Errorf("%s: %d entries, want %d", query, got, want)
		}
	}
	for _, query := range []string{"?after=-1", "?after=x", "?n=0"} {
		s.get("/quests/q01/events" + query).want(http.StatusUnprocessableEntity)
	}
}

func jsonNumber(v float64) string { return string(rune('0'+int(v)/10)) + string(rune('0'+int(v)%10)) }

func TestTheExportIsAQuestFile(t *testing.T) {
	t.Parallel()
	s := asking(t)
	a := s.get("/quests/q01/export")
	a.want(http.StatusOK)
	q, events, err := questfile.Decode([]byte(a.text))
	if err != nil {
		t.Fatal(err)
	}
	if q.ID != "q01" || int64(len(events)) != q.Seq || q.Questions.Len() != 1 {
		t.Errorf("quest %s, %d entries of %d", q.ID, len(events), q.Seq)
	}
}
