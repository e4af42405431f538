package service_test

import (
	"net/http"
	"testing"

	"questboard/orchestration/service"
)

func TestARequestIsFromHereOnlyByLoopbackAndWithoutAProxy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		remote, host, header string
		here                 bool
	}{
		{"127.0.0.1:5", "127.0.0.1:8420", "", true},
		{"[::1]:5", "[::1]:8420", "", true},
		{"127.0.0.1:5", "localhost", "", true},
		{"192.0.2.1:5", "127.0.0.1:8420", "", false},
		{"127.0.0.1:5", "board.example.org", "", false},
		{"127.0.0.1:5", "localhost.example.org:8420", "", false},
		{"127.0.0.1:5", "127.0.0.1:8420", "X-Forwarded-For", false},
		{"127.0.0.1:5", "127.0.0.1:8420", "Forwarded", false},
		{"127.0.0.1:5", "127.0.0.1:8420", "Via", false},
		{"", "", "", false},
	} {
		header := http.Header{}
		if tt.header != "" {
			header.Set(tt.header, "x")
		}
		if here := service.FromHere(tt.remote, tt.host, header); here != tt.here {
			t.Errorf("from %q to %q with %q: %v", tt.remote, tt.host, tt.header, here)
		}
	}
}
