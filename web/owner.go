package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// NewToken returns a token of 256 bits that is safe in a URL.
func NewToken() string { return rand.Text() + rand.Text() }

// minToken is the shortest token that a user may choose if the server is not on loopback.
const minToken = 16

// owner recognises the owner.
type owner struct {
	mode      AuthMode
	token     [sha256.Size]byte
	cookie    string // it contains the port, because cookies ignore ports
	secure    bool   // served over https
	clock     func() time.Time
	guesses   *limiter
	sessions  *sessions
	refusals  *Refusals
	strange   atomic.Int64    // bytes of strangers' bodies in memory
	uploading chan struct{}   // one for each form that has files in memory
	guests    map[string]bool // routes that need the token of a share instead of the owner

	mu       sync.Mutex
	linkUsed bool
	browser  *[sha256.Size]byte // hash of the browser's token, nil after it was used
}

func newOwner(cfg Config, refusals *Refusals) (*owner, error) {
	host, port, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		return nil, err // the gate has returned a better message
	}
	reached := !loopback(host) || cfg.PublicURL != "" // by others: here, or by a proxy or a tunnel
	if cfg.Auth == AuthNone && reached {
		return nil, errors.New("without authentication the server listens on loopback only")
	}
	if cfg.Auth != AuthNone && (cfg.Token == "" || len(cfg.Token) < minToken && reached) {
		return nil, errors.New("the owner's token is too short for an address that others reach")
	}
	o := &owner{mode: cfg.Auth, token: sha256.Sum256([]byte(cfg.Token)), cookie: "questboard_" + port,
		secure: strings.HasPrefix(cfg.PublicURL, "https:"), clock: cfg.Clock,
		guesses: &limiter{clock: cfg.Clock, perSecond: 10}, sessions: newSessions(cfg),
		refusals: refusals, guests: map[string]bool{}, uploading: make(chan struct{}, uploadsAtOnce)}
	if cfg.BrowserToken != "" {
		sum := sha256.Sum256([]byte(cfg.BrowserToken))
		o.browser = &sum
	}
	return o, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// withoutOwner are the routes for everybody. They tell nothing about the owner, are the
// way in, or (/mcp) check the tokens of runs.
var withoutOwner = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true,
	"/static/:name": true, "/favicon.ico": true, paths.Login: true, "/mcp": true}

// viaKey is the name under which a request's context says how the owner was recognised.
const viaKey = "via"

// required lets only the owner use routes that are not in withoutOwner, and addresses
// without a route. A client with only the cookie may read.
func (o *owner) required(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		via := o.via(r)
		open := withoutOwner[c.Path()] || o.guests[c.Path()]
		switch {
		case isShared(r.URL.Path) && !o.guests[c.Path()]:
			o.refusals.refuse(r, refusedShare)
			return handlers.ErrNoShare // a login would not help
		case via == "" && !open && r.Header.Get("Authorization") != "":
			return o.refuseGuess(r, refusedToken)
		case via == "" && !open, via == viaBrowser && o.needsKey(c) && !o.showsKey(r):
			return o.confirm(c, next, via)
		}
		if via != "" {
			Welcome(r.Context())
		}
		c.Set(viaKey, via)
		delete(r.Form, keyField)
		delete(r.PostForm, keyField)
		return next(c)
	}
}

var (
	errStranger = echo.NewHTTPError(http.StatusUnauthorized, "Log in first, or send the owner's token as a bearer token.")
	errGuess    = echo.NewHTTPError(http.StatusUnauthorized, "That is not the owner's token.")
	errGuesses  = echo.NewHTTPError(http.StatusTooManyRequests, "Too many wrong tokens. Wait a second.")
)

// refuseGuess answers a wrong token. After ten in a second it answers without looking at
// the token.
func (o *owner) refuseGuess(r *http.Request, reason string) error {
	if !o.guesses.allow() {
		o.refusals.refuse(r, refusedGuesses)
		return errGuesses
	}
	o.refusals.refuse(r, reason)
	return errGuess
}

// How a request proves that it is the owner's.
const (
	viaOpen    = "open" // nobody is asked
	viaToken   = "token"
	viaBrowser = "browser" // by a session's cookie
)

// via returns how the request proves that it is the owner's, or "" if it does not.
func (o *owner) via(r *http.Request) string {
	if o.mode == AuthNone {
		return viaOpen
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if o.isToken(bearer) {
			return viaToken
		}
		return ""
	}
	if _, ok := o.session(r); ok {
		return viaBrowser
	}
	return ""
}

// knows reports whether the request comes from the owner.
func (o *owner) knows(r *http.Request) bool { return o.via(r) != "" }

// needsKey reports whether a request does more than read. Guests, runs and logins have
// tokens of their own.
func (o *owner) needsKey(c echo.Context) bool {
	r := c.Request()
	if withoutOwner[c.Path()] || o.guests[c.Path()] || harmless[r.Method+" "+c.Path()] && !bringsFiles(c) {
		return false
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.Path == paths.WebSocket
}

// bringsFiles reports whether files came with a form.
func bringsFiles(c echo.Context) bool {
	files, _ := c.Get(handlers.UploadsKey).([]handlers.Upload)
	return len(files) > 0
}

func (o *owner) isToken(token string) bool {
	if o.mode == AuthNone {
		return true
	}
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], o.token[:]) == 1
}

// useBrowserToken reports whether this is the browser's token, and makes it invalid.
func (o *owner) useBrowserToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.browser == nil || subtle.ConstantTimeCompare(sum[:], o.browser[:]) != 1 {
		return false
	}
	o.browser = nil
	return true
}

// useLink reports whether the login link is unused, and marks it as used.
func (o *owner) useLink() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := !o.linkUsed
	o.linkUsed = true
	return fresh
}
