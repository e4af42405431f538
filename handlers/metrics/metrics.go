// Package metrics answers /metrics for Prometheus. It has the names of the metrics, which
// must not change (docs/interfaces.md#metrics; docs/grafana.json uses them), and the
// counters. Other packages report what happens; state.go reads current values at each
// scrape.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"questboard/web/live"
)

// Buckets for waits that people notice, and for commits, which are faster.
var (
	fanOutBuckets = []float64{.005, .01, .025, .05, .1, .15, .25, .5, 1, 2.5, 5}
	commitBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
)

// Metrics counts what happens. Its methods are safe for concurrent use and do not block.
type Metrics struct {
	registry *prometheus.Registry
	commits  prometheus.Histogram
	failed   prometheus.Counter
	fanOut   prometheus.Histogram
	closed   *prometheus.CounterVec
	signals  *prometheus.CounterVec
}

// New returns metrics that are all zero.
func New(build Build) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "questboard_commit_duration_seconds",
			Help: "How long commits to the database took.", Buckets: commitBuckets}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{Name: "questboard_commit_failures_total",
			Help: "Commits that failed; what they held is tried again, or refused."}),
		fanOut: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "questboard_fanout_duration_seconds",
			Help: "From a change until the socket of a tab that shows it has taken it.", Buckets: fanOutBuckets}),
		closed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "questboard_sockets_closed_total",
			Help: "Sockets that were closed, or not let in, by reason."}, []string{"reason"}),
		signals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "questboard_signals_total",
			Help: "Signals of agents by what became of them."}, []string{"result"}),
	}
	for _, reason := range live.Reasons {
		m.closed.WithLabelValues(reason)
	}
	for _, result := range []string{accepted, refused, failed} {
		m.signals.WithLabelValues(result)
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "questboard_build_info", Help: "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": build.Version, "commit": build.Commit, "sqlite": build.SQLite}})
	info.Set(1)
	m.registry.MustRegister(m.commits, m.failed, m.fanOut, m.closed, m.signals, info, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Build identifies the version of the program.
type Build struct{ Version, Commit, SQLite string }

// Committed counts a commit.
func (m *Metrics) Committed(took time.Duration, err error) {
	if err != nil {
		m.failed.Inc()
		return
	}
	m.commits.Observe(took.Seconds())
}

// SocketClosed implements live.Meter.
func (m *Metrics) SocketClosed(reason string) { m.closed.WithLabelValues(reason).Inc() }

// Flushed implements live.Meter.
func (m *Metrics) Flushed(after time.Duration) { m.fanOut.Observe(after.Seconds()) }

// The results of a signal from an agent.
const (
	accepted = "accepted"
	refused  = "refused" // by the rules
	failed   = "failed"  // by an error of the server, which stored nothing
)

// Signalled counts a signal of an agent. ruled says that err is a refusal by the rules
// and not an error of the server.
func (m *Metrics) Signalled(err error, ruled bool) {
	result := accepted
	switch {
	case ruled:
		result = refused
	case err != nil:
		result = failed
	}
	m.signals.WithLabelValues(result).Inc()
}

// Handler answers scrapes. If a value cannot be read, the answer is an error 500.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: nothing{}, MaxRequestsInFlight: 4})
}

// nothing discards the errors of scrapes, because the client gets them.
type nothing struct{}

func (nothing) Println(...any) {}
