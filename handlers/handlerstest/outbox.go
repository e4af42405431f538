package handlerstest

import (
	"context"
	"sync"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Outbox says how channels do, as a test sets it.
type Outbox struct {
	mu       sync.Mutex
	standing record.Standing
	failed   []record.Message
	tested   []record.Channel
	fault    error
}

// Stand sets how every channel does.
func (o *Outbox) Stand(s record.Standing, failed ...record.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.standing, o.failed = s, failed
}

// Fail makes Test fail with err.
func (o *Outbox) Fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fault = err
}

// Tested are the channels that Test was called for.
func (o *Outbox) Tested() []record.Channel {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tested
}

// Test is a service.Service's TestChannel.
func (o *Outbox) Test(_ context.Context, c record.Channel) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tested = append(o.tested, c)
	return o.fault
}

// Standing implements service.Outbox.
func (o *Outbox) Standing(context.Context, string) (record.Standing, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.standing, nil
}

// Failed implements service.Outbox.
func (o *Outbox) Failed(context.Context, string, int) ([]record.Message, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failed, nil
}

// ASlackChannel has had a failure. It is of no one.
func ASlackChannel() (record.Channel, record.Message) {
	n := orchestration.NewNotice(orchestration.NoticeBackup, "the disk is full", time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC))
	return record.Channel{ID: "desk", Name: "Desk", Kind: record.ChannelSlack, Address: "https://hooks.slack.example/services/T/B/hidden",
			Level: record.LevelNeeds,
			Quiet: record.Quiet{From: 22 * 60, To: 7 * 60}},
		record.Message{ID: "msg_1", Channel: "desk", Notices: []orchestration.Notice{n}, State: record.MessageFailed,
			Fault: "it answered 500 Internal Server Error", Ended: n.At}
}
