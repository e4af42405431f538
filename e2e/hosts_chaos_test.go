package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// Workers and the server are killed again and again, at random moments, until the quests on
// three hosts are done. QUESTBOARD_HOST_DEATHS sets how many deaths there are at least,
// QUESTBOARD_HOST_STEPS how many steps a quest has.
func TestQuestsOnHostsLoseNothingAndDoubleNothing(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]func(t *testing.T) string{"SQLite": func(*testing.T) string { return "" }, "PostgreSQL": func(t *testing.T) string { return storetest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			questsOnHostsDie(t, db(t))
		})
	}
}

func questsOnHostsDie(t *testing.T, db string) {
	deaths, steps, machines := number(t, "QUESTBOARD_HOST_DEATHS", 6), number(t, "QUESTBOARD_HOST_STEPS", 6), number(t, "QUESTBOARD_HOSTS", 3)
	seed := number(t, "QUESTBOARD_RESTART_SEED", int(time.Now().Unix()))
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	env := []string{}
	if db != "" {
		env = append(env, "QUESTBOARD_DB="+db)
	}
	m := newMortal(t, marchScenario, env...)
	m.flags = []string{"-away", "-lease", "20s", "-crash-backoff", "0s", "-addr", freeAddress(t)}
	m.start()
	m.repo = busyUser(t)
	users := usersOwn(t, m.repo)
	var workers []*workerProcess
	for i := range machines {
		workers = append(workers, m.startHost(t, fmt.Sprint("forge-", i), m.repo, m.scenario, "-slots", "2", "-checks", "1"))
	}
	plan, want := marchOf(steps)
	begin := func() string {
		return m.begin(m.repo, plan+`,"workspace":"worktree","approve":[],"ward":"! grep -qs '^<<<' both-*"`)
	}
	var quests []string
	hosts := map[any]bool{}
	for range machines {
		quest := begin()
		quests = append(quests, quest)
		hosts[m.get("/quests/" + quest).want(200)["host"]] = true
	}
	if len(hosts) != machines {
		t.Errorf("%d quests work on %v", machines, hosts)
	}
	done, cut := 0, 0
	check := func(quest string) {
		m.quest = quest
		cut += m.assertOnce(m.whole())
		m.assertBranch(want)
		if left := alive(t, quest); len(left) > 0 {
			t.Errorf("processes of %v live", left)
		}
		done++
	}
	complete := func(quest string) bool { return m.get("/quests/" + quest).want(200)["status"] == "complete" }
	killed, replaced := 0, 0
	for killed+replaced < deaths {
		<-time.After(time.Duration(200+random.IntN(800)) * time.Millisecond) // a random moment
		for i, quest := range quests {
			if complete(quest) {
				check(quest)
				quests[i] = begin()
			}
		}
		if random.IntN(4) == 0 {
			m.signal(syscall.SIGKILL)
			_ = m.cmd.Wait()
			m.start()
			for i := range workers { // a quest can begin only where a host is
				m.untilHost(fmt.Sprint("forge-", i), true)
			}
			replaced++
			continue
		}
		n := random.IntN(len(workers))
		workers[n].signal(syscall.SIGKILL)
		_ = workers[n].cmd.Wait()
		workers[n].start()
		m.untilHost(workers[n].name, true)
		killed++
	}
	for _, quest := range quests {
		poll(t, e2etest.Room(2*time.Minute), func() bool { return complete(quest) },
			func() string {
				return "a quest that is complete: " + jsonText(m.get("/quests/" + quest).want(200)["why"])
			})
		check(quest)
	}
	assertUntouched(t, m.repo, users)
	t.Logf("%d deaths of workers and %d of the server cut %d runs of %d quests", killed, replaced, cut, done)
}
