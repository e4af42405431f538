package hosts

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// A host gets what its quest needs of the settings, and nothing of other repositories, of
// channels and of other hosts.
func TestAHostGetsOnlyTheSettingsOfItsQuest(t *testing.T) {
	t.Parallel()
	all := record.Settings{
		Channels: []record.Channel{{Name: "slack", Address: "https://hooks.example/SECRET-1", Secret: "SECRET-2"}},
		Hosts:    []record.Host{{Name: "other", KeyHash: "SECRET-3"}},
		Repos:    []record.RepoSettings{{Path: "/srv/app", Setup: "make"}, {Path: "/srv/SECRET-4"}},
		Trust:    []record.Trust{{Path: "/srv/app"}, {Path: "/srv/SECRET-5"}},
		Agents:   []record.AgentProgram{{Name: "mine"}, {Name: "SECRET-6"}},
		Timeouts: record.Timeouts{Stuck: 7},
	}
	q := &orchestration.Quest{Repo: "/srv/app/part", Agent: record.AgentPrefix + "mine"}
	sent, err := json.Marshal(settingsFor(all, q))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sent), "SECRET") {
		t.Errorf("a host gets %s", sent)
	}
	l := NewLink(LinkConfig{Repos: []Repo{{Server: "/srv/app", Here: "/home/app"}}}, nil)
	var got forQuest
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	l.set(got.Settings, got.Repo)
	l.set(record.Settings{Repos: []record.RepoSettings{{Path: "/srv/other"}}}, "/srv/other")
	now := l.Settings()
	if now.Repo("/home/app").Setup != "make" || len(now.Repos) != 2 || len(now.Trust) != 1 || len(now.Agents) != 1 {
		t.Errorf("the host has %+v", now)
	}
	l.set(record.Settings{}, "/srv/app/part") // trust is withdrawn
	if now := l.Settings(); len(now.Trust) != 0 || len(now.Repos) != 1 {
		t.Errorf("after that it has %+v", now)
	}
}

// A run on a host must not read a setting that only the server has.
func TestEverySettingGoesToHostsOrIsTheServersOwn(t *testing.T) {
	t.Parallel()
	own := []string{"Slots", "Checks", "Limits", "Editor", "BudgetUSD", "Budgets", "Forks", "Channels", "Hosts", "Levels"}
	all := record.Settings{Trust: []record.Trust{{Path: "/srv/app"}}, Repos: []record.RepoSettings{{Path: "/srv/app"}},
		Roles: []record.RoleSettings{{Role: orchestration.Codeweaver}}, Timeouts: record.Timeouts{Stuck: 7},
		Agents: []record.AgentProgram{{Name: "mine"}}}
	sent := reflect.ValueOf(settingsFor(all, &orchestration.Quest{Repo: "/srv/app", Agent: record.AgentPrefix + "mine"}).Settings)
	for i := range sent.NumField() {
		name := sent.Type().Field(i).Name
		if goes := !sent.Field(i).IsZero(); goes == slices.Contains(own, name) {
			t.Errorf("%s goes to hosts: %v. If a run reads it, settingsFor must send it; if only the server does, it belongs into this list", name, goes)
		}
	}
}

func TestAHostPostsOnlyWhatBecameOfItsQuests(t *testing.T) {
	t.Parallel()
	for _, p := range []posted{
		{Quest: "abc", Kind: "quest-delivered", Input: []byte(`{}`)},
		{Quest: "abc", Kind: "slot-granted", Input: []byte(`{"Run":"abc-r1"}`)},
		{Quest: "abc", Kind: "run-exited", Input: []byte(`{"Run":"other-r1"}`)},
		{Quest: "abc", Kind: "run-exited", Input: []byte(`[]`)},
	} {
		if f, err := input(p); err == nil {
			t.Errorf("%s of %s was taken: %+v", p.Kind, p.Quest, f)
		}
	}
	for _, in := range []orchestration.InputKind{orchestration.ProcessStarted{Run: "abc-r1", PID: 7}, orchestration.SessionOpened{Run: "abc-r1", SessionID: "s"},
		orchestration.RunExited{Run: "abc-r1", End: orchestration.EndClean, Exit: orchestration.Exit{Why: "done", Changed: []string{"a"}}},
		orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeMerged, Files: []string{"b"}}, orchestration.TreeNotMade{Step: "a", Why: "no"}} {
		body, _ := json.Marshal(in)
		f, err := input(posted{Quest: "abc", Kind: kindOf(in), Input: body})
		if again, _ := json.Marshal(f); err != nil || string(again) != string(body) {
			t.Errorf("%T became %+v, %v", in, f, err)
		}
	}
}
