package browser_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"questboard/e2e/e2etest"
)

// rightIn is how soon the open pages must be up to date after a server is ready.
const rightIn = 2 * time.Second

// eveningTab is a user's browser with one quest.
type eveningTab struct {
	*tab
	p     *product
	quest string
	width int64
}

// reports makes errors of what the Content-Security-Policy forbids, and keeps
// hold of the sockets.
const reports = `addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI), true);
window.sockets = [];
window.WebSocket = class extends WebSocket { constructor(...of) { super(...of); sockets.push(this); } };`

func (e *eveningTab) witness() {
	e.t.Helper()
	if _, err := chromedp.Call(e.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reports}); err != nil {
		e.t.Fatal(err)
	}
}

// fits checks that the page does not scroll sideways.
func (e *eveningTab) fits(what string) {
	e.t.Helper()
	if wide := eval[int64](e.tab, "document.documentElement.scrollWidth"); wide > e.width {
		e.t.Errorf("%s: %d px wide in a window of %d", what, wide, e.width)
		e.shot(strings.ReplaceAll(what, " ", "-") + "-too-wide")
	}
}

// follow waits for a link that the live board brings, and clicks it.
func (e *eveningTab) follow(end string) {
	e.t.Helper()
	link := `#alerts a[href$="` + end + `"]`
	e.until("document.querySelector('" + link + "')")
	e.click(link)
	e.until("location.pathname.endsWith('" + end + "')")
}

// read sends a request with the owner's token. path follows the quest's path.
func (e *eveningTab) read(path, accept string) *http.Response {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodGet, e.p.url+path, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	_, token, _ := strings.Cut(e.p.login, "token=")
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		e.t.Fatalf("%s: %v (%v)", path, response, err)
	}
	return response
}

// events returns the numbers of all entries in the history.
func (e *eveningTab) events() []int64 {
	e.t.Helper()
	response := e.read("/api/v1/quests/"+e.quest+"/events?n=500", "application/json")
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Events []struct{ Seq int64 } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		e.t.Fatal(err)
	}
	numbers := make([]int64, len(answer.Events))
	for i, event := range answer.Events {
		numbers[i] = event.Seq
	}
	return numbers
}

// outputIsWhole checks that the server has the whole song during which it was killed,
// and each verse once.
func (e *eveningTab) outputIsWhole() {
	e.t.Helper()
	response := e.read("/api/v1/quests/"+e.quest, "application/json")
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Runs []struct{ ID, Role, Step string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		e.t.Fatal(err)
	}
	for _, run := range answer.Runs {
		if run.Step != "song" || run.Role != "codeweaver" {
			continue
		}
		output := e.read("/runs/"+run.ID+"/output.txt", "text/plain")
		defer func() { _ = output.Body.Close() }()
		text, err := io.ReadAll(output.Body)
		if err != nil {
			e.t.Fatal(err)
		}
		for i := 1; i <= verses; i++ {
			if n := strings.Count(string(text), fmt.Sprintf("verse %d.", i)); n != 1 {
				e.t.Errorf("verse %d is in the output %d times", i, n)
			}
		}
		return
	}
	e.t.Errorf("nobody sang: %v", answer.Runs)
}

// placements are the cards of a board: where each is, and its state in words.
func (e *eveningTab) placements() []string {
	e.t.Helper()
	response := e.read(eval[string](e.tab, "location.pathname"), "text/html")
	defer func() { _ = response.Body.Close() }()
	fresh, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return fresh.Find(".cards > .card").Map(func(_ int, card *goquery.Selection) string {
		return card.AttrOr("id", "") + " in " + card.Parent().AttrOr("id", "") + ": " + strings.TrimSpace(card.Find(".badge").Text())
	})
}

const placed = `[...document.querySelectorAll('.cards > .card')].map((card) => ` +
	"`${card.id} in ${card.parentNode.id}: ${card.querySelector('.badge').textContent.trim()}`)"

// rightAgain checks that soon after ready the page is live and shows the server's state.
func (e *eveningTab) rightAgain(ready time.Time) {
	e.t.Helper()
	var shown, want []string
	for deadline := ready.Add(patience); time.Now().Before(deadline); {
		want = e.placements()
		live := eval[bool](e.tab, `document.documentElement.dataset.live === 'on' && document.getElementById('connection-bar').hidden`)
		if shown = eval[[]string](e.tab, placed); live && reflect.DeepEqual(shown, want) {
			took := time.Since(ready)
			e.t.Logf("right again %v after the server was ready", took.Round(time.Millisecond))
			if took > e2etest.Room(rightIn) {
				e.t.Errorf("the page was right again only after %v", took)
			}
			return
		}
	}
	e.shot("not-right-again")
	e.t.Fatalf("the page shows %q, the server %q", shown, want)
}

// historyIsWhole checks that the page has every event once.
func (e *eveningTab) historyIsWhole() {
	e.t.Helper()
	want := e.events()
	var ids []string
	for {
		ids = append(ids, eval[[]string](e.tab, `[...document.querySelectorAll('li.event[id^=event-]')].map((row) => row.id)`)...)
		older := eval[string](e.tab, `document.getElementById('history-older')?.href ?? ''`)
		if older == "" {
			break
		}
		e.open(older)
	}
	once := map[string]bool{}
	for _, id := range ids {
		if once[id] {
			e.t.Errorf("%s is in the history twice", id)
		}
		once[id] = true
	}
	if len(once) != len(want) || len(want) < 20 {
		e.t.Errorf("the pages show %d events, the API %d", len(once), len(want))
	}
}
