package browser_test

import (
	"net/http"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
)

// If a step takes long to open, the panel says so, but only until the step is there.
func TestAPanelThatTakesLongSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	answer := make(chan struct{})
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/steps/") {
				<-answer
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.click("#link-form")
	b.until(`document.getElementById('panel').ariaBusy === 'true' && document.getElementById('panel').offsetWidth > 100`)
	b.accessible("a panel that loads")
	close(answer)
	b.until(`document.getElementById('panel').ariaBusy === null && document.activeElement.id === 'step-title'`)
}
