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
// for may take longer, and a websocket lasts.
func patient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength == 0 {
			return next(c)
		}
		connection := http.NewResponseController(c.Response().Writer)
		// A test's recorder has no deadline to set, and no slow sender.
		if connection.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
			r.Body = awaited{r.Body, connection}
		}
		return next(c)
	}
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
