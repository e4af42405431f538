package service

import (
	"context"
	"crypto/rand"
	"fmt"

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
func (s Service) SaveChannel(ctx context.Context, c record.Channel) (record.Channel, error) {
	known, gone := c.ID != "", false
	if !known {
		c.ID = rand.Text()
	}
	c.Stopped = ""
	err := s.Settings.ChangeSettings(ctx, func(now *record.Settings) {
		if _, is := now.Channel(c.ID); known && !is {
			gone = true
			return
		}
		now.SetChannel(c)
	})
	if err == nil && gone {
		err = noChannel()
	}
	return c, err
}

// RemoveChannel removes a channel. What waits for it is given up. Removing it again changes
// nothing.
func (s Service) RemoveChannel(ctx context.Context, id string) error {
	return s.Settings.ChangeSettings(ctx, func(now *record.Settings) { now.RemoveChannel(id) })
}

func noChannel() error {
	return &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such channel any more."}
}
