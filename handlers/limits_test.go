package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// sent returns what a browser would send of a form.
func sent(page *goquery.Document, form string) url.Values {
	values := url.Values{}
	page.Find(form + " input").Each(func(_ int, field *goquery.Selection) {
		name, _ := field.Attr("name")
		value, _ := field.Attr("value")
		values.Set(name, value)
	})
	return values
}

func with(values url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

func TestLimitsSayWhereTheyComeFromAndAreChanged(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := parsed(t, call(t, s.pages.LimitsPage, nil))
	for field, want := range map[string]string{"slots": "Leave empty for the default (3).", "time-stuck": "Leave empty for 10m (from QUESTBOARD_STUCK_AFTER).",
		"checks": "Leave empty for the default (1).", "time-ward": "30m for a set-up, and where that is not known. A retry of a check that could not run to its end has twice as long.", "limit-crash": "Leave empty for 3.", "limit-runs": "Leave empty for 500, or 20 for each step of the plan if that is more."} {
		if got := words(page, "#"+field+"-hint"); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	if page.Find("#limits [value]:not([type=hidden]):not([type=checkbox])[value!='']").Length() != 0 {
		t.Error("a field is filled in before anything was set")
	}
	form := with(sent(page, "#limits"), "slots", "7", "checks", "4", "budget", "12.5", "limit-crash", "9", "time-stuck", "90s", "time-ward", "2h")
	if w := call(t, s.pages.SetLimits, form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	now := s.now(t)
	if now.Slots != 7 || now.Checks != 4 || now.BudgetUSD != 12.5 || now.Limits != (orchestration.Limits{Crash: 9}) ||
		now.Timeouts != (record.Timeouts{Stuck: 90 * time.Second, Ward: 2 * time.Hour}) {
		t.Errorf("%+v", now)
	}
	page = parsed(t, call(t, s.pages.LimitsPage, nil))
	if got, _ := page.Find("#time-stuck").Attr("value"); got != "1m30s" || !strings.Contains(words(page, "#time-stuck-hint"), "Leave empty for 10m (from QUESTBOARD_STUCK_AFTER).") {
		t.Errorf("set: %q, %q", got, words(page, "#time-stuck-hint"))
	}
	if got, _ := parsed(t, call(t, s.pages.NewQuest, nil)).Find("#budget").Attr("value"); got != "12.5" {
		t.Errorf("a new quest begins with the budget %q", got)
	}
	w := call(t, s.pages.SetLimits, with(form, "slots", "2"))
	stale := parsed(t, w)
	if got, _ := stale.Find("#slots").Attr("value"); w.Code != http.StatusConflict || got != "2" || s.now(t).Slots != 7 || words(stale, "[role=alert]") == "" {
		t.Errorf("a stale form: %d, %q", w.Code, got)
	}
	call(t, s.pages.SetLimits, with(sent(page, "#limits"), "slots", "", "checks", "", "budget", "", "limit-crash", "", "time-stuck", "", "time-ward", ""))
	if now := s.now(t); now.Slots != 0 || now.Checks != 0 || now.BudgetUSD != 0 || now.Limits != (orchestration.Limits{}) || now.Timeouts != (record.Timeouts{}) {
		t.Errorf("emptied: %+v", now)
	}
}

func TestWrongLimitsAreRefusedByFieldAndKept(t *testing.T) {
	t.Parallel()
	s := newSite()
	clean := func() url.Values { return sent(parsed(t, call(t, s.pages.LimitsPage, nil)), "#limits") }
	for _, c := range [][2]string{{"slots", "0"}, {"slots", "65"}, {"slots", "x<b>"}, {"checks", "0"}, {"checks", "65"}, {"checks", "x<b>"}, {"budget", "-1"}, {"budget", "NaN"}, {"budget", "1e9"}, {"limit-crash", "0"}, {"limit-ward", "-1"},
		{"limit-runs", "1.5"}, {"limit-depth", "1000001"}, {"time-stuck", "1s"}, {"time-run", "soon"}, {"time-grace", "11m"}, {"time-ward", "-1m"}, {"time-backoff", "7h"}, {"time-ward", "0s"}} {
		w := call(t, s.pages.SetLimits, with(clean(), c[0], c[1]))
		page := parsed(t, w)
		if got, _ := page.Find("#" + c[0]).Attr("value"); w.Code != http.StatusUnprocessableEntity || got != c[1] || words(page, "#"+c[0]+"-error") == "" {
			t.Errorf("%s=%s: %d, kept %q, %q", c[0], c[1], w.Code, got, words(page, "#"+c[0]+"-error"))
		}
	}
	if now := s.now(t); now.Slots != 0 || now.Timeouts != (record.Timeouts{}) {
		t.Errorf("a refusal changed %+v", now)
	}
}

// Each field of each budget refuses what is no budget, and keeps what was typed. What is
// close to nothing is not taken for "no budget".
func TestWrongBudgetsAreRefusedByFieldAndKept(t *testing.T) {
	t.Parallel()
	s := newSite()
	clean := func() url.Values { return sent(parsed(t, call(t, s.pages.LimitsPage, nil)), "#limits") }
	wrong := map[string][]string{
		"budget": {"-1", "0", "NaN", "Inf", "1e7", "0x10p0", "five"},
		"tokens": {"-1", "0", "0x10", "0x10p0", "0x1_0p0", "1.5", "1e6", "1e13", "many"},
		"hours":  {"-1", "0", "1e-15", "0.009", "0x1p0", "1e7", "NaN", "8h"},
	}
	for _, prefix := range []string{"", "day-", "server-"} {
		for name, values := range wrong {
			for _, value := range values {
				w := call(t, s.pages.SetLimits, with(clean(), prefix+name, value))
				page, field := parsed(t, w), "#"+prefix+name
				if got, _ := page.Find(field).Attr("value"); w.Code != http.StatusUnprocessableEntity || got != value || words(page, field+"-error") == "" {
					t.Errorf("%s=%s: %d, kept %q, %q", prefix+name, value, w.Code, got, words(page, field+"-error"))
				}
			}
		}
	}
	if now := s.now(t); now.BudgetUSD != 0 || now.Budgets != (record.Budgets{}) {
		t.Fatalf("a refusal changed %+v", now)
	}
	for _, prefix := range []string{"", "day-", "server-"} {
		form := with(clean(), prefix+"budget", "2.50", prefix+"tokens", "2000000", prefix+"hours", "0.01")
		if w := call(t, s.pages.SetLimits, form); w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", prefix, w.Code, w.Body)
		}
	}
	all := orchestration.Amount{USD: 2.5, Tokens: 2_000_000, Time: 36 * time.Second}
	if now := s.now(t); now.BudgetUSD != 2.5 || now.Budgets != (record.Budgets{Tokens: all.Tokens, Time: all.Time, Day: all, Server: all}) {
		t.Errorf("%+v", now.Budgets)
	}
}

// A browser sends the box of each role that goes on from another's conversation.
func TestConversationsToGoOnFromAreSet(t *testing.T) {
	t.Parallel()
	s := newSite()
	boxes := func(page *goquery.Document) (ticked []string) {
		for _, box := range page.Find("#limits [name=fork][checked]").EachIter() {
			ticked = append(ticked, box.AttrOr("value", ""))
		}
		return ticked
	}
	page := parsed(t, call(t, s.pages.LimitsPage, nil))
	if got := strings.Join(boxes(page), " "); got != "pathseeker codeweaver spiritmender" {
		t.Fatalf("before anything was set: %s", got)
	}
	form := with(sent(page, "#limits"), "fork-within", "2m", "fork-large", "30000")
	form["fork"] = []string{"pathseeker", "spiritmender"}
	if w := call(t, s.pages.SetLimits, form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	now := s.now(t).Forks
	if !slices.Equal(now.Fresh, []orchestration.Role{orchestration.Codeweaver}) || now.Within != 2*time.Minute || now.Small != 0 || now.Large != 30_000 {
		t.Errorf("%+v", now)
	}
	page = parsed(t, call(t, s.pages.LimitsPage, nil))
	if got := strings.Join(boxes(page), " "); got != "pathseeker spiritmender" {
		t.Errorf("set: %s", got)
	}
	for _, c := range [][2]string{{"fork-within", "soon"}, {"fork-within", "-1m"}, {"fork-small", "-1"}, {"fork-small", "x<b>"}, {"fork-large", "1.5"}} {
		wrong := with(sent(page, "#limits"), c[0], c[1])
		wrong["fork"] = []string{"codeweaver"}
		w := call(t, s.pages.SetLimits, wrong)
		shown := parsed(t, w)
		if got, _ := shown.Find("#" + c[0]).Attr("value"); w.Code != http.StatusUnprocessableEntity || got != c[1] || words(shown, "#"+c[0]+"-error") == "" ||
			strings.Join(boxes(shown), " ") != "codeweaver" {
			t.Errorf("%s=%s: %d, kept %q and %v, %q", c[0], c[1], w.Code, got, boxes(shown), words(shown, "#"+c[0]+"-error"))
		}
	}
}

func TestAQuestsSettingsAreChanged(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates & more")
	// The engine stores 0 for a limit without a choice, and uses the default.
	if _, err := s.engine.Submit(t.Context(), p.Quest, "user", orchestration.QuestEdited{Limits: &orchestration.Limits{}}); err != nil {
		t.Fatal(err)
	}
	page := parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	form := sent(page, "#quest-settings")
	if form.Get("title") != "Rates & more" || form.Get("ward") != "go test ./..." || form.Get("limit-ward") != "3" || words(page, ".tabs [aria-current]") != "Settings" {
		t.Errorf("the form: %v", form)
	}
	if got := words(page, "#limit-ward-hint"); got != "In a row, on one step." {
		t.Errorf("below the limit stands %q", got)
	}
	before := s.quest(t, p)
	if w := call(t, s.pages.EditQuest, form, "quest", p.Quest); w.Code != http.StatusSeeOther || s.quest(t, p).Version != before.Version {
		t.Errorf("nothing was changed: %d, version %d", w.Code, s.quest(t, p).Version)
	}
	changed := with(sent(page, "#quest-settings"), "title", "Other rates", "slots", "2", "budget", "8", "ward", "make check", "limit-ward", "9", "limit-runs", "70")
	if w := call(t, s.pages.EditQuest, changed, "quest", p.Quest); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	q := s.quest(t, p)
	if q.Title != "Other rates" || q.Slots != 2 || q.BudgetUSD != 8 || q.Ward != "make check" || q.Limits.Ward != 9 || q.Limits.Runs != 70 || q.Limits.Crash != 3 {
		t.Errorf("%+v", q)
	}
	w := call(t, s.pages.EditQuest, with(changed, "ward", "mine"), "quest", p.Quest)
	stale := parsed(t, w)
	if got, _ := stale.Find("#ward").Attr("value"); w.Code != http.StatusConflict || got != "mine" || !strings.Contains(words(stale, "[role=alert]"), "the check command make check") {
		t.Errorf("a stale form: %d, %q, %q", w.Code, got, words(stale, "[role=alert]"))
	}
	for _, c := range [][2]string{{"title", " "}, {"title", strings.Repeat("x", 201)}, {"slots", "65"}, {"budget", "much"}, {"limit-crash", ""}, {"limit-crash", "0"}} {
		form := with(sent(parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest)), "#quest-settings"), c[0], c[1])
		w := call(t, s.pages.EditQuest, form, "quest", p.Quest)
		if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || words(page, "#"+c[0]+"-error") == "" {
			t.Errorf("%s=%.20s: %d", c[0], c[1], w.Code)
		}
	}
}

// A quest that was held by its budget continues after the budget was raised.
func TestABiggerBudgetLetsAQuestGoOn(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	call(t, s.pages.EditQuest, with(sent(parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest)), "#quest-settings"), "limit-runs", "1"), "quest", p.Quest)
	p.Exit(p.Start(orchestration.StepRequirements), orchestration.EndCrashed, orchestration.Exit{Code: 1, Why: "crashed"})
	if q := s.quest(t, p); q.Wait == nil {
		t.Fatalf("one run of one is used up, and nothing waits: %+v", q.Wait)
	}
	call(t, s.pages.EditQuest, with(sent(parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest)), "#quest-settings"), "limit-runs", "50"), "quest", p.Quest)
	if q := s.quest(t, p); q.Wait != nil {
		t.Errorf("50 runs are allowed, and it waits: %+v", q.Wait)
	}
}

func TestAQuestThatIsOverHasNoForm(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	call(t, s.pages.Abandon, url.Values{"title": {"Rates"}}, "quest", p.Quest)
	page := parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	if page.Find("main form").Length() != 0 || !strings.Contains(words(page, ".empty"), "ended") {
		t.Errorf("%q", words(page, "main"))
	}
	w := call(t, s.pages.EditQuest, url.Values{"was": {"x"}, "title": {"y"}}, "quest", p.Quest)
	if w.Code == http.StatusSeeOther || s.quest(t, p).Title != "Rates" {
		t.Errorf("%d", w.Code)
	}
}
