package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
)

func TestALinkIsShownOnceAndKeptAsAHash(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	made := parsed(t, call(t, s.pages.ShareQuest, url.Values{"output": {"true"}, "expiresIn": {"30d"}}, "quest", party.Quest))
	token, ok := strings.CutPrefix(words(made, "#share-link"), "http://127.0.0.1:8420/s/")
	if !ok || len(token) != 52 { // a little more than 256 bits, in base 32
		t.Fatalf("the token is %q", token)
	}
	kept, err := s.shares.Shares(t.Context(), party.Quest)
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v (%v)", kept, err)
	}
	sum := sha256.Sum256([]byte(token))
	if kept[0].TokenHash != hex.EncodeToString(sum[:]) || strings.Contains(fmt.Sprintf("%+v", kept[0]), token) {
		t.Errorf("what is kept is not the hash: %+v", kept[0])
	}
	if !kept[0].Output || kept[0].Cost || kept[0].Answer {
		t.Errorf("what was chosen is not what is kept: %+v", kept[0])
	}
	again := parsed(t, call(t, s.pages.SharePage, nil, "quest", party.Quest))
	if again.Find("#share-link").Length() != 0 || !strings.Contains(words(again, "#shares"), "Open board, output until Monday 21 December 2026, 12:00 UTC") {
		t.Errorf("the list says %q", words(again, "#shares"))
	}
}

// A link is read by others on another day. So its end always has a date, in an element
// that a browser can convert to its time zone.
func TestTheEndOfALinkHasItsDate(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	for span, want := range map[string][2]string{"1d": {"2026-11-22T12:00:00Z", "Sunday 22 November 2026, 12:00 UTC"}, "7d": {"2026-11-28T12:00:00Z", "Saturday 28 November 2026, 12:00 UTC"}} {
		made := parsed(t, call(t, s.pages.ShareQuest, url.Values{"expiresIn": {span}}, "quest", party.Quest))
		for _, place := range []string{"#made-share time", "#shares li:first-child time[datetime='" + want[0] + "']"} {
			if end := made.Find(place); end.AttrOr("datetime", "") != want[0] || textOf(end) != want[1] {
				t.Errorf("%s, %s: %q (%s)", span, place, textOf(end), end.AttrOr("datetime", ""))
			}
		}
		if said := words(made, "#shares"); !strings.Contains(said, "until "+want[1]) {
			t.Errorf("%s: the list says %q", span, said)
		}
	}
}

func TestTheSharePageSaysWhyTeammatesCannotReachALocalServer(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	said := words(parsed(t, call(t, s.pages.SharePage, nil, "quest", party.Quest)), "#local-only")
	for _, want := range []string{"No other machine can connect to 127.0.0.1:8420", "reverse proxy", "tunnel",
		"questboard serve -addr 127.0.0.1:8420 -public-url https://quests.example.com", "ssh -N -L 8420:127.0.0.1:8420"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	s.pages.Address, s.pages.Reached = "https://quests.example", true
	public := parsed(t, call(t, s.pages.ShareQuest, url.Values{"x": {"y"}}, "quest", party.Quest))
	if public.Find("#local-only").Length() != 0 || !strings.HasPrefix(words(public, "#share-link"), "https://quests.example/s/") {
		t.Error("with a public address it complains, or links begin with another one")
	}
}

func TestALinkNeedsASpanThatThereIs(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	w := call(t, s.pages.ShareQuest, url.Values{"expiresIn": {"1y"}}, "quest", party.Quest)
	if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#expiresIn-error"), "1d, 7d or 30d") {
		t.Errorf("%d", w.Code)
	}
}
