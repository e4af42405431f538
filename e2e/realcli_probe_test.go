package e2e_test

import (
	"strings"
	"testing"

	"questboard/agents/claude"
	"questboard/orchestration"
)

// What doctor asks the real CLI; nothing goes to the service.
func TestRealCLIProbe(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldestCLI, cliVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, version, orchestration.Codeweaver, done)
			found, err := claude.New(r.config).Probe(t.Context())
			if err != nil || found.Version != version || found.Old || !found.LoggedIn || found.Fault != "" {
				t.Errorf("found %+v, error %v", found, err)
			}
			r.config.Environ = without(r.config.Environ, "ANTHROPIC_API_KEY")
			found, err = claude.New(r.config).Probe(t.Context())
			if err != nil || found.LoggedIn || !strings.Contains(found.Fault, "log in") {
				t.Errorf("without a key: found %+v, error %v", found, err)
			}
			if n := len(r.model.Requests()); n > 0 {
				t.Errorf("the probe made %d requests", n)
			}
		})
	}
}
