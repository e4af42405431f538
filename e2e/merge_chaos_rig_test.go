package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// killingGit comes before git on the server's PATH. While there is a file "armed", it
// counts the server's calls of git that contain the words of a plan (the agents here
// make none), and at the nth it kills the server with SIGKILL. instead: git is not
// started. meanwhile: git does its work a moment later, as a child without a parent.
// after: git has done its work, but the server never gets the answer.
const killingGit = `#!/bin/sh
at='%[1]s'
if [ -e "$at/armed" ]; then
	{ read -r nth how; IFS= read -r words; } <"$at/plan"
	case "$*" in *"$words"*)
		n=1
		set -C
		until echo "$*" 2>/dev/null >"$at/calls/$n"; do n=$((n + 1)); done
		if [ "$n" = "$nth" ] && mv "$at/armed" "$at/struck" 2>/dev/null; then
			case $how in
			instead) kill -9 "$PPID"; exit 1 ;;
			meanwhile) kill -9 "$PPID"; sleep 0.2 ;;
			after) '%[2]s' "$@"; kill -9 "$PPID"; exit 1 ;;
			esac
		fi
	esac
fi
exec '%[2]s' "$@"
`

// assassinated is a server whose git may kill it.
type assassinated struct {
	*mortal
	at string // the folder of that program's files
}

func startAssassinated(t *testing.T, scenario string) *assassinated {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	a := &assassinated{at: t.TempDir()}
	write(t, filepath.Join(a.at, "bin", "git"), fmt.Sprintf(killingGit, a.at, real))
	if err := os.Chmod(filepath.Join(a.at, "bin", "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	a.mortal = startMortal(t, fmt.Sprintf(scenario, a.at), "PATH="+filepath.Join(a.at, "bin")+":"+os.Getenv("PATH"))
	return a
}

// plan is one moment at which the server dies: the nth call of git whose arguments
// contain these words.
type plan struct {
	words string
	nth   int
	how   string
	again int // the call of git, from its start on, at which the next server dies; 0: it lives
}

func (a *assassinated) arm(p plan) {
	a.t.Helper()
	for _, name := range []string{"calls", "struck"} {
		if err := os.RemoveAll(filepath.Join(a.at, name)); err != nil {
			a.t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(a.at, "calls"), 0o755); err != nil {
		a.t.Fatal(err)
	}
	write(a.t, filepath.Join(a.at, "plan"), fmt.Sprintf("%d %s\n%s\n", p.nth, p.how, p.words))
	write(a.t, filepath.Join(a.at, "armed"), "")
}

// disarm ends a plan. It reports whether no server was killed.
func (a *assassinated) disarm() bool { return os.Remove(filepath.Join(a.at, "armed")) == nil }

// strike carries out a plan from now on, and starts the next server. It reports whether
// there was such a call before the work was over.
func (a *assassinated) strike(p plan, over func(q object) bool) bool {
	a.t.Helper()
	a.arm(p)
	write(a.t, filepath.Join(a.at, "go"), "")
	struck := func() bool { _, err := os.Stat(filepath.Join(a.at, "struck")); return err == nil }
	var q object
	poll(a.t, 8*time.Second, func() bool { return struck() || a.sees(&q) && over(q) },
		func() string { return "the end of the server, or of the work: " + jsonText(q) })
	if a.disarm() {
		return false
	}
	_ = a.cmd.Wait() // it was killed
	if p.again > 0 {
		a.relapse(p)
	}
	a.start()
	return true
}

// relapse plays a server that dies while it repairs what the previous one left, or
// shortly after that.
func (a *assassinated) relapse(p plan) {
	a.t.Helper()
	a.arm(plan{nth: p.again, how: p.how})
	next := serverCommand(a.t, a.env, a.args()...)
	if err := next.Start(); err != nil {
		a.t.Fatal(err)
	}
	defer time.AfterFunc(startTime, func() { _ = next.Process.Kill() }).Stop()
	_ = next.Wait()
	a.disarm()
}

// calls returns the number of counted calls of git.
func (a *assassinated) calls() int {
	all, _ := os.ReadDir(filepath.Join(a.at, "calls"))
	return len(all)
}

// sees reads the quest from a server that may be dying.
func (a *assassinated) sees(q *object) bool {
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.base+"/api/v1/quests/"+a.quest, nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer w.Body.Close()
	return json.NewDecoder(w.Body).Decode(q) == nil
}
