package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/live"
)

// AuthMode says who may come in.
type AuthMode string

const (
	// AuthToken: clients with the owner's token, or with a session that it opened.
	AuthToken AuthMode = "token"
	// AuthNone: everybody who reaches the address; only for loopback.
	AuthNone AuthMode = "none"
)

// Config is where the server is reached, and by whom.
type Config struct {
	// Addr is the host and port that it listens on, the port as it came out.
	Addr string
	// PublicURL is what others call it, such as https://quests.example; may be
	// empty on loopback.
	PublicURL string
	Auth      AuthMode
	// Token is the owner's; see NewToken. Unused with AuthNone.
	Token string
	Clock func() time.Time
	Log   *slog.Logger
	// Chosen says that the token is the user's choice, and not made for this one
	// start of the server. Another choice ends the sessions of all browsers.
	Chosen bool
	// Data, if set, is the folder that keeps who is logged in over a restart.
	Data string
	// BrowserToken, if set, opens one session and is then worth nothing: it is
	// for the command line of the browser, which other users can read.
	BrowserToken string
	// AssetsDir, if set, serves scripts and styles from there and not from the
	// binary: for work on them (-dev).
	AssetsDir string
}

// Deps are the parts behind the entrance. Every field is required.
type Deps struct {
	Pages *handlers.Pages
	Hub   *live.Hub
	// API registers its routes below /api/v1.
	API func(*echo.Group)
	// MCP answers at /mcp; it checks the tokens of runs itself.
	MCP http.Handler
	// Ready says why the server cannot serve right now, or nil.
	Ready   func(context.Context) error
	Metrics echo.HandlerFunc
	// Refusals counts what the gate refuses.
	Refusals *Refusals
	Audit    Audit
}

// New returns the server's handler.
func New(cfg Config, d Deps) (*echo.Echo, error) {
	gate, err := newGate(cfg.Addr, cfg.PublicURL, d.Refusals)
	if err != nil {
		return nil, err
	}
	owner, err := newOwner(cfg, d.Refusals)
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	faults := faults{owner: owner, pages: d.Pages, log: cfg.Log}
	e.HTTPErrorHandler = faults.handle
	// Before routing: what the gate refuses reaches no route, not even a 404.
	e.Pre(limitBodyTime, gate.check, securityHeaders)
	watch := &auditor{audit: d.Audit, owner: owner, log: cfg.Log, refusals: d.Refusals, refused: &limiter{clock: cfg.Clock, perSecond: 1}}
	// Bodies first, because a form may contain what owner asks for. A refused request
	// takes nobody's place.
	e.Use(requestID, limitWriteTime, owner.room, watch.watch, recovered, owner.bodies, owner.required, newBusy().bounded, storable(d.Pages), newOnce().does)
	routes(e, owner, d, assets(cfg.AssetsDir))
	return e, nil
}

// BrowserURL is the link that a browser is started with.
func BrowserURL(cfg Config) string {
	cfg.Token = cfg.BrowserToken
	return LoginURL(cfg)
}

// LoginURL is the link that logs in once. base is how the server is reached.
func LoginURL(cfg Config) string {
	base := "http://" + cfg.Addr
	if cfg.PublicURL != "" {
		base = cfg.PublicURL
	}
	if cfg.Auth == AuthNone {
		return base + "/"
	}
	return fmt.Sprintf("%s/login?token=%s", base, cfg.Token)
}
