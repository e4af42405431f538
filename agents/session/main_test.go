package session_test

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/process"
)

// TestMain lets the test binary also act as the supervisor and as the agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case "play":
			os.Exit(play(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// play is an agent without a model: each argument is one thing to do.
func play(actions []string) int {
	for _, action := range actions {
		verb, what, _ := strings.Cut(action, " ")
		switch verb {
		case "print":
			fmt.Println(what)
		case "half":
			fmt.Print(what)
		case "file":
			data, err := os.ReadFile(what)
			if err != nil {
				return 99
			}
			_, _ = os.Stdout.Write(data)
		case "stderr":
			fmt.Fprintln(os.Stderr, what)
		case "echo-prompt":
			prompt, _ := io.ReadAll(os.Stdin)
			fmt.Printf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`+"\n", prompt)
		case "long":
			n, _ := strconv.Atoi(what)
			fmt.Println(`{"type":"assistant","message":{"content":[{"type":"text","text":"` + strings.Repeat("x", n) + `"}]}}`)
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
		case "hang":
			<-time.After(time.Hour) // Go would end select {} as a deadlock
		case "exit":
			n, _ := strconv.Atoi(what)
			return n
		}
	}
	return 0
}
