package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"questboard/orchestration/record"
	"questboard/orchestration/telling"
)

// agentName is how requests name their sender.
const agentName = "Questboard"

// client returns a client that follows no redirect, and that reaches local addresses only
// if the channel allows it. It uses no proxy: the address of the receiver would not be the
// one that is connected to.
func (s Sender) client(c record.Channel) *http.Client {
	dialer := net.Dialer{Timeout: s.HTTPLimit, Resolver: s.Resolver}
	if !c.Local {
		dialer.Control = public
	}
	return &http.Client{
		Timeout: s.HTTPLimit,
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post sends a request and says what came back. Only 2xx means that the message arrived.
func (s Sender) post(ctx context.Context, c record.Channel, r *http.Request) error {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", agentName)
	answer, err := s.client(c).Do(r.WithContext(ctx))
	if err != nil {
		return &telling.Fault{Why: s.unreached(err)}
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 200 && answer.StatusCode <= 299 {
		return nil
	}
	fault := &telling.Fault{Why: "it answered " + strconv.Itoa(answer.StatusCode) + " " + http.StatusText(answer.StatusCode)}
	switch code := answer.StatusCode; {
	case code >= 300 && code <= 399:
		fault.Why += "; redirects are not followed"
	case code == http.StatusGone:
		fault.Stop = true
	default:
		fault.After = retryAfter(answer.Header.Get("Retry-After"), s.Clock())
		said, _ := io.ReadAll(io.LimitReader(answer.Body, outputMost)) // as much as came
		if text := s.oneLine(ctx, hidden(c, said)); text != "" {
			fault.Why += ": " + text
		}
	}
	return fault
}

// shortestPart is the least length of a part of an address that is hidden. Shorter ones
// occur in words by chance.
const shortestPart = 6

// hidden returns what a receiver says without what only the user may know: receivers repeat
// the address that they do not know, or the token that they refuse.
func hidden(c record.Channel, said []byte) []byte {
	if end := bytes.LastIndexFunc(said, unicode.IsSpace); len(said) == outputMost && end >= 0 { // the last word may be half a secret
		said = said[:end]
	}
	secrets := []string{c.Address, c.Secret, strings.TrimPrefix(c.Secret, record.WebhookPrefix)}
	if u, err := url.Parse(c.Address); err == nil {
		secrets = append(secrets, u.RequestURI(), u.EscapedPath(), u.Path)
		if c.Kind == record.ChannelNtfy {
			secrets = append(secrets, path.Base(u.Path))
		}
		password, _ := u.User.Password()
		parts := append(strings.FieldsFunc(u.Path+"/"+u.EscapedPath(), func(r rune) bool { return r == '/' }), u.RawQuery, u.User.Username(),
			password)
		for _, values := range u.Query() {
			parts = append(parts, values...)
		}
		secrets = append(secrets, slices.DeleteFunc(parts, func(part string) bool { return len(part) < shortestPart })...)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // an address before its parts
	for _, secret := range secrets {
		if len(secret) > 1 { // "/" is none
			said = bytes.ReplaceAll(said, []byte(secret), []byte("…"))
		}
	}
	return said
}

// unreached says why there is no answer, without the address, which may be a secret.
func (s Sender) unreached(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		if outer.Timeout() {
			return fmt.Sprintf("no answer within %s", record.ShortDuration(s.HTTPLimit))
		}
		err = outer.Err
	}
	return err.Error()
}

// retryAfter reads the header of the same name: seconds or a time. 0: it says nothing.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
