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
	refusedHost    = "host"       // the Host header is not an address of this server
	refusedOrigin  = "origin"     // the page of another site
	refusedFetch   = "fetch-site" // a browser says that another site asks
	refusedNobody  = "no-login"   // neither a session nor a token
	refusedKey     = "key"        // a session's cookie without its key
	refusedToken   = "token"      // a wrong bearer token
	refusedLogin   = "login"      // a wrong token at the login
	refusedGuesses = "guesses"    // too many wrong tokens in a second
	refusedShare   = "share"      // a link that never existed or has ended
	refusedRun     = "run-token"  // no token of a run, at /mcp
)

// refusalLines is how many refusals are logged in a second. More are only counted.
const refusalLines = 50

// Refusals counts and logs the requests that the gate refuses.
type Refusals struct {
	log   *slog.Logger
	lines *limiter

	mu     sync.Mutex
	counts map[string]int64
}

// NewRefusals returns counters that are zero.
func NewRefusals(log *slog.Logger, clock func() time.Time) *Refusals {
	r := &Refusals{log: log, lines: &limiter{clock: clock, perSecond: refusalLines}, counts: map[string]int64{}}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedFetch, refusedNobody, refusedKey, refusedToken, refusedLogin,
		refusedGuesses, refusedShare, refusedRun} {
		r.counts[reason] = 0
	}
	return r
}

// Counts returns the number of refusals by reason.
func (r *Refusals) Counts() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// longestName is longer than the names in this server's paths, and shorter than a token.
const longestName = 20

// pathOf is the path for the log without what may be a token. The path of a share
// contains its secret, even if somebody mistyped the rest of it.
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

// refuse counts and logs a refusal. It does not log the query, which may contain a token.
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
