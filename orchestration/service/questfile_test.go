package service_test

import (
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/service"
)

// What a repository's file said and what a person allowed counts where it was trusted and allowed.
func TestAnImportedQuestBringsNoTrust(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	made, err := orchestration.Create(orchestration.NewQuest{ID: "abc", At: at, Request: "Greet", Repo: "/repo",
		Workspace: orchestration.WorkspaceShared, Agent: "simulated", File: &orchestration.RepoFile{Check: "make check"}})
	if err != nil {
		t.Fatal(err)
	}
	made.Quest.Allowances = []orchestration.Allowance{{Rule: "Bash(python3 *)"}}
	stored, err := service.Arrival(made.Quest, made.Events, at)
	if err != nil {
		t.Fatal(err)
	}
	q := stored[len(stored)-1].Quest
	if q.File != nil || len(q.Allowances) > 0 || !q.Paused {
		t.Errorf("it has the file %+v and the rules %+v; paused: %t", q.File, q.Allowances, q.Paused)
	}
}
