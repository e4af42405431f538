package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// A person who trusts the repository's own file in another tab finds it counting in the
// form when coming back, and the form sends what it shows then.
func TestTheFormKnowsThatTheFileWasTrustedInAnotherTab(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.repos.Own = service.RepoFile{File: &orchestration.RepoFile{Commit: "0123456789abcdef", Check: "make own"},
		Config: record.RepoConfig{Own: true, Files: []record.WantedFile{{Path: ".questboard/config.yaml", Sum: "1"}}}.Sealed()}
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.do(chromedp.SendKeys("#request", "Say hello."), chromedp.SendKeys("#repo", "/repo"))
	b.until(`document.getElementById('own-file').textContent.includes('you have not trusted it yet')`)
	err := s.settings.ChangeSettings(t.Context(), func(now *record.Settings) { now.AddTrust("/repo", s.repos.Own.Config, time.Unix(1, 0)) })
	if err != nil {
		t.Fatal(err)
	}
	eval[any](b, `void (document.getElementById('own-file-review').focus(), window.dispatchEvent(new Event('focus')))`)
	b.until(`document.getElementById('own-file').textContent.includes('make own')`)
	got := eval[string](b, `[document.querySelector('[name=own-file]').value, document.activeElement.id, document.getElementById('request').value].join()`)
	if want := "counts:" + s.repos.Own.Config.Hash + ",own-file-review,Say hello."; got != want {
		t.Errorf("the form has %s, want %s", got, want)
	}
}
