package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Channel returns a channel by which people are told.
func (s Service) Channel(ctx context.Context, id string) (record.Channel, error) {
	now, err := s.Settings.Settings(ctx)
	if err != nil {
		return record.Channel{}, fmt.Errorf("read settings: %w", err)
	}
	c, is := now.Channel(id)
	if !is {
		return record.Channel{}, noChannel()
	}
	return c, nil
}

// SaveChannel adds a channel without an id, or replaces the one that has its id. A stopped one
// starts again. It returns what was stored. One that was removed meanwhile is not brought back.
// A program is taken only if the request is from here (FromHere), because nothing confines it.
func (s Service) SaveChannel(ctx context.Context, c record.Channel, here bool) (record.Channel, error) {
	known := c.ID != ""
	if !known {
		c.ID = rand.Text()
	}
	c.Stopped = ""
	var refused error
	err := s.Settings.ChangeSettings(ctx, func(now *record.Settings) {
		was, is := now.Channel(c.ID)
		switch {
		case known && !is:
			refused = noChannel()
		case !here && !slices.Equal(c.Command, was.Command):
			refused = errCommandNotFromHere()
		default:
			now.SetChannel(c)
		}
	})
	return c, cmp.Or(err, refused)
}

// RemoveChannel removes a channel. What waits for it is given up. Removing it again changes
// nothing.
func (s Service) RemoveChannel(ctx context.Context, id string) error {
	return s.Settings.ChangeSettings(ctx, func(now *record.Settings) { now.RemoveChannel(id) })
}

func errCommandNotFromHere() error {
	const why = "A program is set only on the server's own machine. Open Questboard there by its address on localhost."
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: why, Fields: map[string]string{"command": why}}
}

func noChannel() error {
	return &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such channel any more."}
}
