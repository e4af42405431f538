package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// Calls hands the MCP calls of the host's agents to the server. Agents reach it on loopback.
func (l *Link) Calls() (http.Handler, error) {
	to, err := url.Parse(l.cfg.Server)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.URL.Path, r.Out.Host = prefix+"mcp", to.Host
			l.sign(r.Out.Header)
			r.Out.Header.Del("Origin")
		},
		FlushInterval: -1,
		Transport:     patient{http.DefaultTransport},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if most := (*http.MaxBytesError)(nil); errors.As(err, &most) {
				http.Error(w, fmt.Sprintf("a call has at most %d bytes", most.Limit), http.StatusRequestEntityTooLarge)
				return
			}
			l.cfg.Log.Warn("a call of an agent did not reach the server", "error", err)
			http.Error(w, "the server cannot be reached now: call again in a minute", http.StatusBadGateway)
		},
	}
	return http.MaxBytesHandler(proxy, callMost), nil
}

// callMost is the largest call of an agent, in bytes: what the server takes
// (docs/interfaces.md#mcp). It is kept here until the server has answered.
const callMost = 1 << 20

// patient sends a call again if the server did not answer it, or not to the end: it was killed, or
// the connection was lost. The server may have carried the call out already. It then answers a signal that is
// repeated as it did the first time, and all other calls read or replace something.
type patient struct{ http.RoundTripper }

// patience is how long a call waits for the server. Agents are ended by then.
const patience = 20 * time.Second

// RoundTrip implements http.RoundTripper.
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	for until := time.Now().Add(patience); ; {
		if req.Body != nil {
			req.Body = io.NopCloser(bytes.NewReader(body))
		}
		answer, err := p.wholeAnswer(req)
		away := err != nil || answer.StatusCode == http.StatusBadGateway || answer.StatusCode == http.StatusGatewayTimeout // of a proxy
		if !away || req.Context().Err() != nil || time.Now().After(until) {
			return answer, err
		}
		if err == nil {
			_ = answer.Body.Close()
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

// wholeAnswer reads an answer to its end: the agent has got no part of it when it is cut off.
func (p patient) wholeAnswer(req *http.Request) (*http.Response, error) {
	answer, err := p.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}
