package confine_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
)

// TestMain lets this binary be the supervisor, and a server.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asServer {
		serveTool(os.Args[2:])
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == asForgetful {
		os.Exit(forget(os.Args[2]))
	}
	if len(os.Args) > 1 && os.Args[1] == process.Subcommand {
		os.Exit(process.Supervise(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// inside runs a shell script in the sandbox of a worktree and returns its output.
func (p *place) inside(script string, needs confine.Needs) string {
	p.t.Helper()
	out, err := p.run(p.spec(p.data+"/worktrees/q1/s1"), script, needs)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// bubblewrap makes the sandbox a real one.
func (p *place) bubblewrap() {
	p.t.Helper()
	bwrap, err := exec.LookPath("bwrap")
	if err == nil {
		err = exec.Command(bwrap, "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true").Run()
	}
	if err != nil && os.Getenv("CI") == "true" {
		p.t.Fatalf("CI=true, so this counts as failed: bubblewrap: %v", err)
	}
	if err != nil {
		p.t.Skipf("bubblewrap: %v", err)
	}
	p.sandbox.Bwrap = bwrap
}

// run runs a shell script as a run of a quest; an error says why it was not
// started.
func (p *place) run(spec agents.Spec, script string, needs confine.Needs) (string, error) {
	p.t.Helper()
	p.bubblewrap()
	wrap, err := p.sandbox.Wrap(p.t.Context(), spec, needs)
	if err != nil {
		return "", err
	}
	self, err := process.Self()
	if err != nil {
		p.t.Fatal(err)
	}
	var out strings.Builder
	child, err := process.Starter{Exe: self}.Start(process.Command{RunID: spec.RunID, Dir: spec.Dir, Wrap: wrap,
		Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home}, Merge: true,
		Output: func(r io.Reader) { _, _ = io.Copy(&out, r) }})
	if err != nil {
		p.t.Fatal(err)
	}
	child.Wait()
	return out.String(), nil
}

// In a fresh /proc, root could set the machine's core_pattern, which names a program that
// the kernel starts. So none of it may be writable. The test only asks whether it is,
// because writing would change the machine.
func TestNothingOfTheMachineCanBeWrittenFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	said := p.inside(`find /proc /usr /etc /opt -writable -not -type l -not -path '/proc/[0-9]*' 2>/dev/null
		test -w /proc/sys/kernel/core_pattern && echo core_pattern
		grep CapEff /proc/self/status; echo done`, confine.Needs{})
	if said != "CapEff:\t0000000000000000\ndone\n" {
		t.Errorf("can be written: %s", said)
	}
}

func TestMountsCannotBeUndoneFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.home+"/.ssh/id", "CANARY")
	p.write(p.repo+"/.git/config", "[core]\n")
	said := p.inside(`for how in "" "unshare -Urm"; do
		$how umount `+p.home+` `+p.data+` `+p.repo+`/.git 2>/dev/null
		$how mount -o remount,bind,rw `+p.repo+`/.git 2>/dev/null && echo remounted
		$how mv `+p.home+`/.claude `+p.home+`/gone 2>/dev/null && echo moved .claude
		$how mv `+p.home+`/.local `+p.home+`/gone 2>/dev/null && echo moved .local
		$how sh -c 'mount --bind `+p.home+` /mnt; ls -A /mnt/.ssh; cat `+p.home+`/.ssh/id; echo x >>`+p.repo+`/.git/config' 2>/dev/null
		done; cat `+p.repo+`/.git/config; ps -e 2>/dev/null | grep -c . ; echo done`, confine.Needs{})
	if strings.Contains(said, "CANARY") || strings.Contains(said, "remounted") || strings.Contains(said, "moved") || strings.Contains(said, "x\n") {
		t.Errorf("it got out: %s", said)
	}
	if config, _ := os.ReadFile(p.repo + "/.git/config"); string(config) != "[core]\n" {
		t.Errorf("git's configuration is %q", config)
	}
	if !strings.HasSuffix(said, "done\n") {
		t.Errorf("the script did not end: %s", said)
	}
}

// The third run of a quest finds what the first two left in its home. It finds neither
// the user's files nor the home of another quest.
func TestAQuestsHomeIsItsOwn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.mkdir(p.data + "/homes/q2")
	p.write(p.data+"/homes/q2/secret", "CANARY")
	needs := confine.Needs{Files: map[string][]byte{".claude.json": []byte("{}")},
		Binds: []confine.Bind{{From: p.data + "/runs/q1-r1", At: p.home + "/.claude/projects/x", Write: true}}}
	p.inside(`mkdir -p ~/.cache && echo kept >~/.cache/a && echo x >~/.claude/lost && echo y >~/.claude/projects/x/kept`, needs)
	said := p.inside(`cat ~/.cache/a ~/.claude/projects/x/kept; ls -A ~/.claude ~/.ssh `+p.data+`/homes; ls -A ~`, needs)
	if !strings.HasPrefix(said, "kept\ny\n") || strings.Contains(said, "lost") || strings.Contains(said, "CANARY") || strings.Contains(said, "q2") {
		t.Errorf("inside: %s", said)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".cache")); err == nil {
		t.Error("the user's home was written")
	}
}

// The folder around a shared folder can be one where tools keep what they fetch and install: the check
// needs what the set-up put there.
func TestWhatIsWrittenAroundASharedFolderIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.repo = p.home + "/go/src/app"
	p.mkdir(p.repo+"/.git", p.repo+"/sub")
	if err := os.Remove(p.home + "/go/bin"); err != nil {
		t.Fatal(err)
	}
	for quest, dir := range map[string]string{"q1": p.repo, "q2": p.repo + "/sub"} {
		spec := p.spec(dir)
		spec.QuestID = quest
		said, err := p.run(spec, "mkdir -p ~/go/pkg/mod && echo kept >~/go/pkg/mod/a && echo made >b; mv ~/go ~/gone 2>/dev/null && echo moved", confine.Needs{})
		if said != "" || err != nil {
			t.Fatal(said, err)
		}
		spec.RunID = "trial-1"
		said, err = p.run(spec, "cat ~/go/pkg/mod/a b", confine.Needs{})
		if said != "kept\nmade\n" || err != nil {
			t.Errorf("%s: %v: %s", dir, err, said)
		}
	}
	if left, err := os.ReadDir(p.home + "/go"); len(left) != 1 {
		t.Errorf("the user's home was written: %v %v", left, err)
	}
}
