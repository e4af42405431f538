package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

// reply is an answer of the API.
type reply struct {
	t      testing.TB
	asked  string
	status int
	text   string
}

func (s *apiServer) send(method, path, body string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return s.do(r)
}

func (s *apiServer) do(r *http.Request) reply {
	s.t.Helper()
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{s.t, r.Method + " " + r.URL.Path, w.StatusCode, string(text)}
}

func (s *apiServer) get(path string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, "/api/v1"+path, "")
}

func (s *apiServer) post(path, body string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/api/v1"+path, body)
}

// want checks the status and reads the object.
func (r reply) want(status int) object {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d; want %d: %s", r.asked, r.status, status, r.text)
	}
	var v object
	if err := json.Unmarshal([]byte(r.text), &v); err != nil {
		r.t.Fatalf("%s: %v in %s", r.asked, err, r.text)
	}
	return v
}

// refused checks the status and returns message and fields of the error.
func (r reply) refused(status int) (string, object) {
	r.t.Helper()
	detail, _ := r.want(status)["error"].(object)
	fields, _ := detail["fields"].(object)
	message, _ := detail["message"].(string)
	if detail["code"] == nil || message == "" {
		r.t.Errorf("%s: the error is %v", r.asked, detail)
	}
	return message, fields
}

// until reads the quest until so returns true, for some minutes at most. A test that
// traces each program of a quest takes more than one minute beside other tests.
func (s *apiServer) until(quest, what string, so func(q object) bool) object {
	s.t.Helper()
	var q object
	poll(s.t, 5*time.Minute, func() bool {
		q = s.get("/quests/" + quest).want(http.StatusOK)
		return so(q)
	}, func() string {
		text, _ := json.MarshalIndent(q, "", " ")
		return fmt.Sprintf("%s\n%s", what, text)
	})
	return q
}

func (s *apiServer) untilStatus(quest, status string) object {
	s.t.Helper()
	return s.until(quest, "status "+status, func(q object) bool { return q["status"] == status })
}

// begin creates a quest. fields are JSON members besides request and repo. Every step
// has its own tree, unless the fields say "workspace":"shared".
func (s *apiServer) begin(repo, fields string) string {
	s.t.Helper()
	body := fmt.Sprintf(`{"request":"- say hello","repo":%q%s}`, repo, fields)
	return s.post("/quests", body).want(http.StatusCreated)["id"].(string)
}

// objects returns the entries of a list of objects.
func objects(v any) []object {
	list, _ := v.([]any)
	out := make([]object, len(list))
	for i, item := range list {
		out[i], _ = item.(object)
	}
	return out
}

// named returns the entry of a list that has this id.
func named(v any, id string) object {
	for _, item := range objects(v) {
		if item["id"] == id {
			return item
		}
	}
	return nil
}

// apiRepo makes a git repository with one commit.
func apiRepo(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo with a space")
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org",
		"commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
