package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// The page that creates a link says what the link shows: the board, and what the owner
// selected. It does not show the user's own request, or what waits for the user
// elsewhere.
func TestAShareShowsNoRequestAndNoNumberOfTheOwners(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link := d.link(t, "output=true&cost=true&answer=true")
	seen := d.everything(t, link)
	if owners := d.get("/quests/" + d.party.Quest + "/steps/requirements").Body.String(); !strings.Contains(owners, "You asked") || !strings.Contains(owners, "Add login to billing.") {
		t.Fatal("the owner does not see the request, so this proves nothing")
	}
	for what, page := range seen {
		for _, own := range []string{"You asked", "Add login to billing.", "request.txt", `warn needs"`, "nav-questions"} {
			if strings.Contains(page, own) {
				t.Errorf("%s shows a guest %q", what, own)
			}
		}
	}
	for _, path := range []string{link + "/request.txt", "/quests/" + d.party.Quest + "/request.txt"} {
		if got := d.visit(path); got.StatusCode == http.StatusOK {
			t.Errorf("a guest gets %s: %d", path, got.StatusCode)
		}
	}
}
