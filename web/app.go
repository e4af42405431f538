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

// AuthMode says who may use the server.
type AuthMode string

const (
	// AuthToken lets in clients with the owner's token, or with a session that it opened.
	AuthToken AuthMode = "token"
	// AuthNone lets in everybody who can reach the address. It is only for loopback.
	AuthNone AuthMode = "none"
)

// Config says where the server is reached, and who may use it.
type Config struct {
	// Addr is the host and port that the server listens on, with the actual port.
	Addr string
	// PublicURL is the address that others use, such as https://quests.example. It may be
	// empty on loopback.
	PublicURL string
	Auth      AuthMode
	// Token is the owner's token (see NewToken). AuthNone does not use it.
	Token string
	Clock func() time.Time
	Log   *slog.Logger
	// Chosen says that the user chose the token, so that it stays the same after a
	// restart. When the user chooses another one, all sessions end.
	Chosen bool
	// Data is the folder that keeps the sessions across a restart. It may be empty.
	Data string
	// BrowserToken opens one session and is then invalid, because it is on the browser's
	// command line, which other users of the machine can read. It may be empty.
	BrowserToken string
	// AssetsDir is the folder to serve scripts and styles from instead of the binary
	// (-dev). It may be empty.
	AssetsDir string
}

// Deps are the handlers behind the entrance. Every field is required.
type Deps struct {
	Pages *handlers.Pages
	Hub   *live.Hub
	// API registers its routes below /api/v1.
	API func(*echo.Group)
	// MCP answers at /mcp. It checks the tokens of runs itself.
	MCP http.Handler
	// Ready returns why the server cannot serve now, or nil.
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
	owner.sessions.ended = func(session string) { d.Hub.End(socketsOf(session)) }
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	faults := faults{owner: owner, pages: d.Pages, log: cfg.Log}
	e.HTTPErrorHandler = faults.handle
	// The gate runs before routing, so that a refused request reaches no route, not even
	// a 404.
	e.Pre(limitBodyTime, gate.check, securityHeaders)
	watch := &auditor{audit: d.Audit, owner: owner, log: cfg.Log, refusals: d.Refusals, refused: &limiter{clock: cfg.Clock, perSecond: 1}}
	// Bodies come first, because a form may contain the token that owner asks for. busy
	// comes after required, so that a refused request occupies no place.
	e.Use(requestID, limitWriteTime, owner.room, watch.watch, recovered, owner.bodies, owner.required, newBusy().bounded, storable(d.Pages),
		newOnce().does)
	routes(e, owner, d, assets(cfg.AssetsDir))
	return e, nil
}

// BrowserURL is the link that the server opens in a browser when it starts.
func BrowserURL(cfg Config) string {
	cfg.Token = cfg.BrowserToken
	return LoginURL(cfg)
}

// LoginURL is the link that logs in once. base is the address of the server.
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
