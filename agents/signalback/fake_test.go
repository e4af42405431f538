package signalback_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"questboard/agents/signalback"
	"questboard/orchestration"
)

// quests is a server with one quest and a run of one role, whose token is the
// role's name. It records what was submitted.
type quests struct {
	quest *orchestration.Quest
	fail  error
	// run changes the caller's run, if it is set.
	run func(*orchestration.Run)
	// allow and deny are the user's changes to what every role may use.
	allow, deny []string
	ask         []string // the rules that ask

	mu    sync.Mutex
	facts []orchestration.InputKind
}

func newQuests() *quests {
	greet := &orchestration.Step{N: 0, Stage: orchestration.StageDone}
	greet.PlanStep = orchestration.PlanStep{ID: "greet", Title: "Greet"}
	part := &orchestration.Step{N: 1, Stage: orchestration.Codeweaver.Stage()}
	part.PlanStep = orchestration.PlanStep{ID: "part", Title: "Part", Description: "say goodbye",
		Files: []string{"bye.txt"}, DependsOn: []string{"greet"}, Observables: []string{"o2"}}
	done := &orchestration.Run{ID: "q1-r1", N: 0, State: orchestration.RunEnded, Visit: 1,
		Outcome: orchestration.OutcomeSignalled,
		Signal:  &orchestration.Signal{Kind: orchestration.Complete, StepID: "greet", Summary: "hello.txt greets"}}
	done.Launch = orchestration.Launch{Role: orchestration.Siegemaster, Step: "greet"}
	return &quests{quest: &orchestration.Quest{
		ID: "q1", Title: "Manners", Request: "teach it manners", Phase: orchestration.PhaseSteps,
		Requirements: []orchestration.Requirement{{ID: "r1", Context: "an empty shop", Observables: []orchestration.Observable{
			{ID: "o1", Text: "it greets"}, {ID: "o2", Text: "it says goodbye"}}}},
		Steps: orchestration.TableOf(greet, part),
		Runs:  orchestration.TableOf(done),
	}}
}

func (q *quests) RunOf(_ context.Context, token string) (*orchestration.Quest, *orchestration.Run, error) {
	for _, role := range orchestration.Roles {
		if token == string(role) {
			run := &orchestration.Run{ID: "q1-r7", N: 6, State: orchestration.RunRunning, Visit: 2}
			run.Launch = orchestration.Launch{Role: role, Step: "part"}
			if q.run != nil {
				q.run(run)
			}
			return q.quest, run, nil
		}
	}
	return nil, nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "no run has this token"}
}

func (q *quests) ToolsOf(*orchestration.Run) (allow, deny []string) { return q.allow, q.deny }

func (q *quests) AsksOf(*orchestration.Quest, *orchestration.Run) (rules []string, dir string) {
	return q.ask, "/work"
}

func (q *quests) Submit(_ context.Context, _ string, _ string, input orchestration.InputKind) (*orchestration.Quest, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fail != nil {
		return nil, q.fail
	}
	q.facts = append(q.facts, input)
	return q.quest, nil
}

func (q *quests) submitted() []orchestration.InputKind {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]orchestration.InputKind(nil), q.facts...)
}

// serve starts the endpoint on loopback.
func serve(t *testing.T, q *quests) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(signalback.New(q, "test"))
	t.Cleanup(s.Close)
	return s
}

// post sends a raw body as the given role.
func post(t *testing.T, url, token string, body []byte, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// call makes one tools/call with arguments as they are written.
func call(t *testing.T, url, token, tool, arguments string) (text string, isError bool) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	status, answer := post(t, url, token, []byte(body))
	var reply struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		t.Fatalf("answer %d is not JSON: %q", status, answer)
	}
	if reply.Error != nil || len(reply.Result.Content) != 1 {
		t.Fatalf("%s %s: no tool result but %d %s", tool, arguments, status, answer)
	}
	return reply.Result.Content[0].Text, reply.Result.IsError
}
