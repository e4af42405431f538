package ward_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/orchestration"
)

func TestWhatAnExitMeans(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]struct {
		end  orchestration.End
		why  string
		code int
	}{
		"true":                        {orchestration.EndWardPassed, "passed", 0},
		"echo fine; exit 0":           {orchestration.EndWardPassed, "passed", 0},
		"false":                       {orchestration.EndWardFailed, "exit 1", 1},
		"exit 2":                      {orchestration.EndWardFailed, "exit 2", 2},
		"-x":                          {orchestration.EndWardBroke, "command not found: -x", 127},
		"no-such-command --all":       {orchestration.EndWardBroke, "command not found: no-such-command", 127},
		"cd / && ./no-such-script":    {orchestration.EndWardBroke, "command not found: ./no-such-script", 127},
		"/etc/passwd":                 {orchestration.EndWardBroke, "cannot be executed: /etc/passwd", 126},
		"kill -KILL $$":               {orchestration.EndWardBroke, "killed by another process or the system (signal 9), perhaps because memory ran out", -1},
		"sh -c 'kill -9 $$'; exit $?": {orchestration.EndWardBroke, "killed by another process or the system (signal 9), perhaps because memory ran out", 137},
		"kill -SEGV $$":               {orchestration.EndWardBroke, "ended by a signal from another process: segmentation fault", -1},
		"echo '--- FAIL: TestA'; echo '    --- FAIL: TestA/b'; echo '--- FAIL: TestC'; exit 1": {orchestration.EndWardFailed, "exit 1: 2 tests failed", 1},
		"echo '--- FAIL: TestA'; exit 1": {orchestration.EndWardFailed, "exit 1: 1 test failed", 1},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			got, _ := newRig(t).run(t, newSpec(command))
			if got.End != want.end || got.Exit.Why != want.why || got.Exit.Code != want.code || got.Exit.Tree == "" {
				t.Errorf("ended %+v, want %+v", got, want)
			}
		})
	}
}

func TestTheWholeOutputIsKeptInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got, log := r.run(t, newSpec(`echo out; echo err >&2; printf '\377<\033[31mred\033[0m>\n\n'; printf half; exit 3`))
	if got.Exit.Digest != "out\nerr\n\uFFFD<red>\n\nhalf\n" {
		t.Errorf("digest = %q", got.Exit.Digest)
	}
	var texts []string
	for _, e := range log[1 : len(log)-1] {
		if e["type"] != "ward" || e["stream"] != "output" {
			t.Errorf("entry %v", e)
		}
		texts = append(texts, e["text"].(string))
	}
	if fmt.Sprintf("%q", texts) != fmt.Sprintf("%q", []string{"out", "err", "\uFFFD<\x1b[31mred\x1b[0m>", "", "half"}) {
		t.Errorf("output = %q", texts)
	}
	first, last := log[0], log[len(log)-1]
	if first["subtype"] != "start" || first["cwd"] != r.dir || !strings.HasPrefix(first["command"].(string), "echo out") {
		t.Errorf("first line %v", first)
	}
	if last["subtype"] != "end" || last["exit_code"] != 3.0 || last["duration_ms"] == nil {
		t.Errorf("last line %v", last)
	}
}

func TestALineOfThreeMegabytesIsKept(t *testing.T) {
	t.Parallel()
	_, log := newRig(t).run(t, newSpec(`head -c 3000000 /dev/zero | tr '\0' '\001'; echo`))
	n := 0
	for _, e := range log {
		if text, ok := e["text"].(string); ok {
			n += len(text)
		}
	}
	if n != 3_000_000 {
		t.Errorf("%d bytes kept", n)
	}
}

func TestTheDigestIsTheEndFromTheStartOfALine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got, _ := r.run(t, newSpec(`i=0; while [ $i -lt 3000 ]; do echo "line $i 日本"; i=$((i+1)); done; exit 1`))
	d := got.Exit.Digest
	if len(d) > ward.DigestMax || len(d) < ward.DigestMax-40 || !strings.HasPrefix(d, "line ") || !strings.HasSuffix(d, "line 2999 日本\n") {
		t.Errorf("digest of %d bytes: %q … %q", len(d), d[:20], d[len(d)-20:])
	}
	got, _ = r.run(t, newSpec(`i=0; while [ $i -lt 5000 ]; do printf '日\377'; i=$((i+1)); done; exit 1`))
	if d := got.Exit.Digest; len(d) > ward.DigestMax || len(d) < ward.DigestMax-8 || !utf8.ValidString(d) {
		t.Errorf("digest of %d bytes of one line", len(d))
	}
}

func TestNoCheckPassesAtOnce(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", " \n\t"} {
		got, log := newRig(t).run(t, newSpec(command))
		if got.End != orchestration.EndWardPassed || got.Exit.Why != "no check command is set" || !got.Exit.NoCheck || got.Exit.Reused || len(log) != 2 {
			t.Errorf("ended %+v, log %v", got, log)
		}
	}
}

func TestATreeThatPassedIsNotCheckedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	proof := filepath.Join(t.TempDir(), "ran")
	command := "echo x >> '" + proof + "'"
	times := func() int {
		b, err := os.ReadFile(proof)
		if err != nil {
			t.Fatal(err)
		}
		return len(b) / 2
	}
	first, _ := r.run(t, newSpec(command))
	spec := newSpec(command)
	spec.GreenTree = first.Exit.Tree
	p, _ := r.start(t, spec)
	second := p.Wait()
	if second.End != orchestration.EndWardPassed || !second.Exit.Reused || second.Exit.Tree != first.Exit.Tree || p.PID() != 0 || times() != 1 {
		t.Errorf("unchanged tree: %+v, pid %d, ran %d times", second, p.PID(), times())
	}
	if err := os.WriteFile(filepath.Join(r.dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	spec = newSpec(command)
	spec.GreenTree = first.Exit.Tree
	third, _ := r.run(t, spec)
	if third.Exit.Reused || third.Exit.Tree == first.Exit.Tree || times() != 2 {
		t.Errorf("changed tree: %+v, ran %d times", third, times())
	}
}

func TestAnUnknownTreeIsAlwaysChecked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.runner.Trees = unknown{}
	got, log := r.run(t, newSpec("exit 1"))
	if got.End != orchestration.EndWardFailed || got.Exit.Tree != "" || log[1]["subtype"] != "note" {
		t.Errorf("ended %+v, log %v", got, log)
	}
}

type unknown struct{}

func (unknown) Fingerprint(context.Context, string) (string, error) {
	return "", errors.New("no git here")
}

func TestTheTreeIsTheOneBeforeTheCommandRan(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	before, err := workspace.Git{Dir: t.TempDir()}.Fingerprint(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := r.run(t, newSpec("echo x > generated"))
	if got.Exit.Tree != before {
		t.Errorf("tree = %s, want %s", got.Exit.Tree, before)
	}
}

func TestTooLongBreaks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.runner.Timeout = 50 * time.Millisecond
	got, _ := r.run(t, newSpec("trap '' TERM; echo started; sleep 300"))
	if got.End != orchestration.EndWardBroke || got.Exit.Why != `took longer than 50ms; "Longest check" on the settings page sets this limit` {
		t.Errorf("ended %+v", got)
	}
}

func TestEndedByUsIsInterrupted(t *testing.T) {
	t.Parallel()
	p, o := newRig(t).start(t, newSpec("echo started; sleep 300"))
	o.until(t, "check")
	p.End(0)
	p.End(time.Hour)
	if got := p.Wait(); got.End != orchestration.EndInterrupted {
		t.Errorf("ended %+v", got)
	}
}

func TestTheKilledSupervisorBreaks(t *testing.T) {
	t.Parallel()
	p, _ := newRig(t).start(t, newSpec("sleep 300"))
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := p.Wait(); got.End != orchestration.EndWardBroke {
		t.Errorf("ended %+v", got)
	}
}

func TestADirectoryThatIsGoneBreaks(t *testing.T) {
	t.Parallel()
	spec := newSpec("true")
	spec.Dir = filepath.Join(t.TempDir(), "gone")
	got, log := newRig(t).run(t, spec)
	if got.End != orchestration.EndWardBroke || !strings.Contains(got.Exit.Why, "working directory") || log[len(log)-1]["subtype"] != "end" {
		t.Errorf("ended %+v, log %v", got, log)
	}
}

func TestTheCheckSeesOnlyTheAllowList(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.runner.Environ = append(os.Environ(), "SECRET_TOKEN=s3cr3t", "MINE=kept", "QUESTBOARD_TOKEN=t0k3n")
	r.runner.ExtraEnv = []string{"MINE"}
	spec := newSpec("env; exit 1")
	got, _ := r.run(t, spec)
	d := got.Exit.Digest
	if strings.Contains(d, "s3cr3t") || strings.Contains(d, "t0k3n") || !strings.Contains(d, "MINE=kept\n") || !strings.Contains(d, "QUESTBOARD_RUN_ID="+spec.RunID+"\n") {
		t.Errorf("environment:\n%s", d)
	}
}

func TestTheCardShowsWhatTheCheckPrints(t *testing.T) {
	t.Parallel()
	p, o := newRig(t).start(t, newSpec("printf '\\033[1m  ok   \\tpkg\\033[0m\\n'; sleep 300"))
	o.until(t, "ok pkg")
	p.End(0)
	p.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.seen {
		if p.OpenTools != 1 || p.At.IsZero() {
			t.Errorf("progress %+v", p)
		}
	}
}
