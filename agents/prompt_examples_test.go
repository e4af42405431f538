package agents_test

import (
	"regexp"
	"testing"

	"questboard/agents"
	"questboard/agents/signalback"
	"questboard/orchestration"
)

var jsonBlocks = regexp.MustCompile("(?s)```json\n(.*?)\n```")

// Models follow examples more than rules, so an example that would be refused teaches a fault.
func TestAgentsAreShownNoSignalThatWouldBeRefused(t *testing.T) {
	t.Parallel()
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		for _, sample := range agents.Samples(role) {
			_, message, err := agents.SamplePrompt(role, "claude", agents.PromptFacts{}, sample.Name)
			if err != nil {
				t.Fatalf("%s, %s: %v", role, sample.Name, err)
			}
			shown := map[orchestration.SignalKind]bool{}
			for _, block := range jsonBlocks.FindAllStringSubmatch(message, -1) {
				signal, faults := signalback.DecodeSignal([]byte(block[1]))
				for _, f := range orchestration.FieldsOf(signal.Kind) {
					if !f.Optional && f.In(&signal) == "" {
						faults = append(faults, f.Name+" is missing")
					}
				}
				if len(faults) > 0 {
					t.Errorf("%s, %s: this example would be refused: %q\n%s", role, sample.Name, faults, block[1])
				}
				shown[signal.Kind] = true
			}
			if !shown[orchestration.Complete] {
				t.Errorf("%s, %s: no example of complete in the message", role, sample.Name)
			}
		}
	}
}
