package web

import (
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"questboard/web/paths"
)

// Why a request is refused before it reaches a handler.
const (
	refusedHost    = "host"       // the name is not one of ours
	refusedOrigin  = "origin"     // another site's page
	refusedFetch   = "fetch-site" // a browser says that another site asks
	refusedNobody  = "no-login"   // neither session nor token
	refusedKey     = "key"        // a session's cookie without its key
	refusedToken   = "token"      // a wrong bearer token
	refusedLogin   = "login"      // a wrong token at the login
	refusedGuesses = "guesses"    // too many wrong tokens in a second
	refusedShare   = "share"      // a link that leads nowhere, or has ended
	refusedRun     = "run-token"  // at /mcp: no run's token
)

// refusalLines bounds the lines in the log a second: a flood is counted.
const refusalLines = 50

// Refusals counts what the gate refuses, and says so in the log.
type Refusals struct {
	log   *slog.Logger
	lines *limiter

	mu     sync.Mutex
	counts map[string]int64
}

// NewRefusals returns counters that stand at zero.
func NewRefusals(log *slog.Logger, clock func() time.Time) *Refusals {
	r := &Refusals{log: log, lines: &limiter{clock: clock, perSecond: refusalLines}, counts: map[string]int64{}}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedFetch, refusedNobody, refusedKey, refusedToken, refusedLogin, refusedGuesses, refusedShare, refusedRun} {
		r.counts[reason] = 0
	}
	return r
}

// Counts returns how often each reason was given.
func (r *Refusals) Counts() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// longestName is longer than the names in our addresses, and shorter than a token.
const longestName = 20

// pathOf is the path for the log, without what may be a token: that of a share
// is its secret, also where somebody has written its address wrongly.
func pathOf(req *http.Request) string {
	if isShared(req.URL.Path) {
		return paths.SharedPrefix + "…"
	}
	names := strings.Split(req.URL.Path, "/")
	for i, name := range names {
		if utf8.RuneCountInString(name) > longestName {
			names[i] = "…"
		}
	}
	return short(strings.Join(names, "/"), 200)
}

// refuse counts a refusal. The query stays out of the log, for it may hold a
// token.
func (r *Refusals) refuse(req *http.Request, reason string) {
	r.mu.Lock()
	r.counts[reason]++
	r.mu.Unlock()
	if !r.lines.allow() {
		return
	}
	r.log.Warn("request refused", "reason", reason, "method", short(req.Method, 20), "path", pathOf(req), "host", short(req.Host, 100),
		"origin", short(req.Header.Get("Origin"), 100), "remote", remoteOf(req))
}
