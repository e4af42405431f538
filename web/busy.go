package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/web/paths"
)

// How many requests are answered at once. /mcp and probes are not limited, so that agents
// can signal however busy the pages are. Guests may use only some of the places, and each
// link only some of those, so that there is always room for the owner.
const (
	maxRequests, guestRequests, linkRequests = 256, 16, 4
	// heavy requests may need megabytes for their answer. They have places of their own,
	// so that they do not keep others waiting.
	maxHeavy, guestHeavy, linkHeavy = 8, 4, 2
	// maxWaiting limits how many of the owner's requests may wait for a place, and how
	// many of the guests'.
	maxWaiting = 512
	// turnTime is how long a request waits for its place.
	turnTime = 10 * time.Second
)

var (
	errBusy = echo.NewHTTPError(http.StatusServiceUnavailable,
		"The server is busy with other requests. Nothing was changed and nothing is lost: try again in a few seconds.")

	// heavy are the routes that read a whole history, a diff or a page of output, whose
	// lines may have megabytes.
	heavy = map[string]bool{
		"/api/v1/quests/:quest/export": true, "/api/v1/quests/:quest/events": true, "/api/v1/runs/:run/output": true,
		"/api/v1/quests/:quest/diff": true, "/api/v1/quests/:quest/steps/:step/diff": true,
		"/quests/:quest/patch": true, "/quests/:quest/diff": true, "/quests/:quest/steps/:step/diff": true,
		"/quests/:quest/history.csv": true, "/quests/:quest/history.json": true, "/quests/:quest/cost.csv": true,
		"/quests/new/files/:sum": true, "/quests/:quest/request.txt": true, "/quests/:quest/trial/output.txt": true,
		"/quests/:quest/steps/:step/raw": true,
		"/runs/:run/output":              true, "/runs/:run/output.txt": true, "/runs/:run/log": true, "/runs/:run/find": true,
		"/runs/:run/lines/:line":                       true,
		paths.SharedPrefix + ":token/runs/:run/output": true, paths.SharedPrefix + ":token/runs/:run/output.txt": true,
		paths.SharedPrefix + ":token/runs/:run/log": true, paths.SharedPrefix + ":token/runs/:run/lines/:line": true,
	}

	// placeless routes need almost no memory. Strangers may use them, so they must not
	// take the owner's places.
	placeless = map[string]bool{"/static/:name": true, "/favicon.ico": true, paths.Login: true}

	// unbounded routes cost almost nothing or have limits of their own (sockets).
	unbounded = map[string]bool{"/mcp": true, "/healthz": true, "/readyz": true, "/metrics": true,
		paths.WebSocket: true, paths.SharedPrefix + ":token/ws": true}
)

// busy limits the memory that requests use together. A request beyond the limit waits, or
// is refused with 503.
type busy struct {
	all, guests *places
	turn        time.Duration

	mu    sync.Mutex
	links map[string]*link // by the token in the path, while it has requests
}

// places has one entry for each request.
type places struct{ requests, heavy, waiting chan struct{} }

func newPlaces(requests, heavy, waiting int) *places {
	return &places{make(chan struct{}, requests), make(chan struct{}, heavy), make(chan struct{}, waiting)}
}

// link has the places for requests by one link.
type link struct {
	*places
	asking int
}

func newBusy() *busy {
	return &busy{all: newPlaces(maxRequests, maxHeavy, maxWaiting), guests: newPlaces(guestRequests, guestHeavy, maxWaiting),
		turn: turnTime, links: map[string]*link{}}
}

func (b *busy) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if unbounded[c.Path()] || placeless[c.Path()] {
			return next(c)
		}
		guest, isHeavy := isShared(c.Request().URL.Path), heavy[c.Path()]
		from, queue := []*places{b.all}, b.all.waiting
		if guest {
			of, leave := b.link(c.Param("token"))
			defer leave()
			from, queue = []*places{of, b.guests, b.all}, b.guests.waiting
		}
		if !guest && !isHeavy {
			queue = nil // the owner is told at once
		}
		ctx, cancel := context.WithTimeout(c.Request().Context(), b.turn)
		defer cancel()
		for _, p := range from {
			place := p.requests
			if isHeavy {
				place = p.heavy
			}
			if !enter(ctx, place, queue) {
				return refuseBusy(c)
			}
			defer func() { <-place }()
		}
		return next(c)
	}
}

// enter takes a place. If there is none, it waits if the queue has room.
func enter(ctx context.Context, place, queue chan struct{}) bool {
	select {
	case place <- struct{}{}:
		return true
	default:
	}
	select {
	case queue <- struct{}{}:
		defer func() { <-queue }()
	default:
		return false
	}
	select {
	case place <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// link returns the places of a link. leave gives them back.
func (b *busy) link(token string) (_ *places, leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.links[token]
	if l == nil {
		l = &link{places: newPlaces(linkRequests, linkHeavy, 0)}
		b.links[token] = l
	}
	l.asking++
	return l.places, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if l.asking--; l.asking == 0 {
			delete(b.links, token)
		}
	}
}

func refuseBusy(c echo.Context) error {
	c.Response().Header().Set("Retry-After", "5")
	return errBusy
}
