package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"questboard/orchestration"
)

// patches answers every request for a diff with the same patch.
type patches struct {
	patch string
	cut   bool
	err   error
	asked []string
}

func (p *patches) Diff(_ context.Context, _ *orchestration.Quest, step string) ([]byte, bool, error) {
	p.asked = append(p.asked, step)
	return []byte(p.patch), p.cut, p.err
}

func (p *patches) DiffOf(ctx context.Context, q *orchestration.Quest, step string, _ int, _ []string) ([]byte, bool, error) {
	return p.Diff(ctx, q, step)
}

func (p *patches) Writers(context.Context, *orchestration.Quest, string) ([]string, error) {
	return nil, p.err
}

// A patch is sent byte for byte, as a file that no browser shows.
func TestADiffIsSentAsItIs(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.diffs.patch = "diff --git a/x b/x\n\xff<script>\r\n"
	for path, step := range map[string]string{"/quests/q01/diff": "", "/quests/q01/steps/one/diff": "one", "/quests/q01/steps/review/diff": "review"} {
		s.diffs.asked = nil
		a := s.get(path)
		if a.status != http.StatusOK || a.text != s.diffs.patch || s.diffs.asked[0] != step {
			t.Errorf("%s: %d %q, asked for %q", path, a.status, a.text, s.diffs.asked)
		}
		h := a.header
		if h.Get("Content-Type") != "text/x-diff" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Questboard-Diff-Cut") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	s.diffs.cut = true
	if got := s.get("/quests/q01/diff").header.Get("Questboard-Diff-Cut"); got != "true" {
		t.Errorf("a cut patch says %q", got)
	}
}

// An error has a status and a reason.
func TestADiffThatIsNotThereSaysWhy(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.get("/quests/nowhere/diff").want(http.StatusNotFound)
	s.get("/quests/q01/steps/nowhere/diff").want(http.StatusNotFound)
	for code, status := range map[orchestration.Code]int{orchestration.CodeNotFound: http.StatusNotFound,
		orchestration.CodeConflict: http.StatusConflict, orchestration.CodeUnavailable: http.StatusServiceUnavailable} {
		s.diffs.err = &orchestration.Error{Code: code, Message: "because"}
		if got := s.get("/quests/q01/steps/one/diff").want(status)["error"].(object)["message"]; got != "because" {
			t.Errorf("%s: %v", code, got)
		}
	}
}
