package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"questboard/agents/process"
	"questboard/orchestration/record"
	"questboard/orchestration/telling"
)

// outputMost is how many bytes of what a receiver says are looked at.
const outputMost = 1 << 10

// oneLine makes what a receiver says fit for the reason of a fault.
func (s Sender) oneLine(ctx context.Context, text []byte) string {
	return cut(s.Clean(ctx, "", strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "·")), " ")), 200)
}

// command runs a program of the user's with the message on its standard input. No shell
// reads the command, and when the program has ended or its time is over, everything that
// it started is ended.
func (s Sender) command(ctx context.Context, c record.Channel, m record.Message, said said) error {
	body, err := json.Marshal(payloadOf(m, said))
	if err != nil {
		return &telling.Fault{Why: err.Error()}
	}
	child, err := s.Process.Start(process.Command{RunID: m.ID, Argv: c.Command, Dir: s.Dir, Env: s.Env, Stdin: append(body, '\n')})
	if err != nil {
		var start *process.StartError
		if errors.As(err, &start) {
			return &telling.Fault{Why: "the program does not start: " + start.Reason}
		}
		return &telling.Fault{Why: err.Error()}
	}
	over := make(chan struct{})
	limit := time.AfterFunc(s.CommandLimit, func() { child.End(0); close(over) })
	defer limit.Stop()
	left := context.AfterFunc(ctx, func() { child.End(0) })
	defer left()
	exit := child.Wait()
	select {
	case <-over:
		return &telling.Fault{Why: fmt.Sprintf("the program was ended after %s", record.ShortDuration(s.CommandLimit))}
	default:
	}
	switch {
	case exit.Code == 0:
		return nil
	case exit.Signal != 0:
		return &telling.Fault{Why: "the program was ended by the signal " + exit.Signal.String()}
	case exit.Lost:
		return &telling.Fault{Why: "how the program ended is not known"}
	}
	why := fmt.Sprintf("the program ended with code %d", exit.Code)
	if text := s.oneLine(ctx, exit.Stderr[max(0, len(exit.Stderr)-outputMost):]); text != "" {
		why += ": " + text
	}
	return &telling.Fault{Why: why}
}
