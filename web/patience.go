package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// bodyTime is how long somebody may take to send what a request holds. Whoever
// is slower holds a connection for nothing: the server's own limit is on headers.
const bodyTime = time.Minute

// patient sets that limit, and lifts it once all was read: what a request asks
// for may take longer, and a websocket lasts. It also lifts what the request
// before on the same connection left (taken).
func patient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		connection := http.NewResponseController(c.Response().Writer)
		_ = connection.SetWriteDeadline(time.Time{}) // a test's recorder has none
		if r.ContentLength == 0 {
			return next(c)
		}
		// A test's recorder has no deadline to set, and no slow sender.
		if connection.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
			r.Body = awaited{r.Body, connection}
		}
		return next(c)
	}
}

// takeTime is how long somebody may take nothing of an answer. Whoever stops
// reading in the middle holds what the answer is made of.
const takeTime = 30 * time.Second

// taken sets that limit anew at every write.
func taken(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if unbounded[c.Path()] { // a websocket lasts, and says for itself what is slow
			return next(c)
		}
		w := c.Response().Writer
		c.Response().Writer = pressed{w, http.NewResponseController(w)}
		return next(c)
	}
}

// pressed is an answer with a limit of time for each part of it.
type pressed struct {
	http.ResponseWriter
	connection *http.ResponseController
}

// Unwrap is for http.ResponseController.
func (p pressed) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements io.Writer.
func (p pressed) Write(b []byte) (int, error) {
	_ = p.connection.SetWriteDeadline(time.Now().Add(takeTime)) // as above
	return p.ResponseWriter.Write(b)
}

// awaited is a body with a limit of time until it was read.
type awaited struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read implements io.Reader.
func (a awaited) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err == io.EOF {
		_ = a.connection.SetReadDeadline(time.Time{}) // it could be set
	}
	return n, err
}
