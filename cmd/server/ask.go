package main

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

// askTimeout is the longest time that the server may take for one answer.
const askTimeout = 30 * time.Second

// maxAnswer limits what is read into memory, in bytes. A quest of a hundred steps has one
// megabyte.
const maxAnswer = 256 << 20

// asking is a command that asks a running server, by the JSON API.
type asking struct {
	cfg  Config
	http *http.Client
}

// askingOf prepares a command. When ctx ends, -timeout is over.
func askingOf(ctx context.Context, cfg Config) (a asking, _ context.Context, end context.CancelFunc) {
	a = asking{cfg, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this server only
	}}}
	if cfg.Timeout == 0 {
		ctx, end = context.WithCancel(ctx)
	} else {
		ctx, end = context.WithTimeout(ctx, cfg.Timeout)
	}
	return a, ctx, end
}

// validateAsking returns the faults of the flags of commands that ask a server.
func (c Config) validateAsking() (faults usageFaults) {
	if c.URL != "" && !webAddress(c.URL) {
		faults = append(faults, fmt.Sprintf("-url: %q "+wrongAddress, c.URL))
	}
	if !linkable(c.Token) {
		faults = append(faults, "-token: "+wrongToken)
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Sprintf("-timeout: %s is less than nothing", c.Timeout))
	}
	for _, what := range c.For {
		if !slices.Contains(waitables(), what) {
			faults = append(faults, fmt.Sprintf("-for: %q is none of %s", what, strings.Join(waitables(), ", ")))
		}
	}
	return faults
}

// address returns where the server answers. It may be another one after a restart.
func (a asking) address() (string, error) {
	if a.cfg.URL != "" {
		return strings.TrimSuffix(a.cfg.URL, "/"), nil
	}
	address, working := store.Address(a.cfg.Data)
	switch {
	case !working:
		return "", codedf(exitNoServer, "no server works in %s: start one, or name another with -data or -url (QUESTBOARD_URL)", a.cfg.Data)
	case address == "":
		return "", codedf(exitNoServer, "what works in %s does not say where it answers: it is a command, or a server of an older version; "+
			"name the server with -url (QUESTBOARD_URL)", a.cfg.Data)
	}
	return address, nil
}

// get asks for an object of the API and decodes it into each of the values.
func (a asking) get(ctx context.Context, path string, into ...any) error {
	return a.call(ctx, http.MethodGet, path, nil, into...)
}

// call makes a request of the API and decodes the answer into each of the values. An
// error has its exit code; a lost one can be tried again.
func (a asking) call(ctx context.Context, method, path string, body any, into ...any) error {
	base, err := a.address()
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
	limit, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(limit, method, base+"/api/v1"+path, sent)
	if err != nil {
		return err
	}
	a.authorize(r.Header)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.http.Do(r)
	if err != nil {
		return a.unanswered(ctx, base, method, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return a.unanswered(ctx, base, method, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return a.refusal(base, answer.StatusCode, text)
	}
	for _, v := range into {
		if answer.StatusCode >= http.StatusMultipleChoices || json.Unmarshal(text, v) != nil {
			return a.stranger(base)
		}
		if shape, has := v.(interface{ ours() bool }); has && !shape.ours() {
			return a.stranger(base)
		}
	}
	return nil
}

func (a asking) authorize(h http.Header) {
	if a.cfg.Token != "" {
		h.Set("Authorization", "Bearer "+a.cfg.Token)
	}
}

// lost is an error that may be over in a moment: the server is being started again.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// unanswered returns the error of a request without an answer.
func (a asking) unanswered(ctx context.Context, base, method string, err error) error {
	var op *net.OpError
	unsent := errors.As(err, &op) && op.Op == "dial"
	unsure := ""
	if method != http.MethodGet && !unsent {
		unsure = "; what was sent may have arrived, `questboard status` tells"
	}
	if ctx.Err() != nil {
		return codedf(exitTimeout, "%s did not answer within %s%s", base, a.cfg.Timeout, unsure)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return lost{codedf(exitNoServer, "%s did not answer within %s%s", base, askTimeout, unsure)}
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err // the path says nothing to people
	}
	return lost{codedf(exitNoServer, "no server answers at %s: %v%s", base, err, unsure)}
}

// stranger returns the error of an answer that no Questboard of this version gives.
func (a asking) stranger(base string) error {
	return lost{codedf(exitNoServer, "%s does not answer as Questboard %s does: it is another program, or a server of another version, "+
		"which needs its own `questboard`", base, release)}
}

// refusal returns the error of an answer with an error status.
func (a asking) refusal(base string, status int, text []byte) error {
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
		return codedf(exitRefused, "%s is not an address of that server: use the one of its -public-url, or 127.0.0.1 on its machine", base)
	case !isAPI:
		return a.stranger(base)
	case status == http.StatusUnauthorized && a.cfg.Token == "":
		return codedf(exitRefused, "%s wants the owner's token: set QUESTBOARD_TOKEN, for the server when it starts and for this command", base)
	case status == http.StatusUnauthorized:
		return codedf(exitRefused, "QUESTBOARD_TOKEN is not the owner's token of %s; "+
			"without QUESTBOARD_TOKEN a server makes a new one each time it starts", base)
	case status == http.StatusNotFound:
		return codedf(exitNotFound, "%s", e.Message)
	case status >= http.StatusInternalServerError:
		return lost{coded{exitFault, errors.New(e.Message)}}
	default:
		return codedf(exitRefused, "%s", cmp.Or(e.Message, e.Code))
	}
}
