package e2e_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/failpoint"
)

// There is a crash, an error or a delay at every failpoint (package failpoint lists
// them). Nothing is lost, nothing is done twice, and nothing is left behind. Here one
// quest meets a fault at every failpoint, and the seed chooses the kind of each
// (QUESTBOARD_STRIKE_SEED repeats a choice). With QUESTBOARD_CHAOS there is a quest for
// each failpoint and each kind, and the server dies at every commit of a quest.
func TestNoFaultAtAFailpointLosesOrDoublesAnything(t *testing.T) {
	t.Parallel()
	if os.Getenv("QUESTBOARD_CHAOS") == "" {
		seed := number(t, "QUESTBOARD_STRIKE_SEED", int(time.Now().Unix()))
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		var strikes []string
		for i, place := range failpoint.Places() {
			fault := []string{"crash", "200ms", "error"}[(i+seed)%3]
			if fault == "error" && !place.Fails {
				fault = "200ms"
			}
			strikes = append(strikes, fmt.Sprintf("%s=%s@%d", place.Name, fault, 1+random.IntN(often(place.Name))))
		}
		surviveStrikes(t, strikes)
		return
	}
	for _, place := range failpoint.Places() {
		for _, fault := range []string{"crash", "error", "5s"} {
			if fault != "error" || place.Fails {
				t.Run(place.Name+"/"+fault, func(t *testing.T) {
					t.Parallel()
					surviveStrikes(t, []string{place.Name + "=" + fault})
				})
			}
		}
	}
	for n := 2; n <= strikeCommits; n++ {
		for _, point := range []failpoint.Point{failpoint.CommitBefore, failpoint.CommitWritten, failpoint.CommitAfter} {
			t.Run(fmt.Sprintf("%s/%d", point, n), func(t *testing.T) {
				t.Parallel()
				surviveStrikes(t, []string{fmt.Sprintf("%s=crash@%d", point, n)})
			})
		}
	}
}

// The binary for users contains no failpoints: neither the variable nor any name.
func TestAReleaseCannotBeStruck(t *testing.T) {
	t.Parallel()
	strikable, err := e2etest.Strikable()
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"QUESTBOARD_FAILPOINTS", string(failpoint.CommitWritten), string(failpoint.SuperviseForked), string(failpoint.RecoverBuried)}
	for exe, want := range map[string]bool{serverBinary(t): false, strikable: true} {
		code, err := os.ReadFile(exe)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if bytes.Contains(code, []byte(word)) != want {
				t.Errorf("%s holds %s: %v; want %v", exe, word, !want, want)
			}
		}
	}
}

// strikeCommits is the least number of commits of a quest without a strike.
const strikeCommits = 30

// often returns how often a place is certainly passed before the server dies.
func often(place string) int {
	for _, every := range []failpoint.Point{failpoint.CommitBefore, failpoint.CommitWritten, failpoint.CommitAfter,
		failpoint.Published, failpoint.Replied, failpoint.Rung} {
		if place == string(every) {
			return 6
		}
	}
	return 1
}

// surviveStrikes brings quests to their end until all strikes have taken place. Most of
// them do in the first quest.
func surviveStrikes(t *testing.T, strikes []string) {
	s := startStricken(t, strikes)
	for _, strike := range strikes {
		// After an error a run may end, and a person may have to press a button.
		s.faulty = s.faulty || strings.Contains(strike, "=error") || strings.Contains(strike, "supervise-")
	}
	quests, runs, told := 0, 0, 0
	for ; quests < 3 && (quests == 0 || len(s.waiting()) > 0); quests++ {
		q := s.carry()
		runs += len(objects(q["runs"]))
		told += s.assertLedger(t, q)
		s.deliverAndDelete()
	}
	if left := s.waiting(); len(left) > 0 {
		t.Errorf("never struck: %q", left)
	}
	t.Logf("%d strikes, %d deaths, %d quests of %d runs, %d signals told to be stored; the longest start took %v",
		len(strikes), s.deaths, quests, runs, told, s.longest.Round(time.Millisecond))
	// The last strike may have killed this server only now. The next one ends normally.
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if s.waitForEnd(); !s.cmd.ProcessState.Success() {
		s.up()
	}
}

// carry takes a quest from its creation to its end.
func (s *struckServer) carry() object {
	s.t.Helper()
	s.create()
	q := s.complete()
	if s.waits("backup-") {
		s.copyAway()
	}
	if s.faulty { // the next start removes what could not be removed
		s.signal(syscall.SIGKILL)
		s.waitForEnd()
		s.up()
		q = s.complete()
	}
	s.assertOnce(q)
	s.assertTidy()
	s.assertBranch(map[string]string{"early.txt": s.quest + "\n", "late.txt": s.quest + "\n"})
	return q
}

func (s *struckServer) deliverAndDelete() {
	s.t.Helper()
	s.ask(http.MethodPost, "/quests/"+s.quest+"/deliver", `{"how":"merge"}`, http.StatusOK)
	for _, name := range []string{"early", "late"} {
		if text := gitText(s.t, s.repo, "show", "HEAD:"+name+".txt"); text != s.quest+"\n" {
			s.t.Errorf("delivered: %s.txt is %q", name, text)
		}
	}
	s.ask(http.MethodDelete, "/quests/"+s.quest, "", http.StatusNoContent, http.StatusNotFound)
	if s.faulty && s.remains() != "" { // the next start repeats what failed
		s.signal(syscall.SIGKILL)
		s.waitForEnd()
		s.up()
	}
	poll(s.t, 10*time.Second, func() bool { return s.remains() == "" }, s.remains)
}

// remains returns what is left of a deleted quest.
func (s *struckServer) remains() string {
	var left []string
	if status, _, lives := s.try(http.MethodGet, "/api/v1/quests/"+s.quest, ""); !lives {
		s.up()
	} else if status != http.StatusNotFound {
		left = append(left, fmt.Sprintf("the quest: %d", status))
	}
	for _, run := range alive(s.t, s.quest) {
		left = append(left, "a process of "+run)
	}
	trees, _ := filepath.Glob(filepath.Join(s.data, "worktrees", s.quest))
	locks, _ := filepath.Glob(filepath.Join(s.repo, ".git", "*.lock"))
	left = append(append(left, trees...), locks...)
	outputs, _ := filepath.Glob(filepath.Join(s.data, "runs", s.quest+"-*"))
	branches := gitText(s.t, s.repo, "for-each-ref", "--format=%(refname)", "refs/heads/quest/"+s.quest, "refs/heads/quest-steps/"+s.quest, "refs/questboard")
	left = append(append(left, outputs...), strings.Fields(branches)...)
	return strings.Join(left, "\n")
}

// copyAway makes a backup of the database while the server runs. If the backup is cut
// short, there is no file; a file that exists is complete.
func (s *struckServer) copyAway() {
	s.t.Helper()
	for n := 1; ; n++ {
		file := filepath.Join(s.t.TempDir(), "copy.db")
		backup := commandOf(s.exe, s.env(), "backup", "-data", s.data, file)
		out, failed := backup.CombinedOutput()
		if _, err := os.Stat(file); err == nil {
			if text, err := exec.Command(s.exe, "export", "-data", filepath.Dir(s.renamed(file)), s.quest).CombinedOutput(); err != nil {
				s.t.Errorf("the copy is not whole: %v\n%s", err, text)
			}
		} else if failed == nil {
			s.t.Errorf("there is no copy: %s", out)
		}
		if failed == nil {
			return
		}
		if n > 5 {
			s.t.Fatalf("back up: %v\n%s", failed, out)
		}
	}
}

// renamed makes a copy the database of a data directory.
func (s *struckServer) renamed(file string) string {
	s.t.Helper()
	to := filepath.Join(filepath.Dir(file), "questboard.db")
	if err := os.Rename(file, to); err != nil {
		s.t.Fatal(err)
	}
	return to
}
