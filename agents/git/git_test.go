package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/git"
	"questboard/e2e/e2etest"
)

// standIn returns a runner that runs a script instead of git.
func standIn(t *testing.T, script string) git.Runner {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "git")
	err := e2etest.WriteProgram(exe, []byte("#!/bin/sh\n"+script+"\n"), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	return git.Runner{Exe: exe, Environ: []string{"PATH=" + os.Getenv("PATH")}}
}

func run(t *testing.T, r git.Runner, c git.Command) string {
	t.Helper()
	c.Limit, c.GitDir = max(c.Limit, 64<<10), "/none"
	out, _, err := r.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAnAnswerIsCutAtItsLimit(t *testing.T) {
	t.Parallel()
	r := standIn(t, "yes")
	out, cut, err := r.Run(t.Context(), git.Command{GitDir: "/none", Limit: 10, Args: []string{"log"}})
	if string(out) != "y\ny\ny\ny\ny\n" || !cut || err != nil {
		t.Errorf("%q, %v, %v", out, cut, err)
	}
}

// An answer that is too large for memory goes to a writer, up to the limit.
func TestAnAnswerCanGoToAWriter(t *testing.T) {
	t.Parallel()
	for script, cut := range map[string]bool{"echo 1234": false, "echo 12345": true, "yes 1234": true, "true": false} {
		var to strings.Builder
		out, is, err := standIn(t, script).Run(t.Context(), git.Command{GitDir: "/none", Limit: 5, Args: []string{"log"}, To: &to})
		if out != nil || is != cut || err != nil || to.Len() > 5 || script != "true" && !strings.HasPrefix(to.String(), "1234") {
			t.Errorf("%s: %q, %q, %v, %v", script, out, to.String(), is, err)
		}
	}
	var to strings.Builder
	c := git.Command{GitDir: "/none", Limit: 5, Args: []string{"log"}, To: &to}
	if _, _, err := standIn(t, "echo 12; exit 3").Run(t.Context(), c); !git.Exited(err, 3) || to.String() != "12\n" {
		t.Errorf("%q, %v", to.String(), err)
	}
}

// A process that git has started may hold git's output open. It ends with git.
func TestAGitThatHangsIsEnded(t *testing.T) {
	t.Parallel()
	ending := make(chan struct{})
	close(ending)
	for want, change := range map[error]func(*git.Runner){
		git.ErrTooLong: func(r *git.Runner) { r.Limit = 100 * time.Millisecond },
		git.ErrEnding:  func(r *git.Runner) { r.Ending = ending },
	} {
		r := standIn(t, "trap '' TERM\nsleep 600 &\nsleep 600")
		change(&r)
		began := time.Now()
		if _, _, err := r.Run(t.Context(), git.Command{GitDir: "/none", Limit: 10, Args: []string{"status"}}); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%v: it took %v", want, took)
		}
	}
}

// A process that git leaves behind may hold git's standard error open, and on a busy
// machine its end comes late. The answer is still complete, and the process is ended.
func TestAnAnswerIsWholeWhateverHoldsTheComplaints(t *testing.T) {
	t.Parallel()
	for _, c := range []git.Command{{}, {Source: &git.Command{GitDir: "/none", Args: []string{"pack-objects"}}}} {
		left := filepath.Join(t.TempDir(), "left")
		c.Args = []string{"write-tree"}
		if out := run(t, standIn(t, "sleep 600 >/dev/null &\necho $! >'"+left+"'\necho answer"), c); out != "answer\n" {
			t.Errorf("%+v: %q", c, out)
		}
		text, err := os.ReadFile(left)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("%+v: what it left is alive", c)
			}
		}
	}
}

// alive reports whether the process exists and is not a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// If git is not told where its repository is, it looks for one in its folder and the
// folders above, and obeys the configuration there.
func TestNoCommandLooksForARepository(t *testing.T) {
	t.Parallel()
	begun := filepath.Join(t.TempDir(), "begun")
	r := standIn(t, "touch '"+begun+"'")
	for _, c := range []git.Command{{Dir: t.TempDir()}, {WorkTree: "/"}, {Common: "/none"}, {GitDir: "/none", Source: &git.Command{Args: []string{"pack-objects"}}}} {
		c.Args = []string{"status"}
		_, _, err := r.Run(t.Context(), c)
		if _, started := os.Stat(begun); err == nil || !errors.Is(started, os.ErrNotExist) {
			t.Errorf("%+v: %v, it was started: %v", c, err, started == nil)
		}
	}
	for want, c := range map[string]git.Command{
		"GIT_DIR=/none":                       {},
		"GIT_DIR=/none GIT_COMMON_DIR=/view":  {Common: "/view"},
		"GIT_DIR=/none GIT_WORK_TREE=/a tree": {WorkTree: "/a tree"},
		"GIT_DIR=/none GIT_INDEX_FILE=/index": {Index: "/index"},
	} {
		c.Args = []string{"status"}
		var places []string
		for line := range strings.Lines(run(t, standIn(t, "env"), c)) {
			if name, _, _ := strings.Cut(line, "="); slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}, name) {
				places = append(places, strings.TrimSuffix(line, "\n"))
			}
		}
		slices.SortFunc(places, func(a, b string) int { return strings.Index(want, a) - strings.Index(want, b) })
		if got := strings.Join(places, " "); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}

// git sees only those variables of the host that the command needs.
func TestNoOtherVariableReachesGit(t *testing.T) {
	t.Parallel()
	r := standIn(t, "env")
	for _, name := range []string{"HOME", "GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_AUTH_SOCK", "GH_TOKEN", "AWS_SECRET", "EDITOR"} {
		r.Environ = append(r.Environ, name+"=canary")
	}
	for want, c := range map[string]git.Command{
		"":                       {},
		"GIT_CONFIG_GLOBAL HOME": {Users: true},
		"GH_TOKEN GIT_CONFIG_GLOBAL HOME SSH_AUTH_SOCK": {Online: true},
	} {
		c.Args = []string{"status"}
		out := run(t, r, c)
		var seen []string
		for line := range strings.Lines(out) {
			if name, is := strings.CutSuffix(line, "=canary\n"); is {
				seen = append(seen, name)
			}
		}
		slices.Sort(seen)
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%+v: it sees %q, want %q", c, got, want)
		}
		if alone := !c.Users && !c.Online; alone != strings.Contains(out, "GIT_CONFIG_GLOBAL="+os.DevNull+"\n") || alone != strings.Contains(out, "GIT_CONFIG_NOSYSTEM=1\n") {
			t.Errorf("%+v: the user's configuration: %s", c, out)
		}
		if c.Online == strings.Contains(out, "GIT_ALLOW_PROTOCOL=none\n") {
			t.Errorf("%+v: beyond this machine: %s", c, out)
		}
	}
}

// Every command has the settings that override all others, and a command that changes
// something has more of them.
func TestEveryCommandHasTheSettingsThatWin(t *testing.T) {
	t.Parallel()
	r := standIn(t, `printf '%s\n' "$@"`)
	for _, c := range []git.Command{{}, {Writing: true}, {Online: true, Settings: []string{"-c", "a.b=c"}}, {Users: true, Quick: true}} {
		c.Args = []string{"status", "-z"}
		out := run(t, r, c)
		for _, setting := range []string{"--no-optional-locks", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null"} {
			if !strings.Contains(out, setting+"\n") {
				t.Errorf("%+v: without %s: %s", c, setting, out)
			}
		}
		if c.Writing != strings.Contains(out, "merge.conflictStyle=diff3\n") || len(c.Settings) > 0 != strings.Contains(out, "-c\na.b=c\n") || !strings.HasSuffix(out, "\nstatus\n-z\n") {
			t.Errorf("%+v: %s", c, out)
		}
	}
}

func TestWhatTouchesAnAgentsFilesIsConfined(t *testing.T) {
	t.Parallel()
	r := standIn(t, `echo "$CONFINED"`)
	r.Confine = func(dir string, reads, writes []string) []string {
		return []string{"/usr/bin/env", "CONFINED=" + strings.Join(slices.Concat([]string{dir}, reads, writes), " ")}
	}
	for want, c := range map[string]git.Command{
		"\n":      {},
		"/ /r\n":  {Reads: []string{"/r"}},
		"/ /w\n":  {Writes: []string{"/w"}},
		"/ r w\n": {Reads: []string{"r"}, Writes: []string{"w"}},
	} {
		c.Dir, c.Args = "/", []string{"status"}
		if got := run(t, r, c); got != want {
			t.Errorf("%+v: confined to %q, want %q", c, got, want)
		}
	}
}

// If a server is killed while git works, git still holds the lock, so the next server
// waits for it.
func TestALockIsHeldByTheGitThatWorksUnderIt(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "quest", "turn")
	var one, two git.Locks
	lock, err := one.Take(t.Context(), name)
	if err != nil || !lock.Died.IsZero() {
		t.Fatal(lock, err)
	}
	// The test itself may have been started with a file of another as its third.
	r := standIn(t, "if [ /dev/fd/3 -ef '"+name+"' ]; then echo held; fi")
	for want, held := range map[string]*git.Lock{"held\n": lock, "": nil} {
		if got := run(t, r, git.Command{Held: held, Args: []string{"gc"}}); got != want {
			t.Errorf("with %v: %q", held, got)
		}
	}
	waiting, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := two.Take(waiting, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("another server gets it: %v", err)
	}
	lock.Release()
	next, err := two.Take(t.Context(), name)
	if err != nil || !next.Died.IsZero() {
		t.Fatal(next, err)
	}
	next.Release()
	// If a lock file says when it was taken, its server died.
	if err := os.WriteFile(name, []byte("2026-11-22T10:00:00Z"), 0o600); err != nil {
		t.Fatal(err)
	}
	if next, err = two.Take(t.Context(), name); err != nil || next.Died.Hour() != 10 {
		t.Fatal(next, err)
	}
	next.Release()
}

// A git that is ended may leave lock files: it is killed if the machine is too busy to let it
// clean up. So the next holder of the lock is told to look for them.
func TestALockSaysThatAnEarlierGitWasEndedUntilSomebodyHasCleared(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "turn")
	var locks git.Locks
	for script, cut := range map[string]bool{"exec sleep 60": true, "kill -KILL $$": true, "exit 137": true, "exit 128": false, "exit 3": false, "true": false} {
		lock, err := locks.Take(t.Context(), name)
		if err != nil || !lock.Died.IsZero() {
			t.Fatal(script, lock.Died, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if strings.Contains(script, "sleep") {
			time.AfterFunc(200*time.Millisecond, cancel)
		}
		_, _, _ = standIn(t, script).Run(ctx, git.Command{GitDir: t.TempDir(), Held: lock, Writing: true, Limit: 10, Args: []string{"update-ref"}})
		cancel()
		lock.Release()
		next, err := locks.Take(t.Context(), name)
		if err != nil || next.Died.IsZero() == cut {
			t.Errorf("after %q: %v, %v", script, next.Died, err)
		}
		next.Release() // it has cleared nothing
		if next, err = locks.Take(t.Context(), name); err != nil || next.Died.IsZero() == cut {
			t.Errorf("two holders after %q: %v, %v", script, next.Died, err)
		}
		next.Cleared()
		next.Release()
	}
}

// A young lock file may belong to a git at work. An old one belongs to a dead git.
func TestALockFileIsClearedOnceItIsStale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "refs", "a.lock")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	written := func(ago time.Duration) {
		at := time.Now().Add(ago)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	written(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := git.ClearLocks(ctx, dir); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a young one: %v", err)
	}
	written(-time.Minute)
	if err := git.ClearLocks(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there still: %v", err)
	}
	if err := git.ClearLock(t.Context(), name); err != nil {
		t.Errorf("one that is gone: %v", err)
	}
}
