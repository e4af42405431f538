package api

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// Metrics answers in Prometheus's text format 0.0.4, written by hand: a few
// numbers are no reason for a client library. All are read from the quests, so
// they survive a restart and can fall when a quest is deleted: gauges.
func Metrics(quests Quests, refused func() map[string]int64, backups Backups) echo.HandlerFunc {
	return func(c echo.Context) error {
		active := quests.Active() // first: what ends meanwhile is counted twice, not left out
		over, err := quests.Tally(c.Request().Context())
		if err != nil {
			return WriteError(c, err)
		}
		var m metrics
		m.quests(active, over, quests.Slots(), quests.Holds())
		m.refused(refused())
		m.backups(backups.Newest())
		m.process()
		return c.Blob(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(m.String()))
	}
}

// Backups knows the newest backup, and why the attempt after it failed.
type Backups interface {
	Newest() (at time.Time, fault error)
}

type metrics struct{ strings.Builder }

func (m *metrics) gauge(name, help string) {
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

func (m *metrics) one(name, help string, v any) {
	m.gauge(name, help)
	fmt.Fprintf(m, "%s %v\n", name, v)
}

var (
	statuses = []orchestration.Status{orchestration.StatusRunning, orchestration.StatusWaiting,
		orchestration.StatusPaused, orchestration.StatusComplete, orchestration.StatusAbandoned}
	outcomes = []orchestration.Outcome{orchestration.OutcomeSignalled, orchestration.OutcomeCrashed,
		orchestration.OutcomeStuck, orchestration.OutcomeStopped, orchestration.OutcomeInterrupted,
		orchestration.OutcomeFailed}
)

func (m *metrics) quests(active []*orchestration.Quest, over orchestration.Tally, slots int, holds []orchestration.AccountHold) {
	byStatus := map[orchestration.Status]int{orchestration.StatusComplete: over.Complete, orchestration.StatusAbandoned: over.Abandoned}
	byOutcome := maps.Clone(over.Outcomes)
	live, queued, open, cost := 0, 0, 0, over.CostUSD
	for _, q := range active {
		byStatus[q.Status(holds)]++
		queued += waiting(q)
		cost += q.CostUSD
		for _, r := range q.Runs.All() {
			if r.Live() {
				live++
			}
			byOutcome[r.Outcome]++
		}
		for _, ask := range q.Questions.All() {
			if ask.Open() {
				open++
			}
		}
	}
	m.one("questboard_slots", "Runs that may be live at once.", slots)
	m.one("questboard_runs_live", "Runs that have a process, or are getting one.", live)
	m.one("questboard_runs_queued", "Runs and ready steps that wait for a slot.", queued)
	m.one("questboard_questions_open", "Questions that wait for the user.", open)
	m.one("questboard_cost_usd", "What the agents of all quests have cost.", cost)
	m.one("questboard_account_holds", "Holds that keep one kind of agent from starting.", len(holds))
	m.gauge("questboard_quests", "Quests by status.")
	for _, s := range statuses {
		fmt.Fprintf(m, "questboard_quests{status=%q} %d\n", s, byStatus[s])
	}
	m.gauge("questboard_runs_ended", "Ended runs by outcome.")
	for _, o := range outcomes {
		fmt.Fprintf(m, "questboard_runs_ended{outcome=%q} %d\n", o, byOutcome[o])
	}
}

func (m *metrics) refused(counts map[string]int64) {
	const name = "questboard_refused_total"
	fmt.Fprintf(m, "# HELP %s Requests that were refused before they reached a handler, since the start.\n# TYPE %s counter\n", name, name)
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(m, "%s{reason=%q} %d\n", name, reason, counts[reason])
	}
}

// backups has no age where there is no backup.
func (m *metrics) backups(newest time.Time, fault error) {
	failing := 0
	if fault != nil {
		failing = 1
	}
	m.one("questboard_backup_failing", "Whether the last attempt at a backup failed.", failing)
	if !newest.IsZero() {
		m.one("questboard_backup_age_seconds", "Age of the newest backup of the database.", int64(max(time.Since(newest), 0).Seconds()))
	}
}

func (m *metrics) process() {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	m.one("go_goroutines", "Goroutines that exist.", runtime.NumGoroutine())
	m.one("go_memstats_heap_alloc_bytes", "Heap bytes in use.", mem.HeapAlloc)
	m.one("go_memstats_sys_bytes", "Bytes taken from the system.", mem.Sys)
}
