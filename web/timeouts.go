package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// bodyTime is how long a client may take to send a request's body. A slower one would
// occupy a connection. The limit of http.Server covers only headers.
const bodyTime = time.Minute

// uploadTime is the same for a form with files of the owner: they are much more than text.
const uploadTime = 10 * time.Minute

// limitBodyTime sets that limit, and removes it when the body has been read, because the
// work may take longer, and a websocket stays open. It also removes the limit that the
// previous request on this connection left (limitWriteTime).
func limitBodyTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		connection := http.NewResponseController(c.Response().Writer)
		_ = connection.SetWriteDeadline(time.Time{}) // fails only in tests
		if r.ContentLength == 0 {
			return next(c)
		}
		// This fails only in tests, whose recorders have no deadlines.
		if connection.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
			r.Body = timedBody{r.Body, connection}
		}
		return next(c)
	}
}

// takeTime is how long a client may read nothing of an answer. Until the client reads on,
// the answer occupies memory.
const takeTime = 30 * time.Second

// pieceSize is how much of an answer has that limit, in bytes.
const pieceSize = 64 << 10

// limitWriteTime sets that limit again for every piece of an answer.
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

// timedWriter limits the time of each piece.
type timedWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
}

// Unwrap is for http.ResponseController.
func (p timedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements io.Writer. It writes pieces, because a client that reads may need longer
// for all of b.
func (p timedWriter) Write(b []byte) (written int, err error) {
	for {
		piece := b[written:min(len(b), written+pieceSize)]
		_ = p.connection.SetWriteDeadline(time.Now().Add(takeTime)) // as above
		n, err := p.ResponseWriter.Write(piece)
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// timedBody limits the time for reading a body.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read implements io.Reader.
func (a timedBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err == io.EOF {
		_ = a.connection.SetReadDeadline(time.Time{}) // it worked when it was set
	}
	return n, err
}
