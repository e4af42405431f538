package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// channelJSON is a channel and how it does. Neither its address nor its secret is told.
type channelJSON struct {
	ID             string              `json:"id"`
	Name           string              `json:"name"`
	Kind           record.ChannelKind  `json:"kind"`
	Place          string              `json:"place"`
	HasSecret      bool                `json:"hasSecret"`
	Command        []string            `json:"command"`
	Level          record.Level        `json:"level"`
	Quiet          quietJSON           `json:"quiet"`
	Bundle         bool                `json:"bundle"`
	Local          bool                `json:"local"`
	Stopped        string              `json:"stopped"`
	Broken         bool                `json:"broken"`
	Waiting        int                 `json:"waiting"`
	Failed         int                 `json:"failed"`
	Fault          string              `json:"fault"`
	SentAt         *time.Time          `json:"sentAt"`
	FailedMessages []failedMessageJSON `json:"failedMessages"`
}

// quietJSON are quiet hours, such as 22:00 and 07:00; both are empty if there are none.
type quietJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type failedMessageJSON struct {
	ID      string       `json:"id"`
	Tries   int          `json:"tries"`
	Fault   string       `json:"fault"`
	EndedAt *time.Time   `json:"endedAt"`
	Notices []noticeJSON `json:"notices"`
}

type noticeJSON struct {
	ID    string                   `json:"id"`
	Kind  orchestration.NoticeKind `json:"kind"`
	At    *time.Time               `json:"at"`
	Quest string                   `json:"quest"`
}

// failedListed is how many failed messages of each channel are listed.
const failedListed = 20

func (h handlers) presentChannel(ctx context.Context, c record.Channel) (channelJSON, error) {
	stands, err := h.Outbox.Standing(ctx, c.ID)
	if err != nil {
		return channelJSON{}, err
	}
	failed, err := h.Outbox.Failed(ctx, c.ID, failedListed)
	if err != nil {
		return channelJSON{}, err
	}
	out := channelJSON{ID: c.ID, Name: c.Name, Kind: c.Kind, Place: c.Place(), HasSecret: c.Secret != "", Command: list(c.Command),
		Level: c.Level, Bundle: !c.Apart, Local: c.Local,
		Stopped: c.Stopped, Broken: c.Stopped != "" || stands.Broken(), Waiting: stands.Waiting, Failed: stands.Failed, Fault: stands.Fault,
		SentAt:         instant(stands.Sent),
		FailedMessages: []failedMessageJSON{}}
	if c.Level == "" {
		out.Level = record.LevelAll
	}
	out.Quiet.From, out.Quiet.To = c.Quiet.Clock()
	for _, m := range failed {
		message := failedMessageJSON{ID: m.ID, Tries: m.Tries, Fault: m.Fault, EndedAt: instant(m.Ended), Notices: []noticeJSON{}}
		for _, n := range m.Notices {
			message.Notices = append(message.Notices, noticeJSON{ID: n.ID, Kind: n.Kind, At: instant(n.At), Quest: n.Quest})
		}
		out.FailedMessages = append(out.FailedMessages, message)
	}
	return out, nil
}

// channelEdit has the fields that can be changed. A missing one keeps its value; an empty
// secret removes the stored one.
type channelEdit struct {
	Name    *string       `json:"name"`
	Address *string       `json:"address"`
	Secret  *string       `json:"secret"`
	Command *[]string     `json:"command"`
	Level   *record.Level `json:"level"`
	Quiet   *quietJSON    `json:"quiet"`
	Bundle  *bool         `json:"bundle"`
	Local   *bool         `json:"local"`
}

// over returns c with what is given.
func (in channelEdit) over(c record.Channel) (record.Channel, error) {
	stored := c
	put(&c.Name, in.Name)
	put(&c.Address, in.Address)
	put(&c.Command, in.Command)
	put(&c.Level, in.Level)
	put(&c.Local, in.Local)
	c.Name, c.Address = strings.TrimSpace(c.Name), strings.TrimSpace(c.Address)
	if in.Bundle != nil {
		c.Apart = !*in.Bundle
	}
	var secret, quietFault string
	put(&secret, in.Secret)
	secretFault := c.SetSecret(secret, in.Secret != nil, stored)
	if in.Quiet != nil {
		c.Quiet, quietFault = record.ReadQuiet(in.Quiet.From, in.Quiet.To)
	}
	faults := c.Check()
	for field, why := range map[string]string{"secret": secretFault, "quiet": quietFault} {
		if why != "" {
			faults[field] = why
		}
	}
	var wrong checks
	for field, why := range faults {
		wrong.add(field, "%s", why)
	}
	return c, wrong.err()
}

func (h handlers) listChannels(c echo.Context) error {
	ctx := c.Request().Context()
	now, err := h.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	out := []channelJSON{}
	for _, channel := range now.Channels {
		shown, err := h.presentChannel(ctx, channel)
		if err != nil {
			return err
		}
		out = append(out, shown)
	}
	return c.JSON(http.StatusOK, map[string]any{"channels": out})
}

func (h handlers) createChannel(c echo.Context) error {
	var in struct {
		Kind record.ChannelKind `json:"kind"`
		channelEdit
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.saveChannel(c, http.StatusCreated, record.Channel{Kind: in.Kind, Level: record.LevelNeeds}, in.channelEdit)
}

func (h handlers) editChannel(c echo.Context) error {
	var in channelEdit
	if err := decode(c, &in); err != nil {
		return err
	}
	channel, err := h.Channel(c.Request().Context(), c.Param("channel"))
	if err != nil {
		return err
	}
	return h.saveChannel(c, http.StatusOK, channel, in)
}

func (h handlers) saveChannel(c echo.Context, status int, channel record.Channel, in channelEdit) error {
	channel, err := in.over(channel)
	if err != nil {
		return err
	}
	c.Set(record.AuditNote, channel.Name)
	if channel, err = h.SaveChannel(c.Request().Context(), channel, service.FromHere(c.Request().RemoteAddr, c.Request().Host,
		c.Request().Header)); err != nil {
		return err
	}
	return h.answerChannel(c, status, channel)
}

func (h handlers) answerChannel(c echo.Context, status int, channel record.Channel) error {
	out, err := h.presentChannel(c.Request().Context(), channel)
	if err != nil {
		return err
	}
	return c.JSON(status, out)
}

func (h handlers) getChannel(c echo.Context) error {
	channel, err := h.Channel(c.Request().Context(), c.Param("channel"))
	if err != nil {
		return err
	}
	return h.answerChannel(c, http.StatusOK, channel)
}

func (h handlers) deleteChannel(c echo.Context) error {
	channel, err := h.Channel(c.Request().Context(), c.Param("channel"))
	if err != nil {
		return err
	}
	c.Set(record.AuditNote, channel.Name)
	if err := h.RemoveChannel(c.Request().Context(), channel.ID); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// testChannel sends a test. That it does not arrive is an answer, not an error.
func (h handlers) testChannel(c echo.Context) error {
	ctx := c.Request().Context()
	channel, err := h.Channel(ctx, c.Param("channel"))
	if err != nil {
		return err
	}
	c.Set(record.AuditNote, channel.Name)
	begun, said := h.Clock(), ""
	if fault := h.TestChannel(ctx, channel); fault != nil {
		said = fault.Error()
	}
	return c.JSON(http.StatusOK, map[string]any{"arrived": said == "", "fault": said, "tookMs": h.Clock().Sub(begun).Milliseconds()})
}

func (h handlers) getQuestLevel(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	now, err := h.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	level := now.Levels[q.ID]
	if level == "" {
		level = record.LevelAll
	}
	return c.JSON(http.StatusOK, map[string]any{"level": level})
}

// setQuestLevel says of what of a quest people are told.
func (h handlers) setQuestLevel(c echo.Context) error {
	var in struct {
		Level record.Level `json:"level"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	if !slices.Contains(record.Levels, in.Level) {
		return invalid("level", "choose all, needs or none")
	}
	if err := h.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.SetLevel(q.ID, in.Level) }); err != nil {
		return err
	}
	return h.getQuestLevel(c)
}
