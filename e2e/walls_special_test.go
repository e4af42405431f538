package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// inTheWay are files of an agent that git would wait for or read forever. Each has the
// name that the step's reason must contain.
var inTheWay = map[string]struct{ script, says string }{
	"attributes-pipe":  {"mkfifo .gitattributes", ".gitattributes"},
	"ignore-pipe":      {"mkfifo .gitignore", ".gitignore"},
	"deep-pipe":        {"mkdir -p a/b; mkfifo a/b/.gitignore; echo x >a/b/x", ".gitignore"},
	"modules-pipe":     {"git init -q inner; git -C inner -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m x; mkfifo .gitmodules", ".gitmodules"},
	"git-pipe":         {"rm -f .git 2>/dev/null && mkfifo .git", ""},
	"huge-file":        {"truncate -s 10G huge.bin", "huge.bin"},
	"huge-ignore":      {"truncate -s 2G .gitignore", ".gitignore"},
	"device":           {"mknod .gitignore c 1 5 2>/dev/null || mkfifo .gitignore", ".gitignore"},
	"pipe-in-the-tree": {"mkfifo pipe; echo work >work.txt", ""}, // git passes by it
}

// docs/hardening.md#git-and-the-sandbox, W1: our git waits for nothing that an agent
// leaves. The step says what is in the way, other quests of the repository go on, the
// server ends at once, and it works after a restart.
func TestNoSpecialFileHoldsOurGit(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"plain": nil, "sandbox": {"-sandbox"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if flags != nil {
				needSandbox(t)
			}
			specialFiles(t, flags)
		})
	}
}

func specialFiles(t *testing.T, flags []string) {
	repo, data, file := apiRepo(t), t.TempDir(), filepath.Join(t.TempDir(), "scenario.yaml")
	scripts := map[string]string{"good": "echo work >work.txt"}
	for step, at := range inTheWay {
		scripts[step] = at.script
	}
	write(t, file, agentRuns(scripts))
	args := append([]string{"-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s", "-slots", "12"}, flags...)
	s := launch(t, nil, args...)
	quests := map[string]string{}
	plan := `,"workspace":"worktree","ward":"true","plan":{"steps":[{"id":%q,"title":"S","files":["work.txt"]}]}`
	for step := range inTheWay {
		quests[step] = s.begin(repo, fmt.Sprintf(plan, step))
	}
	over := func(q object) bool { return q["status"] == "complete" || blockedWhy(q) != "" }
	held := map[string]object{}
	end := time.Now().Add(3 * time.Minute)
	for step, quest := range quests {
		if s.soon(quest, max(time.Second, time.Until(end)), over) {
			held[step] = s.get("/quests/" + quest).want(200)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(inTheWay)) {
		switch q, says := held[step], inTheWay[step].says; {
		case q == nil:
			t.Errorf("%s: nothing is said of it", step)
		case says != "" && !strings.Contains(blockedWhy(q), says):
			t.Errorf("%s: %s, and what it says does not name %s: %q", step, q["status"], says, blockedWhy(q))
		case says == "" && q["status"] != "complete":
			t.Logf("%s: %s: %q", step, q["status"], blockedWhy(q))
		}
	}
	good := s.begin(repo, fmt.Sprintf(plan, "good"))
	if !s.soon(good, 3*time.Minute, func(q object) bool { return q["status"] == "complete" }) {
		t.Error("another quest of the repository is held")
	}
	s.endsSoon()
	again := launch(t, nil, args...)
	if status := again.get("/quests/" + good).status; status != 200 {
		t.Errorf("after a restart: %d", status)
	}
	again.form(repo, "worktree")
	again.endsSoon()
	if left := gitProcesses(data, repo); len(left) > 0 {
		t.Errorf("git is left at work: %v", left)
	}
}

// soon reports whether so becomes true for a quest in time.
func (s *apiServer) soon(quest string, within time.Duration, so func(q object) bool) bool {
	s.t.Helper()
	end, again := time.After(within), time.NewTicker(50*time.Millisecond)
	defer again.Stop()
	for !so(s.get("/quests/" + quest).want(200)) {
		select {
		case <-end:
			return false
		case <-again.C:
		}
	}
	return true
}

// endsSoon ends the server as a user does. On a quiet machine it takes less than 5 s.
func (s *launched) endsSoon() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	begun := time.Now()
	go func() { ended <- s.cmd.Wait() }()
	select {
	case <-ended:
		if took := time.Since(begun); took > e2etest.Room(5*time.Second) {
			s.t.Errorf("SIGTERM took %v", took.Round(time.Second))
		}
	case <-time.After(2 * time.Minute):
		s.t.Error("the server does not end on SIGTERM")
		_ = s.cmd.Process.Kill()
		<-ended
	}
}

// gitProcesses returns the git processes that still work in one of these folders.
func gitProcesses(dirs ...string) []string {
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		text, _ := os.ReadFile(name)
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(name), "cwd"))
		words := strings.ReplaceAll(string(text), "\x00", " ")
		if !strings.HasPrefix(filepath.Base(strings.SplitN(words, " ", 2)[0]), "git") {
			continue
		}
		if slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(cwd, dir) || strings.Contains(words, dir) }) {
			found = append(found, words)
		}
	}
	return found
}

// The form answers, whatever is in the folder that it looks at.
func TestTheFormAnswersWhateverIsInAFolder(t *testing.T) {
	t.Parallel()
	s := startAPI(t, agentRuns(map[string]string{"only": "echo work >work.txt"}))
	for name, script := range map[string]string{
		"HEAD":        "rm .git/HEAD; mkfifo .git/HEAD",
		"index":       "rm -f .git/index; mkfifo .git/index",
		"config":      "rm .git/config; mkfifo .git/config",
		"exclude":     "rm -f .git/info/exclude; mkdir -p .git/info; mkfifo .git/info/exclude",
		"attributes":  "mkdir -p .git/info; mkfifo .git/info/attributes",
		"include":     "mkfifo evil; git config include.path \"$PWD/evil\"",
		"packed refs": "mkfifo .git/packed-refs",
		"alternates":  "mkfifo .git/objects/info/alternates",
		"commondir":   "mkfifo .git/commondir",
		"a git pipe":  "rm -rf .git; mkfifo .git",
		"tracked":     "mkfifo .gitattributes .gitignore .gitmodules",
		"config file": "git config core.excludesFile \"$PWD/evil\"; git config core.attributesFile \"$PWD/evil\"; mkfifo evil",
		"huge ignore": "truncate -s 2G .gitignore",
	} {
		repo := apiRepo(t)
		write(t, filepath.Join(repo, "a.txt"), "a\n")
		shell(t, repo, "git add -A; git commit -q -m file; echo b >a.txt\n"+script)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if status, text := s.with(t).form(repo, "worktree"); status != 0 && status != 200 {
				t.Errorf("the form: %d %s", status, text)
			}
		})
	}
}

// A git that hangs, for whatever reason, does not delay the server's end.
func TestAGitThatHangsDoesNotHoldTheServer(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string]string{"any": "*", "the check's": "* status *"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			aGitHangs(t, calls)
		})
	}
}

// aGitHangs ends a server while a call of git hangs whose arguments match.
func aGitHangs(t *testing.T, calls string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir, repo, data := t.TempDir(), apiRepo(t), t.TempDir()
	hangs := filepath.Join(dir, "hangs")
	write(t, filepath.Join(dir, "git"), fmt.Sprintf(`#!/bin/sh
case "$*" in %[3]s) if test -e '%[1]s'; then echo x >>'%[1]s'; trap '' TERM; exec sleep 98765; fi ;; esac
exec '%[2]s' "$@"
`, hangs, real, strings.ReplaceAll(calls, " ", `" "`)))
	if err := os.Chmod(filepath.Join(dir, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, agentRuns(map[string]string{"only": "touch begun; echo work >work.txt; touch '" + hangs + "'"}))
	s := launch(t, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s")
	quest := s.begin(repo, `,"workspace":"worktree","ward":"true","plan":{"steps":[{"id":"only","title":"S","files":["work.txt"]}]}`)
	waitFor(t, "a git that hangs", func() bool { text, _ := os.ReadFile(hangs); return len(text) > 0 })
	below := descendants(t, s.cmd.Process.Pid)
	s.endsSoon()
	poll(t, 10*time.Second, func() bool { return len(living(below)) == 0 }, func() string { return fmt.Sprintf("the end of %v", living(below)) })
	if err := os.Remove(hangs); err != nil {
		t.Fatal(err)
	}
	again := launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s")
	again.soonDone(quest, hangs)
}

// soonDone waits until the quest is done. Its agent may make git hang a second time.
func (s *launched) soonDone(quest, hangs string) {
	s.t.Helper()
	if !s.soon(quest, time.Minute, func(q object) bool { return q["status"] == "complete" }) {
		s.t.Errorf("after a restart the quest does not complete: %s", jsonText(s.get("/quests/" + quest).want(200)["steps"]))
	}
	_ = os.Remove(hangs)
}
