package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// strangerTask is what another user of this machine tries.
type strangerTask struct {
	Base      string
	Addresses []strangerAddress
	Tokens    []string // wrong ones, tried at every address; "": none at all
	Forged    string   // a cookie that the server never issued, tried at every address
	Cookie    string   // the owner's, tried wherever a request changes something
	Guesses   int
	Data      string // our data directory
	Server    []int  // processes of the server
	Secrets   []string
}

type strangerAddress struct{ Method, Path string }

// strangerReport is what the stranger achieved.
type strangerReport struct {
	UID          int
	Answers      map[string]int // by method, path and what was shown: the status
	Stolen       int            // of them, those with the owner's cookie
	Let, AtOnce  int            // guesses that got in, and that were refused unread
	Read, SeenIn []string       // files that were read; command lines with a secret
	Elapsed      time.Duration
}

// init lets the test binary act as the stranger.
func init() {
	if len(os.Args) != 2 || os.Args[1] != "play-the-stranger" {
		return
	}
	var task strangerTask
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(task.play())
	os.Exit(0)
}

func (s strangerTask) play() strangerReport {
	report := strangerReport{UID: os.Getuid(), Answers: map[string]int{}}
	ask := func(method, path, token, cookie string) (int, string) {
		r, err := http.NewRequest(method, s.Base+path, strings.NewReader(""))
		if err != nil {
			return -1, ""
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		if path == "/ws" {
			r.Header = http.Header{"Cookie": {cookie}, "Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
				"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
		}
		w, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return -1, ""
		}
		_ = w.Body.Close()
		return w.StatusCode, w.Header.Get("Location")
	}
	begun := time.Now()
	for range s.Guesses {
		switch status, _ := ask(http.MethodGet, "/api/v1/quests", "guess-"+strconv.FormatInt(time.Now().UnixNano(), 36), ""); status {
		case http.StatusTooManyRequests:
			report.AtOnce++
		case http.StatusUnauthorized:
		default:
			report.Let++
		}
	}
	report.Elapsed = time.Since(begun)
	for _, a := range s.Addresses {
		try := func(with, token, cookie string) {
			status, to := ask(a.Method, a.Path, token, cookie)
			if strings.HasPrefix(to, "/login") {
				status = http.StatusUnauthorized
			}
			report.Answers[fmt.Sprint(a.Method, " ", a.Path, " with ", with)] = status
		}
		for i, token := range s.Tokens {
			try(fmt.Sprint("token ", i), token, "")
		}
		try("a forged cookie", "", s.Forged)
		if a.Method != http.MethodGet || a.Path == "/ws" {
			report.Stolen++
			try("the owner's cookie", "", s.Cookie)
		}
	}
	for _, name := range []string{"", "questboard.db", "questboard.db-wal", "runs", "worktrees", "simulated"} {
		if f, err := os.Open(filepath.Join(s.Data, name)); err == nil {
			report.Read = append(report.Read, name)
			_ = f.Close()
		}
	}
	for _, pid := range s.Server {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for _, secret := range s.Secrets {
			if strings.Contains(string(args)+string(env), secret) {
				report.SeenIn = append(report.SeenIn, string(args))
			}
		}
	}
	return report
}

// publish makes a test's folder accessible to all users.
func publish(t *testing.T, dir string) {
	t.Helper()
	for ; dir != filepath.Clean(os.TempDir()) && len(dir) > 1; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// asStranger runs the task as another user.
func asStranger(t *testing.T, task strangerTask) strangerReport {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	public := t.TempDir()
	publish(t, public)
	copied := filepath.Join(public, "stranger")
	if err := e2etest.WriteProgram(copied, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(copied, 0o755); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	input, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "play-the-stranger")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = public, []string{"HOME=" + public}, strings.NewReader(string(input)), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var report strangerReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// login opens a browser's session and returns its cookie.
func (s *apiServer) login() string {
	s.t.Helper()
	w, _ := s.knock(address{"POST", "/login?token=" + apiToken}, func(*http.Request) {})
	for _, c := range w.Cookies() {
		return c.Name + "=" + c.Value
	}
	s.t.Fatalf("the login: %d", w.StatusCode)
	return ""
}

// docs/hardening.md#web, T1.3: another user of this machine gets no access, on any
// route, with any guess, from any file or from the list of processes. Even with the
// owner's cookie that user changes nothing.
func TestAnotherUserOfThisMachineGetsNowhere(t *testing.T) {
	t.Parallel()
	switch {
	case runtime.GOOS != "linux":
		t.Skip("processes and users are those of Linux")
	case os.Geteuid() != 0 && os.Getenv("CI") == "true":
		t.Fatal("root is needed to become another user")
	case os.Geteuid() != 0:
		t.Skip("root is needed to become another user")
	}
	s, server, said := startWith(t, append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken, "DISPLAY="), workers)
	publish(t, filepath.Dir(s.data)) // so that only the server's own measures protect its data
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	run := s.running(quest, 1)
	token := runToken(t, s.data, run)
	before := s.get("/quests/" + quest).want(http.StatusOK)
	api, pages, others := s.addresses(quest, run)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.base, "http://"), ":")
	task := strangerTask{Base: s.base, Tokens: []string{"", apiToken[1:], token}, Guesses: 400, Data: s.data,
		Forged: "questboard_" + port + "=" + apiToken[1:], Cookie: s.login(),
		Server: append(descendants(t, server), server), Secrets: []string{apiToken, token}}
	if n, err := strconv.Atoi(os.Getenv("QUESTBOARD_GUESSES")); err == nil {
		task.Guesses = n
	}
	open := map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/favicon.ico": true, "/login": true}
	for _, list := range [][]address{api, pages, others} {
		for _, a := range list {
			if !open[a.path] && a.path != "/mcp" { // /mcp takes the tokens of runs, and has its own tests
				task.Addresses = append(task.Addresses, strangerAddress{a.method, a.path})
			}
		}
	}
	report := asStranger(t, task)
	if report.UID != 65534 || len(report.Answers) != 4*len(task.Addresses)+report.Stolen || report.Stolen < 30 {
		t.Fatalf("user %d, %d answers, %d of them with the owner's cookie", report.UID, len(report.Answers), report.Stolen)
	}
	t.Logf("%d requests on %d addresses, %d with the owner's cookie; %d guesses in %v, %d refused at once",
		len(report.Answers), len(task.Addresses), report.Stolen, task.Guesses, report.Elapsed, report.AtOnce)
	for asked, status := range report.Answers {
		if status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusTooManyRequests {
			t.Errorf("%s: %d", asked, status)
		}
	}
	if allowed := 10 * (int(report.Elapsed.Seconds()) + 2); report.Let != 0 || task.Guesses-report.AtOnce > allowed {
		t.Errorf("of %d guesses in %v %d got in, and only %d were refused at once", task.Guesses, report.Elapsed, report.Let, report.AtOnce)
	}
	if len(report.Read) > 0 || len(report.SeenIn) > 0 {
		t.Errorf("read %q; saw a secret in %q", report.Read, report.SeenIn)
	}
	if after := s.get("/quests/" + quest).want(http.StatusOK); after["version"] != before["version"] {
		t.Errorf("the quest went from version %v to %v\n%s", before["version"], after["version"], said.String())
	}
}
