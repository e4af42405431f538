package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// bodyTime is how long a client may take to send a request's body. A slower one would
// occupy a connection for nothing; the server's own limit covers only headers.
const bodyTime = time.Minute

// limitBodyTime sets that limit, and removes it once the body was read: the work may take
// longer, and a websocket stays open. It also removes what the previous request on this
// connection left (limitWriteTime).
func limitBodyTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		connection := http.NewResponseController(c.Response().Writer)
		_ = connection.SetWriteDeadline(time.Time{}) // a test's recorder has none
		if r.ContentLength == 0 {
			return next(c)
		}
		// A test's recorder has no deadline to set, and no slow sender.
		if connection.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
			r.Body = timedBody{r.Body, connection}
		}
		return next(c)
	}
}

// takeTime is how long a client may read nothing of an answer. A client that stops in
// the middle keeps the answer in our memory.
const takeTime = 30 * time.Second

// limitWriteTime sets that limit again at every write.
func limitWriteTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if unbounded[c.Path()] { // a websocket stays open and has its own limits
			return next(c)
		}
		w := c.Response().Writer
		c.Response().Writer = timedWriter{w, http.NewResponseController(w)}
		return next(c)
	}
}

// timedWriter is an answer with a time limit for each part.
type timedWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
}

// Unwrap is for http.ResponseController.
func (p timedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements io.Writer.
func (p timedWriter) Write(b []byte) (int, error) {
	_ = p.connection.SetWriteDeadline(time.Now().Add(takeTime)) // as above
	return p.ResponseWriter.Write(b)
}

// timedBody is a body with a time limit for reading it.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read implements io.Reader.
func (a timedBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err == io.EOF {
		_ = a.connection.SetReadDeadline(time.Time{}) // it could be set
	}
	return n, err
}
