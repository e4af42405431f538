package e2e_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// raw sends bytes that no client library would send, and returns the first answer.
func (s *apiServer) raw(request string) (int, string) {
	s.t.Helper()
	address := strings.TrimPrefix(s.base, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	request = strings.NewReplacer("OWNER", apiToken, "OWN", address).Replace(request)
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		s.t.Fatal(err)
	}
	w, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatalf("%q: %v", request, err)
	}
	defer w.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(w.Body, 64<<10))
	return w.StatusCode, string(body)
}

// Each request has the owner's token and is unusual in one way. None of them gets the
// page. Apart from that, an answer may have any status.
func TestOddRequestsOpenNothing(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	const token = "Authorization: Bearer OWNER\nConnection: close\n\n"
	if status, _ := s.raw("GET /quests HTTP/1.1\nHost: OWN\n" + token); status != http.StatusOK {
		t.Fatalf("an honest request: %d", status)
	}
	for request, want := range map[string]int{
		"GET /quests HTTP/1.0\n": http.StatusForbidden, "GET /quests HTTP/1.1\n": http.StatusBadRequest,
		"GET /quests HTTP/1.1\nHost: OWN\nHost: evil.example\n":                                           http.StatusBadRequest,
		"GET /quests HTTP/1.1\nHost: evil.example\nHost: OWN\n":                                           http.StatusBadRequest,
		"GET /quests HTTP/1.1\nHost: evil.example\nX-Forwarded-Host: OWN\nForwarded: host=OWN\n":          http.StatusForbidden,
		"GET http://evil.example/quests HTTP/1.1\nHost: OWN\n":                                            http.StatusForbidden,
		"GET /quests HTTP/1.1\nHost: OWN\nOrigin: http://OWN\nOrigin: http://evil.example\n":              http.StatusForbidden,
		"GET /quests HTTP/1.1\nHost: OWN\nSec-Fetch-Site: same-origin\nSec-Fetch-Site: cross-site\n":      http.StatusForbidden,
		"OPTIONS * HTTP/1.1\nHost: evil.example\n":                                                        http.StatusForbidden,
		"OPTIONS /quests HTTP/1.1\nHost: OWN\nOrigin: http://evil\nAccess-Control-Request-Method: POST\n": http.StatusForbidden,
		"CONNECT /quests HTTP/1.1\nHost: OWN\n":                                                           http.StatusMethodNotAllowed,
		"TRACE /quests HTTP/1.1\nHost: OWN\n":                                                             http.StatusMethodNotAllowed,
		"GET /logout HTTP/1.1\nHost: OWN\nX-HTTP-Method-Override: POST\n":                                 http.StatusMethodNotAllowed,
		"POST /quests HTTP/1.1\nHost: OWN\nTransfer-Encoding: xchunked\n":                                 http.StatusNotImplemented,
		"POST /quests HTTP/1.1\nHost: OWN\nContent-Length: 1\nContent-Length: 2\n":                        http.StatusBadRequest,
		"PRI * HTTP/2.0\n": http.StatusBadRequest,
		"GET /quests HTTP/1.1\nHost: OWN\nX-Much: " + strings.Repeat("x", 80<<10) + "\n": http.StatusRequestHeaderFieldsTooLarge,
	} {
		if status, body := s.raw(request + token); status != want || strings.Contains(body, "New quest") {
			t.Errorf("%q: %d, want %d\n%s", request, status, want, body)
		}
	}
	for _, path := range []string{"//quests", "/./quests", "/%71uests", "/healthz/../quests", "/healthz%2f..%2fquests", "/static/%2e%2e/quests",
		"/login/../quests", "/mcp/../quests", "/s/../quests", "/healthz;x=/quests", "/static/a/../../quests", "/QUESTS", "/quests%00", `/\evil.example`} {
		status, body := s.raw("GET " + path + " HTTP/1.1\nHost: OWN\nConnection: close\n\n")
		if status != http.StatusSeeOther && status != http.StatusNotFound || strings.Contains(body, "New quest") {
			t.Errorf("%s without a login: %d", path, status)
		}
	}
}

// Headers that never end do not keep a connection open.
func TestARequestThatDoesNotEndIsCutOff(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: "); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || len(got) > 0 && !strings.HasPrefix(string(got), "HTTP/1.1 4") {
		t.Errorf("%q, %v", got, err)
	}
}
