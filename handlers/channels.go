package handlers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// channelWords are what the form of each kind says.
var channelWords = map[record.ChannelKind]struct {
	add, about, address, secretLabel, secret, command string
}{
	record.ChannelWebhook: {"Add a webhook", "Posts JSON, signed as standardwebhooks.com describes.", "Such as https://example.org/hook.",
		"Secret", "It begins with whsec_. Give it to the receiver now: it is never shown again.", ""},
	record.ChannelNtfy: {"Add ntfy", "Notifies phones and desktops by ntfy.sh, or by a server of your own.",
		"With the topic: https://ntfy.sh/my-topic. Whoever knows the topic can read it.",
		"Access token", "For topics that are protected. It is never shown again.", ""},
	record.ChannelSlack: {"Add Slack", "Posts to a channel by an incoming webhook.",
		"That of the incoming webhook: https://hooks.slack.com/services/…", "", "", ""},
	record.ChannelCommand: {"Add a command", "Runs a program of yours, with JSON on its standard input.", "", "", "",
		"Its absolute path, and each argument in a line of its own. No shell reads them. It has 30 seconds, and is set only on the server's " +
			"own machine."},
}

// levelWords say of what a person is told.
var levelWords = map[record.Level]string{record.LevelAll: "Everything", record.LevelNeeds: "Only what needs me",
	record.LevelNone: "Nothing"}

// levelChoices are the levels to choose from.
func levelChoices(chosen record.Level) []views.Choice {
	var list []views.Choice
	for _, l := range record.Levels {
		list = append(list, views.Choice{Value: string(l), Words: levelWords[l], Chosen: l == chosen || chosen == "" && l == record.LevelAll})
	}
	return list
}

// ChannelsPage shows the ways in which people are told of something.
func (p *Pages) ChannelsPage(c echo.Context) error {
	notice := map[string]string{"saved": "Saved. Send a test to see that it works.",
		"removed": "Removed. Nothing more is sent there."}[c.QueryParam("done")]
	return p.channels(c, http.StatusOK, func(v *views.Channels) { v.Notice = notice })
}

// channels renders the page; change adds the result of a form.
func (p *Pages) channels(c echo.Context, status int, change func(*views.Channels)) error {
	ctx := c.Request().Context()
	now, err := p.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	page := views.Channels{Frame: p.frame("Notifications", views.SectionSettings)}
	for _, channel := range now.Channels {
		form, err := p.channelForm(ctx, channel)
		if err != nil {
			return err
		}
		form.Open = c.QueryParam("at") == channel.ID
		page.List = append(page.List, form)
	}
	for _, kind := range record.ChannelKinds {
		form := fieldsOf(record.Channel{Kind: kind, Level: record.LevelNeeds})
		if kind == record.ChannelWebhook {
			key := make([]byte, 32)
			_, _ = rand.Read(key) // never fails
			form.Secret.Value = record.WebhookPrefix + base64.StdEncoding.EncodeToString(key)
		}
		page.New = append(page.New, form)
	}
	change(&page)
	return render(c, status, views.ChannelsPage(page))
}

// fieldsOf are the fields of a channel's form. The address and the secret are not among
// them.
func fieldsOf(c record.Channel) views.ChannelForm {
	says := channelWords[c.Kind]
	form := views.ChannelForm{ID: "new-" + string(c.Kind), Channel: c.ID, Kind: string(c.Kind), Title: says.add, About: says.about,
		Name: views.Field{Value: c.Name}, Command: views.Field{Value: strings.Join(c.Command, "\n")},
		AddressHint: says.address, SecretHint: says.secret, SecretLabel: says.secretLabel, CommandHint: says.command,
		Levels: levelChoices(c.Level), Bundle: !c.Apart, Local: c.Local}
	form.From.Value, form.To.Value = c.Quiet.Clock()
	if c.ID == "" {
		return form
	}
	form.ID, form.Title, form.About = "channel-"+c.ID, views.Visible(c.Name), string(c.Kind)+" · "+views.Visible(c.Place())
	form.Kept, form.Address.Without = c.Secret != "", "Stored: "+views.Visible(c.Place())
	if form.Kept {
		form.Secret.Without, form.SecretHint = "Stored",
			"Left empty, the stored one stays, unless the address gets another scheme, host or port. "+says.secret
	}
	return form
}

// failedShown is how many failed messages the page shows of each channel.
const failedShown = 5

// channelForm is the form of a channel that exists, and how it does.
func (p *Pages) channelForm(ctx context.Context, c record.Channel) (views.ChannelForm, error) {
	form := fieldsOf(c)
	form.Stopped = views.Visible(c.Stopped)
	stands, err := p.Outbox.Standing(ctx, c.ID)
	if err != nil {
		return form, err
	}
	failed, err := p.Outbox.Failed(ctx, c.ID, failedShown)
	if err != nil {
		return form, err
	}
	form.Sent = stands.Sent
	form.Standing = standingWords(stands)
	for _, m := range failed {
		form.Failed = append(form.Failed, views.FailedMessage{Words: messageWords(m), Why: views.Visible(m.Fault), At: m.Ended})
	}
	return form, nil
}

// messageWords name a message by its first notice.
func messageWords(m record.Message) string {
	if len(m.Notices) == 0 {
		return "a message"
	}
	n := m.Notices[0]
	words := n.Words()
	if n.Title != "" {
		words += " · " + views.Visible(n.Title)
	}
	if more := len(m.Notices) - 1; more > 0 {
		words += fmt.Sprintf(", and %d more", more)
	}
	return words
}

func standingWords(s record.Standing) string {
	var parts []string
	if s.Waiting > 0 {
		parts = append(parts, views.Count(s.Waiting, "message waits", "messages wait"))
	}
	if s.Failed > 0 {
		parts = append(parts, views.Count(s.Failed, "message failed", "messages failed")+" in the last 7 days")
	}
	switch {
	case len(parts) == 0 && s.Sent.IsZero():
		return "Nothing was sent in the last 7 days."
	case len(parts) == 0:
		return "Nothing waits."
	case s.Fault != "":
		return strings.Join(parts, ", ") + ": " + views.Visible(s.Fault) + "."
	default:
		return strings.Join(parts, ", ") + "."
	}
}

// SetChannel adds or changes a channel. An empty address keeps the stored one, and so does an
// empty secret as long as the address leads to the same place.
func (p *Pages) SetChannel(c echo.Context) error {
	ctx, id := c.Request().Context(), c.FormValue("channel")
	channel := record.Channel{Kind: record.ChannelKind(c.FormValue("kind"))}
	if id != "" {
		var err error
		if channel, err = p.Channel(ctx, id); err != nil {
			return err
		}
	}
	if !slices.Contains(record.ChannelKinds, channel.Kind) {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: "Choose a webhook, ntfy, Slack or a command.",
			Fields: map[string]string{"kind": "unknown"}}
	}
	if faults := readChannel(c, &channel); len(faults) > 0 {
		return p.channels(c, http.StatusUnprocessableEntity, func(v *views.Channels) { putBackChannel(v, c, channel, faults) })
	}
	c.Set(record.AuditNote, channel.Name)
	r := c.Request()
	saved, err := p.SaveChannel(ctx, channel, service.FromHere(r.RemoteAddr, r.Host, r.Header))
	var refused *orchestration.Error
	switch {
	case errors.As(err, &refused) && refused.Code == orchestration.CodeInvalid:
		return p.channels(c, http.StatusUnprocessableEntity, func(v *views.Channels) { putBackChannel(v, c, channel, refused.Fields) })
	case err != nil:
		return err
	}
	return see(c, paths.Channels+"?done=saved&at="+saved.ID)
}

// readChannel reads the fields of the form into a channel, and says what is wrong with them.
func readChannel(c echo.Context, to *record.Channel) (faults map[string]string) {
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	stored := *to
	to.Name, to.Level = value("name"), record.Level(value("level"))
	if address := value("address"); address != "" {
		to.Address = address
	}
	secretFault := to.SetSecret(value("secret"), c.FormValue("unset") != "", stored)
	to.Command = nil
	for line := range strings.SplitSeq(value("command"), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			to.Command = append(to.Command, line)
		}
	}
	to.Apart, to.Local = c.FormValue("bundle") == "", c.FormValue("local") != ""
	var quietFault string
	to.Quiet, quietFault = record.ReadQuiet(value("from"), value("to"))
	faults = to.Check()
	for name, why := range map[string]string{"secret": secretFault, "quiet": quietFault} {
		if why != "" {
			faults[name] = why
		}
	}
	return faults
}

// putBackChannel puts a refused form back into its place on the page.
func putBackChannel(v *views.Channels, c echo.Context, read record.Channel, faults map[string]string) {
	list := v.List
	if read.ID == "" {
		list = v.New
	}
	typed := fieldsOf(read)
	i := slices.IndexFunc(list, func(f views.ChannelForm) bool { return f.ID == typed.ID })
	if i < 0 {
		return
	}
	form := &list[i]
	form.Name, form.Command, form.Levels, form.Bundle, form.Local = typed.Name, typed.Command, typed.Levels, typed.Bundle, typed.Local
	form.Unset = c.FormValue("unset") != ""
	for name, field := range map[string]*views.Field{"address": &form.Address, "secret": &form.Secret, "from": &form.From, "to": &form.To} {
		field.Value = c.FormValue(name)
	}
	for name, field := range map[string]*string{"name": &form.Name.Error, "address": &form.Address.Error, "secret": &form.Secret.Error,
		"command": &form.Command.Error, "level": &form.Level, "quiet": &form.Quiet} {
		if why := faults[name]; why != "" {
			*field = strings.TrimSuffix(present.Sentence(why), ".") + "."
		}
	}
}

// TestChannel sends a test and says what happened.
func (p *Pages) TestChannel(c echo.Context) error {
	ctx := c.Request().Context()
	channel, err := p.Channel(ctx, c.FormValue("channel"))
	if err != nil {
		return err
	}
	c.Set(record.AuditNote, channel.Name)
	begun := p.Clock()
	fault := p.Deps.TestChannel(ctx, channel)
	return p.channels(c, http.StatusOK, func(v *views.Channels) {
		for i := range v.List {
			v.List[i].Open = v.List[i].Channel == channel.ID
		}
		if fault != nil {
			v.Error = "The test did not arrive at " + views.Visible(channel.Name) + ": " + views.Visible(fault.Error()) + "."
			return
		}
		v.Notice = fmt.Sprintf("The test arrived at %s, in %s.", views.Visible(channel.Name), p.Clock().Sub(begun).Round(time.Millisecond))
	})
}

// SetQuestLevel says of what of a quest the user is told.
func (p *Pages) SetQuestLevel(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	level := record.Level(c.FormValue("level"))
	if !slices.Contains(record.Levels, level) {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: "Choose everything, only what needs you, or nothing.",
			Fields: map[string]string{"level": "unknown"}}
	}
	if err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.SetLevel(q.ID, level) }); err != nil {
		return err
	}
	return see(c, paths.QuestSettings(q.ID)+"?saved=level")
}

// RemoveChannel removes a channel. What waits for it is given up.
func (p *Pages) RemoveChannel(c echo.Context) error {
	ctx, id := c.Request().Context(), c.FormValue("channel")
	if channel, err := p.Channel(ctx, id); err == nil { // removing twice is as good as once
		c.Set(record.AuditNote, channel.Name)
	}
	if err := p.Deps.RemoveChannel(ctx, id); err != nil {
		return err
	}
	return see(c, paths.Channels+"?done=removed")
}
