package web_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// How a run ended may be in the words of its program: a line of standard error, the end
// of a check, a path of this machine. No share includes these words, because they were
// cut before a secret in them could be found.
func TestSharesDoNotSayWhatAProgramWroteAtItsEnd(t *testing.T) {
	t.Parallel()
	const mark = "tulipwinter"
	for name, exit := range map[string]func(d *door){
		"waits, then resumes": func(d *door) {
			d.party.Exit(d.party.Start("routes"), orchestration.EndInfrastructure, orchestration.Exit{Why: "no way to signal: " + mark})
		},
		"crashed too often": func(d *door) {
			for range orchestration.DefaultLimits.Crash + 1 {
				d.party.Exit(d.party.Start("routes"), orchestration.EndCrashed, orchestration.Exit{Code: 1, Why: "exit code 1: " + mark})
			}
		},
		"the service is away": func(d *door) {
			d.party.Exit(d.party.Start("routes"), orchestration.EndOverloaded, orchestration.Exit{Why: "the service could not be reached: " + mark})
			d.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: d.clock().Add(time.Hour), Reason: "the service could not be reached: " + mark})
		},
		"the program is missing": func(d *door) {
			d.party.Exit(d.party.Start("routes"), orchestration.EndNotStarted, orchestration.Exit{Why: "fork/exec /srv/" + mark + "/claude: not found"})
		},
		"was tried again": func(d *door) {
			d.party.Exit(d.runOf(t, "hash"), orchestration.EndCrashed, orchestration.Exit{Code: 1, Why: "exit code 1: " + mark})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, nil)
			exit(d)
			own := d.get("/quests/"+d.party.Quest+"/steps/routes").Body.String() + d.get("/quests/"+d.party.Quest+"/steps/hash/sessions").Body.String()
			if !strings.Contains(own, mark) {
				t.Fatal("the owner does not read why")
			}
			for _, include := range []string{"", "output=true&cost=true"} {
				for at, text := range d.everything(t, d.link(t, include)) {
					if i := strings.Index(text, mark); i >= 0 {
						t.Errorf("%q: %s tells …%s…", include, at, text[max(0, i-80):i+len(mark)])
					}
				}
			}
		})
	}
}
