package metrics_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"questboard/handlers/handlerstest"
	"questboard/handlers/metrics"
	"questboard/orchestration"
)

// now is the time of the scrapes.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// engine is an engine whose database can fail, and whose only quest may be given.
type engine struct {
	*handlerstest.Engine
	broken error
	only   *orchestration.Quest
}

func (e engine) Active() []*orchestration.Quest {
	if e.only != nil {
		return []*orchestration.Quest{e.only}
	}
	return e.Engine.Active()
}

// SharedBudgets has the server's budget in two measures, and the day's in the third.
func (engine) SharedBudgets() []orchestration.SharedBudget {
	return []orchestration.SharedBudget{
		{Kind: orchestration.SharedBudgetDay, Budget: orchestration.Amount{Time: 6 * time.Hour}, Until: now.Add(12 * time.Hour)},
		{Kind: orchestration.SharedBudgetServer, Budget: orchestration.Amount{USD: 40, Tokens: 7000}},
	}
}

// Ledger has a run of yesterday and one of today.
func (engine) Ledger() orchestration.Ledger {
	return orchestration.Ledger{}.
		Enter(orchestration.Amount{USD: 8, Tokens: 300, Time: 3 * time.Hour}, now.AddDate(0, 0, -1)).
		Enter(orchestration.Amount{USD: 2.5, Tokens: 1200, Time: 90 * time.Minute}, now)
}

func (e engine) Tally(context.Context) (orchestration.Tally, error) {
	return orchestration.Tally{Complete: 2, CostUSD: 3, Outcomes: map[orchestration.Outcome]int{orchestration.OutcomeSignalled: 40}}, e.broken
}

func sources(e engine) metrics.Sources {
	return metrics.Sources{Quests: e, Clock: func() time.Time { return now },
		Refused: func() map[string]int64 { return map[string]int64{"host": 2} },
		Sockets: func() (int, int64) { return 7, 4096 }, Lines: func() (int64, time.Duration) { return 120, 20 * time.Millisecond },
		Database: func() (int64, error) { return 1 << 20, nil }, ReadOnly: func() bool { return true },
		Hosts:  func() []metrics.Host { return []metrics.Host{{Name: "forge", Up: true, Slots: 4, Agents: 2}} },
		Backup: func() (time.Time, error) { return now.Add(-2 * time.Hour), errors.New("disk full") }}
}

// measured returns the metrics of a server on which something has happened.
func measured(t *testing.T) *metrics.Metrics {
	t.Helper()
	e := handlerstest.NewEngine(func() time.Time { return now.Add(-time.Hour) })
	handlerstest.Busy(e)
	e.Hold(orchestration.AccountHold{Agent: "another", Kind: orchestration.HoldLogin, Reason: "not logged in"})
	m := metrics.New(metrics.Build{Version: "1.2.3", Commit: "abc", SQLite: "3.54.0"})
	m.Read(sources(engine{Engine: e}))
	m.Committed(3*time.Millisecond, nil)
	m.Committed(time.Second, errors.New("disk full"))
	m.Flushed(120 * time.Millisecond)
	m.SocketClosed("slow")
	m.Signalled(nil, false)
	m.Signalled(errors.New("refused"), true)
	return m
}

func scrape(t *testing.T, h http.Handler) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

// families reads a scrape as Prometheus does.
func families(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	found, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return found
}

func TestTheMetricsFollowPrometheussConventions(t *testing.T) {
	t.Parallel()
	_, text := scrape(t, measured(t).Handler())
	found := families(t, text)
	if len(found) < 40 {
		t.Errorf("only %d metrics", len(found))
	}
	for _, f := range found {
		problems, err := promlint.NewWithMetricFamilies([]*dto.MetricFamily{f}).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestTheMetricsTellWhatAnOperatorAsks(t *testing.T) {
	t.Parallel()
	code, text := scrape(t, measured(t).Handler())
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	for _, want := range []string{"questboard_slots 5", "questboard_checks 2", `questboard_quests{status="complete"} 2`, `questboard_runs_ended{outcome="crashed"} `,
		`questboard_refused_total{reason="host"} 2`, "questboard_sockets_open 7", "questboard_sockets_backlog_bytes 4096",
		`questboard_sockets_closed_total{reason="slow"} 1`, `questboard_sockets_closed_total{reason="limit"} 0`,
		`questboard_commit_duration_seconds_bucket{le="0.0025"} 0`, `questboard_commit_duration_seconds_bucket{le="0.005"} 1`,
		"questboard_commit_failures_total 1", `questboard_fanout_duration_seconds_bucket{le="0.1"} 0`, `questboard_fanout_duration_seconds_bucket{le="0.15"} 1`,
		`questboard_signals_total{result="accepted"} 1`, `questboard_signals_total{result="refused"} 1`, "questboard_log_lines_total 120",
		"questboard_log_lag_seconds 0.02", "questboard_database_bytes 1.048576e+06", "questboard_backup_age_seconds 7200", "questboard_backup_failing 1",
		"questboard_read_only 1", `questboard_build_info{commit="abc",sqlite="3.54.0",version="1.2.3"} 1`,
		"questboard_runs_live 3", "questboard_runs_queued 1", "questboard_questions_open 1", "questboard_cost_usd 5.79", "questboard_account_holds 1",
		"go_goroutines ", "go_memstats_heap_alloc_bytes ", "go_memstats_sys_bytes ", "go_info{"} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

// A measure without a budget has no line, and what was used has every line.
func TestBudgetsAndWhatIsUsedAreTold(t *testing.T) {
	t.Parallel()
	_, text := scrape(t, measured(t).Handler())
	var got []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "questboard_budget{") || strings.HasPrefix(line, "questboard_used{") {
			got = append(got, strings.TrimPrefix(strings.TrimSpace(line), "questboard_"))
		}
	}
	slices.Sort(got)
	want := []string{`budget{measure="hours",of="day"} 6`, `budget{measure="tokens",of="server"} 7000`, `budget{measure="usd",of="server"} 40`,
		`used{measure="hours",of="day"} 1.5`, `used{measure="hours",of="server"} 4.5`, `used{measure="tokens",of="day"} 1200`,
		`used{measure="tokens",of="server"} 1500`, `used{measure="usd",of="day"} 2.5`, `used{measure="usd",of="server"} 10.5`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheQueuesAgeIsThatOfWhoHasWaitedLongest(t *testing.T) {
	t.Parallel()
	e := handlerstest.NewEngine(func() time.Time { return now.Add(-time.Hour) })
	step := func(id string, ended time.Time, stage orchestration.Stage, after ...string) *orchestration.Step {
		s := &orchestration.Step{Stage: stage, EndedAt: ended}
		s.ID, s.DependsOn = id, after
		return s
	}
	q := &orchestration.Quest{ID: "q1", CreatedAt: now.Add(-3 * time.Hour), Phase: orchestration.PhaseSteps}
	q.Runs = q.Runs.Append(&orchestration.Run{ID: "q1-r1", Launch: orchestration.Launch{Role: orchestration.PathSeeker},
		State: orchestration.RunEnded, EndedAt: now.Add(-2 * time.Hour)})
	q.Steps = q.Steps.Append(step("a", now.Add(-10*time.Minute), orchestration.StageDone))
	q.Steps = q.Steps.Append(step("b", time.Time{}, orchestration.StageReady, "a"))
	age := func() string {
		orchestration.Restore(q)
		m := metrics.New(metrics.Build{})
		m.Read(sources(engine{Engine: e, only: q}))
		_, text := scrape(t, m.Handler())
		_, rest, _ := strings.Cut(text, "\nquestboard_queue_oldest_seconds ")
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	if got := age(); got != "600" {
		t.Errorf("a step whose dependency ended 10 minutes ago has waited %s s", got)
	}
	q.Steps = q.Steps.Append(step("c", time.Time{}, orchestration.StageReady))
	if got := age(); got != "7200" {
		t.Errorf("a step of a plan of two hours ago has waited %s s", got)
	}
}

// Agents have slots, checks have none: an operator sees which of them wait.
func TestAgentsAndChecksAreCountedApart(t *testing.T) {
	t.Parallel()
	e := handlerstest.NewEngine(func() time.Time { return now.Add(-time.Hour) })
	counted := func(want ...string) {
		t.Helper()
		m := metrics.New(metrics.Build{})
		m.Read(sources(engine{Engine: e}))
		_, text := scrape(t, m.Handler())
		for _, line := range append(want, "slots 5", "checks 2") {
			if !strings.Contains(text, "\nquestboard_"+line+"\n") {
				t.Errorf("%s is missing in\n%s", line, text)
			}
		}
	}
	p := handlerstest.OnBase(e)
	counted("runs_live 0", "runs_queued 0", "queue_oldest_seconds 0", "checks_live 0", "checks_queued 1")
	run := p.Start(orchestration.StepBaseline)
	counted("runs_live 0", "runs_queued 0", "queue_oldest_seconds 0", "checks_live 1", "checks_queued 0")
	p.Exit(run, orchestration.EndWardPassed, orchestration.Exit{Why: "passed", Tree: "base"})
	counted("runs_live 0", "runs_queued 1", "queue_oldest_seconds 3600", "checks_live 0", "checks_queued 0")
	p.Start("store")
	counted("runs_live 1", "runs_queued 0", "queue_oldest_seconds 0", "checks_live 0", "checks_queued 0")
}

// If the database does not answer, the scrape fails. It does not report zeros.
func TestAScrapeThatCannotBeAnsweredFails(t *testing.T) {
	t.Parallel()
	e := engine{Engine: handlerstest.NewEngine(func() time.Time { return now }), broken: errors.New("disk gone")}
	m := metrics.New(metrics.Build{})
	m.Read(sources(e))
	if code, text := scrape(t, m.Handler()); code != http.StatusInternalServerError || strings.Contains(text, "questboard_runs_live") {
		t.Errorf("%d\n%s", code, text)
	}
}

// names returns the names of the metrics in a scrape, with those that a histogram
// consists of.
func names(found map[string]*dto.MetricFamily) []string {
	var all []string
	for name, f := range found {
		all = append(all, name)
		if f.GetType() == dto.MetricType_HISTOGRAM {
			all = append(all, name+"_bucket", name+"_count", name+"_sum")
		}
	}
	slices.Sort(all)
	return all
}
