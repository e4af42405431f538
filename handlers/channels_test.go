package handlers_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// channelsOf are the stored channels.
func channelsOf(t *testing.T, s *site) []record.Channel {
	t.Helper()
	now, err := s.settings.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now.Channels
}

// keep stores a channel.
func keep(t *testing.T, s *site, c record.Channel) {
	t.Helper()
	if err := s.settings.ChangeSettings(t.Context(), func(now *record.Settings) { now.SetChannel(c) }); err != nil {
		t.Fatal(err)
	}
}

// A kind without its row in channelWords has a form without a title and without the field
// that it needs.
func TestEveryKindOfChannelHasAFormWithWords(t *testing.T) {
	t.Parallel()
	page, err := goquery.NewDocumentFromReader(call(t, newSite().pages.ChannelsPage, nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range record.ChannelKinds {
		form := page.Find("#new-" + string(kind))
		if strings.TrimSpace(form.Find("summary").Text()) == "" || strings.TrimSpace(form.Find("form > .hint").Text()) == "" ||
			form.Find("[name=address], [name=command]").Length() == 0 {
			t.Errorf("handlers/channels.go: channelWords lacks words of %s", kind)
		}
	}
}

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestAChannelIsStoredAndItsSecretIsNeverShownAgain(t *testing.T) {
	t.Parallel()
	s := newSite()
	form := url.Values{"kind": {"webhook"}, "name": {"Pager"}, "address": {"https://pager.example/hook/2fa1c9"}, "secret": {webhookSecret},
		"level": {"needs"}, "from": {"22:00"}, "to": {"07:30"}, "bundle": {"on"}}
	if w := call(t, s.pages.SetChannel, form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	list := channelsOf(t, s)
	want := []record.Channel{{ID: list[0].ID, Name: "Pager", Kind: record.ChannelWebhook, Address: "https://pager.example/hook/2fa1c9", Secret: webhookSecret,
		Level: record.LevelNeeds, Quiet: record.Quiet{From: 22 * 60, To: 7*60 + 30}}}
	if diff := cmp.Diff(want, list); diff != "" || list[0].ID == "" {
		t.Error(diff)
	}
	page := call(t, s.pages.ChannelsPage, nil).Body.String()
	if strings.Contains(page, "2fa1c9") || strings.Contains(page, webhookSecret) || !strings.Contains(page, "pager.example") {
		t.Errorf("the page: %s", page)
	}
	form = url.Values{"channel": {list[0].ID}, "kind": {"slack"}, "name": {"Pager 2"}, "level": {"all"}, "local": {"on"}}
	call(t, s.pages.SetChannel, form)
	want[0].Name, want[0].Level, want[0].Quiet, want[0].Apart, want[0].Local = "Pager 2", record.LevelAll, record.Quiet{}, true, true
	if diff := cmp.Diff(want, channelsOf(t, s)); diff != "" {
		t.Errorf("empty fields keep what is secret: %s", diff)
	}
	form.Set("unset", "on")
	call(t, s.pages.SetChannel, form)
	if got := channelsOf(t, s)[0]; got.Secret != "" || got.Address != want[0].Address {
		t.Errorf("forgotten: %+v", got)
	}
	call(t, s.pages.RemoveChannel, url.Values{"channel": {list[0].ID}})
	if left := channelsOf(t, s); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A test would send the token to whatever address stands in the form of a page that is open.
func TestANewAddressDoesNotGetTheStoredSecret(t *testing.T) {
	t.Parallel()
	s := newSite()
	stored := record.Channel{ID: "phone", Name: "Phone", Kind: record.ChannelNtfy, Address: "https://ntfy.example/tides", Secret: "tk_1"}
	keep(t, s, stored)
	if hint := words(parsed(t, call(t, s.pages.ChannelsPage, nil)), "#channel-phone-secret-hint"); !strings.Contains(hint, "unless the address gets another scheme, host or port") {
		t.Errorf("the page: %q", hint)
	}
	form := url.Values{"channel": {"phone"}, "name": {"Mine"}, "address": {"https://evil.example/tides"}}
	w := call(t, s.pages.SetChannel, form)
	page := parsed(t, w)
	if got := words(page, "#channel-phone-secret-error"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, "The stored one is for ntfy.example: type it again") {
		t.Errorf("%d %q", w.Code, got)
	}
	about := page.Find("#channel-phone")
	if got := about.Find("input[name=address]").AttrOr("value", ""); got != "https://evil.example/tides" || about.Find("input[name=unset]").Length() != 1 ||
		!strings.Contains(about.Find("summary").Text(), "ntfy.example") {
		t.Errorf("put back: %q %s", got, about.Text())
	}
	if diff := cmp.Diff([]record.Channel{stored}, channelsOf(t, s)); diff != "" {
		t.Error(diff)
	}
	form.Set("unset", "on")
	call(t, s.pages.SetChannel, form)
	if got := channelsOf(t, s)[0]; got.Address != "https://evil.example/tides" || got.Secret != "" {
		t.Errorf("%+v", got)
	}
}

func TestAWrongChannelSaysWhatIsWrongAndLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form  url.Values
		field string
	}{
		"no address":      {url.Values{"kind": {"webhook"}, "name": {"Pager"}}, "new-webhook-address"},
		"another scheme":  {url.Values{"kind": {"slack"}, "name": {"Pager"}, "address": {"file:///etc/passwd"}}, "new-slack-address"},
		"no name":         {url.Values{"kind": {"slack"}, "address": {"https://a.example"}}, "new-slack-name"},
		"a bad secret":    {url.Values{"kind": {"webhook"}, "name": {"Pager"}, "address": {"https://a.example"}, "secret": {"whsec_short"}}, "new-webhook-secret"},
		"no topic":        {url.Values{"kind": {"ntfy"}, "name": {"Pager"}, "address": {"https://ntfy.sh/"}}, "new-ntfy-address"},
		"a relative path": {url.Values{"kind": {"command"}, "name": {"Pager"}, "command": {"notify-send"}}, "new-command-command"},
		"half a night":    {url.Values{"kind": {"slack"}, "name": {"Pager"}, "address": {"https://a.example"}, "from": {"22:00"}}, "new-slack-quiet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite()
			w := call(t, s.pages.SetChannel, c.form)
			page := parsed(t, w)
			if w.Code != http.StatusUnprocessableEntity || words(page, "#"+c.field+"-error") == "" || len(channelsOf(t, s)) != 0 {
				t.Errorf("%d %q %v", w.Code, words(page, ".error"), channelsOf(t, s))
			}
			for field, values := range c.form {
				text := words(page, "details[open] textarea") + " " + page.Find("details[open] input[name="+field+"]").AttrOr("value", "")
				if !strings.Contains(text, values[0]) {
					t.Errorf("%s %q is lost: %q", field, values[0], text)
				}
			}
		})
	}
	w := call(t, newSite().pages.SetChannel, url.Values{"kind": {"slack"}, "name": {"Pager"}, "address": {"https://a.example"}, "level": {"some"}})
	if got := words(parsed(t, w), "#new-slack-level-error"); got != "Choose all, needs or none." {
		t.Errorf("a level that there is not: %d %q", w.Code, got)
	}
	if _, err := try(newSite().pages.SetChannel, url.Values{"kind": {"pigeon"}, "name": {"Pager"}}); err == nil {
		t.Error("an unknown kind was accepted")
	}
}

// removing removes a channel after a handler has read it and before it stores it.
type removing struct{ *inMemory }

type inMemory = handlerstest.Settings

func (r removing) ChangeSettings(ctx context.Context, change func(*record.Settings)) error {
	return r.inMemory.ChangeSettings(ctx, func(now *record.Settings) {
		now.RemoveChannel("desk")
		change(now)
	})
}

func TestAChannelThatAnotherTabRemovedIsNotBroughtBack(t *testing.T) {
	t.Parallel()
	for _, within := range []bool{false, true} {
		s := newSite()
		if within {
			c, _ := handlerstest.ASlackChannel()
			keep(t, s, c)
			s.pages.Settings = removing{&s.settings}
		}
		_, err := try(s.pages.SetChannel, url.Values{"channel": {"desk"}, "kind": {"slack"}, "name": {"Desk"}, "address": {"https://hooks.slack.example/x"}})
		var refused *orchestration.Error
		if !errors.As(err, &refused) || refused.Code != orchestration.CodeNotFound || len(channelsOf(t, s)) != 0 {
			t.Errorf("within %v: %v %v", within, err, channelsOf(t, s))
		}
	}
}

// A program of a channel runs with the rights of the server.
func TestAProgramIsTakenOnlyFromTheServersOwnMachine(t *testing.T) {
	t.Parallel()
	s := newSite()
	form := url.Values{"kind": {"command"}, "name": {"Bell"}, "command": {"/usr/bin/printf\n\\a"}}
	page := parsed(t, call(t, s.pages.SetChannel, form)) // from 192.0.2.1
	if got := words(page, "#new-command-command-error"); !strings.Contains(got, "only on the server's own machine") || strings.HasSuffix(got, "..") || len(channelsOf(t, s)) != 0 {
		t.Errorf("%q %v", got, channelsOf(t, s))
	}
	stored := record.Channel{ID: "bell", Name: "Bell", Kind: record.ChannelCommand, Command: []string{"/usr/bin/printf", "\\a"}}
	keep(t, s, stored)
	form.Set("channel", "bell")
	form.Set("name", "Ship's bell")
	call(t, s.pages.SetChannel, form)
	form.Set("command", "/bin/sh")
	call(t, s.pages.SetChannel, form)
	if got := channelsOf(t, s)[0]; got.Name != "Ship's bell" || len(got.Command) != 2 {
		t.Errorf("its other fields change, and its program does not: %+v", got)
	}
}

func TestATestSaysWhatHappened(t *testing.T) {
	t.Parallel()
	s := newSite()
	c, failed := handlerstest.ASlackChannel()
	keep(t, s, c)
	s.outbox.Stand(record.Standing{Waiting: 2, Failed: 1, Sent: now(), Fault: "it answered 500 Internal Server Error"}, failed)
	page := parsed(t, call(t, s.pages.TestChannel, url.Values{"channel": {c.ID}}))
	if got := words(page, ".note"); !strings.Contains(got, "The test arrived at Desk") || len(s.outbox.Tested()) != 1 {
		t.Errorf("%q", got)
	}
	about := words(page, "#channel-desk")
	for _, want := range []string{"2 messages wait, 1 message failed in the last 7 days: it answered 500", "No backup was made: it answered 500", "21 Nov 2026"} {
		if !strings.Contains(about, want) {
			t.Errorf("%q is missing in %q", want, about)
		}
	}
	s.outbox.Fail(errors.New("no answer within 15s"))
	page = parsed(t, call(t, s.pages.TestChannel, url.Values{"channel": {c.ID}}))
	if got := words(page, ".summary-error"); got != "The test did not arrive at Desk: no answer within 15s." {
		t.Errorf("%q", got)
	}
	if _, err := try(s.pages.TestChannel, url.Values{"channel": {"gone"}}); err == nil {
		t.Error("a channel that is not there was tested")
	}
}

func TestAStoppedChannelSaysSoUntilItIsSaved(t *testing.T) {
	t.Parallel()
	s := newSite()
	c, _ := handlerstest.ASlackChannel()
	c.Stopped = "it answered 410 Gone"
	keep(t, s, c)
	if got := words(parsed(t, call(t, s.pages.ChannelsPage, nil)), "#channel-desk .error"); !strings.Contains(got, "Stopped: it answered 410 Gone.") {
		t.Errorf("%q", got)
	}
	call(t, s.pages.SetChannel, url.Values{"channel": {c.ID}, "name": {"Desk"}})
	if got := channelsOf(t, s)[0]; got.Stopped != "" {
		t.Errorf("still stopped: %q", got.Stopped)
	}
}

func TestAQuestHasALevelOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite()
	busy := handlerstest.Busy(s.engine)
	call(t, s.pages.SetQuestLevel, url.Values{"level": {"none"}}, "quest", busy.Quest)
	now, err := s.settings.Settings(t.Context())
	if err != nil || now.Levels[busy.Quest] != record.LevelNone {
		t.Errorf("%v (%v)", now.Levels, err)
	}
	page := parsed(t, call(t, s.pages.QuestSettings, nil, "quest", busy.Quest))
	if got := words(page, "#level option[selected]"); got != "Nothing" {
		t.Errorf("the page: %q", got)
	}
	call(t, s.pages.SetQuestLevel, url.Values{"level": {"all"}}, "quest", busy.Quest)
	if now, _ = s.settings.Settings(t.Context()); len(now.Levels) != 0 {
		t.Errorf("%v", now.Levels)
	}
	if _, err := try(s.pages.SetQuestLevel, url.Values{"level": {"some"}}, "quest", busy.Quest); err == nil {
		t.Error("an unknown level was accepted")
	}
}
