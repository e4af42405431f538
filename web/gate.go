package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// gate is in front of every route, including the websocket and MCP. It stops attacks by
// other pages in the user's browser: cross-site requests and DNS rebinding
// (docs/hardening.md#web). It compares everything exactly, because comparing prefixes and
// suffixes has let attackers in elsewhere.
type gate struct {
	origins  map[string]string // Host header -> the origin of its pages
	refusals *Refusals
}

func newGate(addr, publicURL string, refusals *Refusals) (*gate, error) {
	listens, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("read the address %q: %w", addr, err)
	}
	g := &gate{origins: map[string]string{}, refusals: refusals}
	names := []string{"127.0.0.1", "localhost", "::1"}
	if loopback(listens) {
		names = append(names, listens) // it may be another one, as 127.0.0.2
	}
	for _, name := range names {
		host := net.JoinHostPort(name, port)
		short := strings.TrimSuffix(host, ":80")
		g.origins[host], g.origins[short] = "http://"+short, "http://"+short
	}
	if publicURL == "" {
		return g, nil
	}
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" {
		return nil, errors.New("the public URL must be http or https, a host, and no path")
	}
	host := written(u)
	g.origins[host] = u.Scheme + "://" + host
	return g, nil
}

// written is a host as browsers write it: in lower case, without the default port of its
// scheme.
func written(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

func (g *gate) check(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !g.passes(c.Request()) {
			g.refusals.refuse(c.Request(), g.reason(c.Request()))
			return c.NoContent(http.StatusForbidden) // attackers get no explanation
		}
		return next(c)
	}
}

// reason says why a request is refused. Only the owner sees it, in the log.
func (g *gate) reason(r *http.Request) string {
	origin, known := g.origins[r.Host]
	if !known {
		return refusedHost
	}
	for _, claimed := range r.Header.Values("Origin") {
		if claimed != origin {
			return refusedOrigin
		}
	}
	return refusedFetch
}

func (g *gate) passes(r *http.Request) bool {
	origin, known := g.origins[r.Host]
	if !known {
		return false
	}
	for _, claimed := range r.Header.Values("Origin") {
		if claimed != origin {
			return false
		}
	}
	sites := r.Header.Values("Sec-Fetch-Site")
	if len(sites) > 1 {
		return false // browsers send it only once
	}
	switch strings.Join(sites, "") {
	case "", "same-origin":
		return true
	case "none": // typed, a bookmark, a link from another program
		dest := r.Header.Get("Sec-Fetch-Dest")
		return r.Method == http.MethodGet && (dest == "" || dest == "document")
	default:
		return followsLink(r)
	}
}

// Instead answers some requests in place of the routes, if it is added behind the gate (Pre).
func Instead(some func(*http.Request) bool, by http.Handler) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if !some(c.Request()) {
				return next(c)
			}
			by.ServeHTTP(c.Response(), c.Request())
			return nil
		}
	}
}
