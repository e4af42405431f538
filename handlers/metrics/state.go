package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"questboard/orchestration"
)

// Quests is the part of the engine that is read at each scrape.
type Quests interface {
	Active() []*orchestration.Quest
	Tally(ctx context.Context) (orchestration.Tally, error)
	Slots() int
	Checks() int
	Holds() []orchestration.AccountHold
	Ledger() orchestration.Ledger
	SharedBudgets() []orchestration.SharedBudget
}

// Sources are the functions that a scrape calls for current values.
type Sources struct {
	Quests Quests
	Clock  func() time.Time
	// Refused returns the number of refused requests by reason.
	Refused func() map[string]int64
	// Sockets returns how many sockets are open, and how many bytes wait to be sent.
	Sockets func() (open int, backlog int64)
	// Lines returns how many lines of output were written to disk since the start, and
	// how long the oldest unwritten line has waited.
	Lines func() (kept int64, lag time.Duration)
	// Database returns the size of the database in bytes.
	Database func() (int64, error)
	// Backup returns the time of the newest backup, or zero if there is none, and the
	// error of the latest attempt.
	Backup func() (time.Time, error)
	// Hosts returns the machines that may work for this server.
	Hosts func() []Host
	// ReadOnly reports whether the server cannot store anything now.
	ReadOnly func() bool
}

// Host is another machine that may work for this server.
type Host struct {
	Name                  string
	Up                    bool
	Slots, Agents, Checks int // Checks are at work
	Load                  float64
	Free                  int64 // bytes
}

// tallyTime is how long a scrape waits for the database at most.
const tallyTime = 5 * time.Second

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("questboard_"+name, help, labels, nil)
}

// These are gauges and not counters, because they survive a restart and fall when a quest
// is deleted.
var (
	slots     = desc("slots", "Agents that may be at work at once.")
	running   = desc("runs_live", "Runs of agents that have a process, or are getting one.")
	queued    = desc("runs_queued", "Runs of agents and ready steps that wait for a slot.")
	oldest    = desc("queue_oldest_seconds", "How long the one of them has waited that has waited longest.")
	checks    = desc("checks", "Checks that may run at once, without a slot.")
	checking  = desc("checks_live", "Checks that have a process, or are getting one.")
	unchecked = desc("checks_queued", "Checks that wait.")
	questions = desc("questions_open", "Questions that wait for the user.")
	costs     = desc("cost_usd", "What the agents of all quests have cost.")
	budgets   = desc("budget", "Budgets that all quests share, of a day and of the server; missing where there is none.", "of", "measure")
	used      = desc("used", "What agents have used today and in all, by measure: usd, tokens, hours.", "of", "measure")
	holds     = desc("account_holds", "Holds that keep one kind of agent from starting.")
	quests    = desc("quests", "Quests by status.", "status")
	ends      = desc("runs_ended", "Ended runs by outcome.", "outcome")
	refusals  = desc("refused_total", "Requests that were refused before they reached a handler, since the start.", "reason")
	sockets   = desc("sockets_open", "Sockets of tabs that are open.")
	backlog   = desc("sockets_backlog_bytes", "Frames that sockets have not taken yet.")
	lines     = desc("log_lines_total", "Lines of runs that are on disk, since the start.")
	lag       = desc("log_lag_seconds", "How long the oldest line has waited that is not on disk yet.")
	database  = desc("database_bytes", "Size of the database with its log.")
	failing   = desc("backup_failing", "Whether the last attempt at a backup failed.")
	backupAge = desc("backup_age_seconds", "Age of the newest backup of the database; missing where there is none.")
	hostUp    = desc("host_up", "Whether a host is connected.", "host")
	hostSlots = desc("host_slots", "Agents that may be at work at once on a host.", "host")
	hostRuns  = desc("host_runs_live", "Runs of agents on a host.", "host")
	hostWards = desc("host_checks_live", "Checks at work on a host.", "host")
	hostLoad  = desc("host_load", "Load of the last minute on a host, for each core.", "host")
	hostFree  = desc("host_free_bytes", "Bytes left on the disk of a host.", "host")
	readOnly  = desc("read_only", "Whether the disk refuses what is to be stored, so that no run starts.")
)

// Read adds the current values to the metrics. Call it once.
func (m *Metrics) Read(s Sources) { m.registry.MustRegister(state{s}) }

// state is the collector of the current values.
type state struct{ Sources }

// Describe implements prometheus.Collector.
func (s state) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{slots, running, queued, oldest, checks, checking, unchecked, questions, costs, budgets, used, holds,
		quests, ends, refusals, sockets, backlog, lines, lag, database, failing, backupAge, readOnly, hostUp, hostSlots, hostRuns, hostWards,
		hostLoad, hostFree} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s state) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	s.collectQuests(gauge, func(err error) { out <- prometheus.NewInvalidMetric(quests, err) })
	for reason, n := range s.Refused() {
		count(refusals, float64(n), reason)
	}
	open, waiting := s.Sockets()
	gauge(sockets, float64(open))
	gauge(backlog, float64(waiting))
	kept, behind := s.Lines()
	count(lines, float64(kept))
	gauge(lag, behind.Seconds())
	at, fault := s.Backup()
	gauge(failing, truth(fault != nil))
	if !at.IsZero() {
		gauge(backupAge, max(s.Clock().Sub(at), 0).Seconds())
	}
	gauge(readOnly, truth(s.ReadOnly()))
	for _, h := range s.Hosts() {
		gauge(hostUp, truth(h.Up), h.Name)
		gauge(hostSlots, float64(h.Slots), h.Name)
		gauge(hostRuns, float64(h.Agents), h.Name)
		gauge(hostWards, float64(h.Checks), h.Name)
		if h.Up {
			gauge(hostLoad, h.Load, h.Name)
			gauge(hostFree, float64(h.Free), h.Name)
		}
	}
	if size, err := s.Database(); err != nil {
		out <- prometheus.NewInvalidMetric(database, err)
	} else {
		gauge(database, float64(size))
	}
}

func (s state) collectQuests(gauge func(d *prometheus.Desc, v float64, labels ...string), fail func(error)) {
	ctx, cancel := context.WithTimeout(context.Background(), tallyTime)
	defer cancel()
	active := s.Quests.Active() // before the ended ones: a quest that ends in between is counted twice, not left out
	over, err := s.Quests.Tally(ctx)
	if err != nil {
		fail(err)
		return
	}
	c := census{now: s.Clock(), costs: over.CostUSD,
		status:  map[orchestration.Status]int{orchestration.StatusComplete: over.Complete, orchestration.StatusAbandoned: over.Abandoned},
		outcome: map[orchestration.Outcome]int{}}
	for o, n := range over.Outcomes {
		c.outcome[o] = n
	}
	held := s.Quests.Holds()
	for _, q := range active {
		c.add(q, held)
	}
	gauge(slots, float64(s.Quests.Slots()))
	gauge(running, float64(c.agents.live))
	gauge(queued, float64(c.agents.waiting))
	gauge(oldest, c.longest.Seconds())
	gauge(checks, float64(s.Quests.Checks()))
	gauge(checking, float64(c.checks.live))
	gauge(unchecked, float64(c.checks.waiting))
	gauge(questions, float64(c.open))
	gauge(costs, c.costs)
	gauge(holds, float64(len(held)))
	s.collectBudgets(gauge)
	for _, status := range orchestration.Statuses {
		gauge(quests, float64(c.status[status]), string(status))
	}
	for _, outcome := range orchestration.Outcomes {
		gauge(ends, float64(c.outcome[outcome]), string(outcome))
	}
}

// collectBudgets tells what the quests may use together, and what they have used.
func (s state) collectBudgets(gauge func(d *prometheus.Desc, v float64, labels ...string)) {
	tell := func(d *prometheus.Desc, of string, a orchestration.Amount, all bool) {
		for measure, n := range map[string]float64{"usd": a.USD, "tokens": float64(a.Tokens), "hours": a.Time.Hours()} {
			if all || n > 0 {
				gauge(d, n, of, measure)
			}
		}
	}
	for _, p := range s.Quests.SharedBudgets() {
		tell(budgets, string(p.Kind), p.Budget, false)
	}
	ledger := s.Quests.Ledger()
	tell(used, string(orchestration.SharedBudgetDay), ledger.Of(s.Clock()), true)
	tell(used, string(orchestration.SharedBudgetServer), ledger.All, true)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
