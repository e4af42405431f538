package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// If -sandbox is asked for but not possible, the server does not start. One line says
// what to do, and the doctor says the same.
func TestAServerThatCannotConfineDoesNotStart(t *testing.T) {
	t.Parallel()
	bwrap := func(script string) string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "bwrap"), "#!/bin/sh\n"+script)
		if err := os.Chmod(filepath.Join(dir, "bwrap"), 0o755); err != nil {
			t.Fatal(err)
		}
		return dir + ":" + os.Getenv("PATH")
	}
	for name, c := range map[string]struct {
		path string
		says []string
	}{
		"missing": {t.TempDir(), []string{"bwrap is not on PATH", "apt-get install bubblewrap", "start without -sandbox"}},
		"no user namespaces": {bwrap("echo 'bwrap: No permissions to create new namespace' >&2; exit 1\n"),
			[]string{"does not work here", "No permissions to create new namespace", "kernel.unprivileged_userns_clone", "start without -sandbox"}},
		"one that confines nothing": {bwrap(`cd "$(echo "$@" | sed 's/.*--chdir \([^ ]*\).*/\1/')"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"` + "\n"),
			[]string{"could read", "start without -sandbox"}},
		"one that starts nothing": {bwrap("exit 0\n"), []string{"saw what it should not", "start without -sandbox"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			env := []string{"PATH=" + c.path}
			command(t, serverBinary(t), env, "serve", "-data", data, "-addr", "127.0.0.1:0", "-sandbox").fails(t, 1, c.says...)
			doctor := command(t, serverBinary(t), env, "doctor", "-data", data, "-agent", "simulated", "-sandbox")
			if doctor.code != 1 || !strings.Contains(doctor.stdout, "FAIL  sandbox         on, and does not work: ") || !strings.Contains(doctor.stdout, c.says[0]) {
				t.Errorf("the doctor, exit %d:\n%s", doctor.code, doctor.stdout)
			}
			if left, _ := filepath.Glob(filepath.Join(data, "*sandbox-check*")); len(left) > 0 {
				t.Errorf("the check left %v", left)
			}
		})
	}
}

// The real bubblewrap runs on a machine whose users may not make namespaces.
func TestWithoutUserNamespacesTheServerSaysSo(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	command(t, bwrap, nil, "--unshare-user", "--disable-userns", "--bind", "/", "/", "--dev", "/dev", "--",
		serverBinary(t), "serve", "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-sandbox").fails(t, 1, "bwrap: ", "user.max_user_namespaces", "start without -sandbox")
}

func TestDoctorSaysWhetherAgentsAreConfined(t *testing.T) {
	t.Parallel()
	off := command(t, serverBinary(t), nil, "doctor", "-data", t.TempDir(), "-agent", "simulated")
	if off.code != 0 || !strings.Contains(off.stdout, "off   sandbox         agents run with your full rights") || !strings.Contains(off.stdout, "none  backups ") {
		t.Error(off.code, off.stdout)
	}
	needSandbox(t)
	on := command(t, serverBinary(t), []string{"QUESTBOARD_SANDBOX=true"}, "doctor", "-data", t.TempDir(), "-agent", "simulated")
	if on.code != 0 || !strings.Contains(on.stdout, "ok    sandbox         on, and works: a program in it could not read") ||
		!strings.Contains(on.stdout, "; tried and shut: the data directory, a link called .git, a repository that borrows objects, files around our git, the network of our git, a filter that our git runs\n") {
		t.Error(on.code, on.stdout)
	}
}

// The doctor's git looks at a repository from within the sandbox, as the server's does, or not at all.
func TestTheDoctorReadsNoRepositoryOutsideOfTheSandbox(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, repo, outside := t.TempDir(), apiRepo(t), filepath.Join(t.TempDir(), "outside")
	// It asks for a version, and for configuration of its standard input and of the user.
	write(t, filepath.Join(bin, "git"),
		fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *version* | *\" config \"*) ;; *) { echo \"$*\" >>'%s'; } 2>/dev/null ;; esac\nexec '%s' \"$@\"\n", outside, real))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	doctor := func(path string) result {
		return command(t, serverBinary(t), []string{"PATH=" + path}, "doctor", "-data", t.TempDir(), "-agent", "simulated", "-sandbox", repo)
	}
	if on := doctor(bin + ":" + os.Getenv("PATH")); on.code != 0 || !strings.Contains(on.stdout, "ok    repository      "+repo) {
		t.Errorf("exit %d: %s", on.code, on.stdout)
	}
	if ran, err := os.ReadFile(outside); err == nil {
		t.Errorf("outside of the sandbox it ran git %s", ran)
	}
	if none := doctor(bin); none.code != 1 || !strings.Contains(none.stdout, "FAIL  repository      "+repo+": nothing is read there without the sandbox") {
		t.Errorf("without bubblewrap: exit %d: %s", none.code, none.stdout)
	}
}

func TestTheDemoCompletesInTheSandbox(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	d := startDemo(t, "-sandbox")
	q := d.untilComplete()
	if on := d.get("/settings").want(200)["sandbox"]; on != true {
		t.Errorf("the settings say %v", on)
	}
	d.wardIsGreen(q)
	d.bothInOneLine(q)
	d.end()
}

// choosing makes a link to the user's keys, and asks ward to read them.
const choosing = `
- role: codeweaver
  do:
    - run: mkdir -p ~/.ssh && ln -s "$(realpath --relative-to=. ~/.ssh)" .git && touch made
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
`

// An agent works in a part of a repository in shared mode and makes a link called .git
// there. The next check is not started, and the card says why.
func TestAnAgentDoesNotChooseWhatIsMounted(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	home, data, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, choosing)
	write(t, filepath.Join(home, ".ssh", "id_rsa"), "CANARY-sshkey")
	repo := filepath.Join(home, "app")
	if err := os.Rename(apiRepo(t), repo); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(repo, "part")
	if err := os.Mkdir(part, 0o755); err != nil {
		t.Fatal(err)
	}
	s := launch(t, []string{"HOME=" + home}, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-sandbox")
	id := s.begin(part, `,"workspace":"shared","ward":"if test -e made; then cat .git/id_rsa; fi","plan":{"steps":[{"id":"one","title":"One"}]}`)
	q := s.until(id, "the step is blocked", func(q object) bool { return named(q["steps"], "one")["hold"] == "blocked" })
	if text := jsonText(q); strings.Contains(text, "CANARY") || !strings.Contains(text, part+"/.git was not there when this quest first ran in the sandbox, and is a link now") {
		t.Error(text)
	}
}

// clinging is a scenario whose processes try to survive their server.
const clinging = `
- role: codeweaver
  do:
    - run: (trap '' TERM; env -i setsid sleep 98765) >/dev/null 2>&1 & touch begun
    - hang: true
`

// If the server dies, all its confined processes end. A quest's home is removed with
// the quest.
func TestNothingConfinedOutlivesTheServer(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, clinging)
	args := []string{"-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-sandbox", "-grace", "1s"}
	s := launch(t, nil, args...)
	id := s.begin(apiRepo(t), `,"ward":"","plan":{"steps":[{"id":"one","title":"One"}]}`)
	tree := filepath.Join(data, "worktrees", id, "one")
	waitFor(t, "the agent at work", func() bool { _, err := os.Stat(filepath.Join(tree, "begun")); return err == nil })
	below := descendants(t, s.cmd.Process.Pid)
	if len(below) < 4 {
		t.Errorf("only %v run below the server", below)
	}
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
	poll(t, 15*time.Second, func() bool { return len(living(below)) == 0 }, func() string {
		return fmt.Sprintf("the end of %v", living(below))
	})
	again := launch(t, nil, args...)
	again.post("/quests/"+id+"/abandon", "{}").want(200)
	home := filepath.Join(data, "homes", id)
	if _, err := os.Stat(home); err != nil {
		t.Error(err)
	}
	poll(t, 20*time.Second, func() bool { return again.send("DELETE", "/api/v1/quests/"+id, "").status < 300 }, func() string { return "the quest's deletion: " + again.send("DELETE", "/api/v1/quests/"+id, "").text })
	if _, err := os.Stat(home); err == nil {
		t.Error("the quest's home is still there")
	}
}

// living returns those of the processes that have not ended.
func living(pids []int) []int {
	var left []int
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && !strings.Contains(string(stat), ") Z ") {
			left = append(left, pid)
		}
	}
	return left
}
