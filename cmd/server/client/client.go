// Package client has the commands that ask a running server: status, wait and answer. They
// use its JSON API, as a script of the user's could.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"questboard/orchestration/store"
)

// Exit codes of commands that ask a running server (docs/interfaces.md#exit-codes).
const (
	ExitFault     = 1 // the server failed
	ExitNoServer  = 3 // none answers there, or not as this version expects
	ExitNotFound  = 4 // there is no such quest or question, or more than one
	ExitRefused   = 5 // the token is wrong, or the server refused
	ExitTimeout   = 6 // the time for the command is over
	ExitOtherwise = 7 // the quest ended, and not as the command waited for
)

// Fault is an error with the exit code that tells it to scripts.
type Fault struct {
	Code int
	error
}

func faultf(code int, format string, args ...any) error {
	return Fault{code, fmt.Errorf(format, args...)}
}

// AnswerTimeout is the longest time that the server may take for one answer.
const AnswerTimeout = 30 * time.Second

// maxAnswer limits what is read into memory, in bytes. A quest of a hundred steps has one
// megabyte.
const maxAnswer = 256 << 20

// Client asks a running server, by the JSON API.
type Client struct {
	URL     string        // where it answers; empty: its data directory says it
	Data    string        // the data directory
	Token   string        // the owner's; empty: none is sent
	Timeout time.Duration // of the whole command; 0: none
	JSON    bool          // print the API's objects
	Release string        // the version that the server should have, for messages

	Out io.Writer // the result
	Log io.Writer // what happens meanwhile
}

// plain follows no redirect, because the token is for this server only.
var plain = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// limited returns the context of a command. When it ends, the timeout is over.
func (c *Client) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.Timeout)
}

// address returns where the server answers. It may be another one after a restart.
func (c *Client) address() (string, error) {
	if c.URL != "" {
		return strings.TrimSuffix(c.URL, "/"), nil
	}
	address, working := store.Address(c.Data)
	switch {
	case !working:
		return "", faultf(ExitNoServer, "no server works in %s: start one, or name another with -data or -url (QUESTBOARD_URL)", c.Data)
	case address == "":
		return "", faultf(ExitNoServer, "what works in %s does not say where it answers: it is a command, or a server of an older version; "+
			"name the server with -url (QUESTBOARD_URL)", c.Data)
	}
	return address, nil
}

// get asks for an object of the API and decodes it into each of the values.
func (c *Client) get(ctx context.Context, path string, into ...any) error {
	return c.call(ctx, http.MethodGet, path, nil, into...)
}

// call makes a request of the API and decodes the answer into each of the values. An
// error has its exit code; a lost one can be tried again.
func (c *Client) call(ctx context.Context, method, path string, body any, into ...any) error {
	base, err := c.address()
	if err != nil {
		return lost{err}
	}
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	limit, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(limit, method, base+"/api/v1"+path, sent)
	if err != nil {
		return err
	}
	c.authorize(r.Header)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := plain.Do(r)
	if err != nil {
		return c.unanswered(ctx, base, method, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return c.unanswered(ctx, base, method, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return c.refusal(base, answer.StatusCode, text)
	}
	for _, v := range into {
		if answer.StatusCode >= http.StatusMultipleChoices || json.Unmarshal(text, v) != nil {
			return c.stranger(base)
		}
		if shape, has := v.(interface{ ours() bool }); has && !shape.ours() {
			return c.stranger(base)
		}
	}
	return nil
}

func (c *Client) authorize(h http.Header) {
	if c.Token != "" {
		h.Set("Authorization", "Bearer "+c.Token)
	}
}

// lost is an error that may be over in a moment: the server is being started again.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// unanswered returns the error of a request without an answer.
func (c *Client) unanswered(ctx context.Context, base, method string, err error) error {
	var op *net.OpError
	unsent := errors.As(err, &op) && op.Op == "dial"
	unsure := ""
	if method != http.MethodGet && !unsent {
		unsure = "; what was sent may have arrived, `questboard status` tells"
	}
	if ctx.Err() != nil {
		return faultf(ExitTimeout, "%s did not answer within %s%s", base, c.Timeout, unsure)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return lost{faultf(ExitNoServer, "%s did not answer within %s%s", base, AnswerTimeout, unsure)}
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err // the path says nothing to people
	}
	return lost{faultf(ExitNoServer, "no server answers at %s: %v%s", base, err, unsure)}
}

// stranger returns the error of an answer that no Questboard of this version gives.
func (c *Client) stranger(base string) error {
	return lost{faultf(ExitNoServer, "%s does not answer as Questboard %s does: it is another program, or a server of another version, "+
		"which needs its own `questboard`", base, c.Release)}
}

// refusal returns the error of an answer with an error status.
func (c *Client) refusal(base string, status int, text []byte) error {
	var said struct {
		Error struct {
			Code, Message string
			Fields        map[string]string
		}
	}
	isAPI := json.Unmarshal(text, &said) == nil && said.Error.Message != ""
	e := said.Error
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		e.Message += "; " + field + ": " + e.Fields[field]
	}
	switch {
	case status == http.StatusForbidden && len(text) == 0:
		return faultf(ExitRefused, "%s is not an address of that server: use the one of its -public-url, or 127.0.0.1 on its machine", base)
	case !isAPI:
		return c.stranger(base)
	case status == http.StatusUnauthorized && c.Token == "":
		return faultf(ExitRefused, "%s wants the owner's token: set QUESTBOARD_TOKEN, for the server when it starts and for this command", base)
	case status == http.StatusUnauthorized:
		return faultf(ExitRefused, "QUESTBOARD_TOKEN is not the owner's token of %s; "+
			"without QUESTBOARD_TOKEN a server makes a new one each time it starts", base)
	case status == http.StatusNotFound:
		return faultf(ExitNotFound, "%s", e.Message)
	case status >= http.StatusInternalServerError:
		return lost{Fault{ExitFault, errors.New(e.Message)}}
	default:
		return faultf(ExitRefused, "%s", cmp.Or(e.Message, e.Code))
	}
}
