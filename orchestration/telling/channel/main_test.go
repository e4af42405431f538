package channel_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"questboard/agents/process"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/telling"
	"questboard/orchestration/telling/channel"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.Subcommand {
		os.Exit(process.Supervise(os.Args[2:]))
	}
	os.Exit(m.Run())
}

var at = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// sender sends at a fixed time. It knows one secret: hunter2.
func sender(t *testing.T) channel.Sender {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return channel.Sender{Site: "https://board.example", Clock: func() time.Time { return at },
		Clean: func(_ context.Context, _, text string) string {
			return strings.ReplaceAll(text, "hunter2", "[redacted]")
		},
		Process: process.Starter{Exe: exe, KillAfter: 200 * time.Millisecond}, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")},
		HTTPLimit: 20 * time.Second, CommandLimit: 20 * time.Second}
}

// question is a message about one question whose text is hostile.
func question() record.Message {
	return record.Message{ID: "msg_1", Channel: "c", Closed: true, Notices: []orchestration.Notice{{ID: "quest-e9", Kind: "question", At: at, Needs: true,
		Quest: "quest", Title: "Tides", Step: "step-0", Question: "quest-q1", Text: "<!channel> *Which* <https://evil|tide> & hunter2?"}}}
}

// two is a message with a second notice.
func two() record.Message {
	m := question()
	m.Notices = append(m.Notices, orchestration.Notice{ID: "quest-e12", Kind: "complete", At: at, Quest: "quest", Title: "Tides"})
	return m
}

// received is one request as a receiver saw it.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// receiver answers with answer and hands over what came.
func receiver(t *testing.T, answer http.HandlerFunc) (url string, came chan received) {
	t.Helper()
	came = make(chan received, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- received{r.Method + " " + r.URL.RequestURI(), r.Header, body}
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, came
}

// faultOf is the fault of a send; nil: it arrived.
func faultOf(t *testing.T, err error) *telling.Fault {
	t.Helper()
	var fault *telling.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("no Fault: %v", err)
	}
	return fault
}
