package present

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"questboard/orchestration"
	"questboard/views"
)

// HistoryPart says which part of a history a page has.
type HistoryPart struct {
	ByRun        bool // the events of a run's work are below one entry
	Technical    bool // the technical events are in it
	Older, Newer bool // there are older and newer events
}

// History groups events by day, newest first.
func (p *Quest) History(events []orchestration.Event, part HistoryPart) views.HistoryList {
	var list views.HistoryList
	runs := map[string][]orchestration.Event{}
	if part.ByRun {
		runs = p.WorkOf(events)
	}
	told := map[string]bool{}
	for _, e := range events {
		work := runs[e.Run]
		of := len(work) > 0 && isWork(e.Type)
		if of && told[e.Run] {
			continue
		}
		day := e.At.UTC().Format("Monday, 2 January 2006")
		if n := len(list.Days); n == 0 || list.Days[n-1].Words != day {
			list.Days = append(list.Days, views.HistoryDay{Words: day})
		}
		row := p.historyRow(e)
		if of {
			told[e.Run] = true
			row = p.runEntry(p.q.Run(e.Run), row, work, part)
		}
		last := &list.Days[len(list.Days)-1]
		last.Rows = append(last.Rows, row)
	}
	return list
}

func (p *Quest) historyRow(e orchestration.Event) views.HistoryRow {
	row := views.HistoryRow{ID: fmt.Sprintf("event-%d", e.Seq), Time: e.At.UTC().Format("15:04:05"), ISO: e.At.UTC().Format(time.RFC3339),
		Actor: actorName(e.Actor), Words: p.eventWords(e), Type: clean(string(e.Type))}
	row.Class, row.Icon = eventSign(e.Type)
	if e.Step != "" {
		row.Step = clean(e.Step)
		if s := p.q.Step(e.Step); s != nil {
			row.Step, row.StepURL = StepTitle(s), p.Site.Step(p.q.ID, e.Step)
		}
	}
	if r := p.q.Run(e.Run); r != nil {
		row.Run, row.RunURL = fmt.Sprintf("run %d", r.N+1), p.Site.StepRun(p.q.ID, r.Step, r.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Data)) {
		row.Fields = append(row.Fields, views.Pair{Name: clean(name), Value: clean(e.Data[name])})
	}
	return row
}

// Decision says in one sentence who decided what, and when.
func (p *Quest) Decision(e orchestration.Event) string {
	return "The last decision, at " + e.At.UTC().Format("15:04:05") + " UTC: " + actorName(e.Actor) + ": " +
		strings.TrimSuffix(p.eventWords(e), ".") + "."
}

func actorName(actor string) string {
	switch actor {
	case "user":
		return "You"
	case "server":
		return "Server"
	default:
		return RoleName(orchestration.Role(clean(actor)))
	}
}

// eventSign marks what succeeded, what failed and what asks the user.
func eventSign(t orchestration.EventType) (class, icon string) {
	switch t {
	case orchestration.EventStepDone, orchestration.EventWardPassed, orchestration.EventMerged, orchestration.EventQuestCompleted,
		orchestration.EventGateApproved, orchestration.EventBaselinePassed, orchestration.EventQuestDelivered,
		orchestration.EventBaselineAccepted:
		return "good", "✓"
	case orchestration.EventWardFailed, orchestration.EventStepBlocked, orchestration.EventMergeConflict, orchestration.EventMarkersLeft,
		orchestration.EventSignalRefused, orchestration.EventBaselineFailed, orchestration.EventQuestWaits, orchestration.EventQuestAbandoned,
		orchestration.EventUnreadable:
		return "bad", "✕"
	case orchestration.EventQuestionAsked, orchestration.EventGateOpened, orchestration.EventQuestWarned:
		return "ask", "?"
	case orchestration.EventSignalAccepted, orchestration.EventQuestionAnswered, orchestration.EventGateSentBack,
		orchestration.EventRunMessaged:
		return "running", "›"
	default:
		return "idle", "·"
	}
}

// HistorySteps are the steps that the filter of the history suggests.
func (p *Quest) HistorySteps() []views.Choice {
	const most = 300
	var list []views.Choice
	for _, step := range orchestration.QuestWideSteps {
		list = append(list, views.Choice{Value: step, Words: p.title(step)})
	}
	for _, s := range p.q.Steps.All() {
		if len(list) == most {
			break
		}
		list = append(list, views.Choice{Value: strings.TrimSpace(clean(s.ID)), Words: StepTitle(s)})
	}
	return list
}
