package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// Workers, the server and PostgreSQL are killed again and again, at random moments, until the
// quests on several hosts are done. QUESTBOARD_HOST_DEATHS sets how many deaths there are at least,
// QUESTBOARD_HOST_MINUTES how long it takes at least, QUESTBOARD_HOST_STEPS how many steps a quest
// has, QUESTBOARD_HOSTS, QUESTBOARD_HOST_QUESTS and QUESTBOARD_HOST_SLOTS how many hosts, quests at
// once and slots of each host there are.
func TestQuestsOnHostsLoseNothingAndDoubleNothing(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		questsOnHostsDie(t, nil)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		questsOnHostsDie(t, storetest.NewCluster(t))
	})
}

func questsOnHostsDie(t *testing.T, cluster *storetest.Cluster) {
	deaths, steps, machines := number(t, "QUESTBOARD_HOST_DEATHS", 6), number(t, "QUESTBOARD_HOST_STEPS", 6), number(t, "QUESTBOARD_HOSTS", 3)
	atOnce, slots := number(t, "QUESTBOARD_HOST_QUESTS", machines), number(t, "QUESTBOARD_HOST_SLOTS", 2)
	end := time.Now().Add(time.Duration(number(t, "QUESTBOARD_HOST_MINUTES", 0)) * time.Minute)
	seed := number(t, "QUESTBOARD_RESTART_SEED", int(time.Now().Unix()))
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	env := []string{}
	if cluster != nil {
		env = append(env, "QUESTBOARD_DB="+cluster.Database(t))
	}
	m := newMortal(t, marchScenario, env...)
	const lease = 20 * time.Second
	m.flags = []string{"-away", "-lease", lease.String(), "-crash-backoff", "0s", "-addr", freeAddress(t)}
	m.mute = cluster != nil // while PostgreSQL is away
	m.start()
	m.repo = busyUser(t)
	users := usersOwn(t, m.repo)
	var workers []*workerProcess
	for i := range machines {
		workers = append(workers, m.startHost(t, fmt.Sprint("forge-", i), m.repo, m.scenario, "-slots", fmt.Sprint(slots), "-checks", "1"))
	}
	plan, want := marchOf(steps)
	begin := func() string {
		return m.begin(m.repo, plan+`,"workspace":"worktree","approve":[],"ward":"! grep -qs '^<<<' both-*"`)
	}
	var quests []string
	hosts := map[any]bool{}
	for range atOnce {
		quest := begin()
		quests = append(quests, quest)
		hosts[m.get("/quests/" + quest).want(200)["host"]] = true
	}
	if len(hosts) != min(machines, atOnce) {
		t.Errorf("%d quests work on %v", atOnce, hosts)
	}
	done, cut, longest := 0, 0, time.Duration(0)
	died := map[string][]time.Time{} // by worker; "": the server
	check := func(quest string) {
		m.quest = quest
		q := m.whole()
		cut += m.assertOnce(q)
		longest = max(longest, longestLoss(t, q, died))
		m.assertBranch(want)
		if left := alive(t, quest); len(left) > 0 {
			t.Errorf("processes of %v live", left)
		}
		done++
	}
	complete := func(quest string) bool {
		q := m.get("/quests/" + quest).want(200)
		return unblocked(t, q) && q["status"] == "complete"
	}
	killed, replaced, away := 0, 0, 0
	for killed+replaced < deaths || time.Now().Before(end) {
		<-time.After(time.Duration(200+random.IntN(800)) * time.Millisecond) // a random moment
		for i, quest := range quests {
			if complete(quest) {
				check(quest)
				quests[i] = begin()
			}
		}
		if cluster != nil && (away == 0 || random.IntN(10) == 0) {
			if err := cluster.Stop(); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Duration(random.IntN(2000)) * time.Millisecond)
			if err := cluster.Start(); err != nil {
				t.Fatal(err)
			}
			poll(t, e2etest.Room(10*time.Second), func() bool { return m.send("GET", "/readyz", "").status == 200 }, m.said.String)
			away++
			continue
		}
		if random.IntN(4) == 0 {
			m.signal(syscall.SIGKILL)
			_ = m.cmd.Wait()
			died[""] = append(died[""], time.Now())
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
		died[workers[n].name] = append(died[workers[n].name], time.Now())
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
	if most := e2etest.Room(lease + 5*time.Second); longest > most {
		t.Errorf("a lost run began again after %s, more than %s", longest, most)
	}
	t.Logf("%d deaths of workers, %d of the server and %d of PostgreSQL cut %d runs of %d quests; each began again within %s", killed, replaced, away, cut, done, longest)
}

// longestLoss returns the longest time from the death that cut a run of the quest to the start of
// the run that goes on in its place.
func longestLoss(t *testing.T, q object, died map[string][]time.Time) (longest time.Duration) {
	t.Helper()
	host, _ := q["host"].(string)
	deaths := slices.Concat(died[""], died[host])
	for _, r := range objects(q["runs"]) {
		if r["outcome"] != "interrupted" {
			continue
		}
		var lost time.Time
		for _, at := range deaths {
			if at.Before(moment(t, r["endedAt"])) && at.After(lost) {
				lost = at
			}
		}
		for _, next := range objects(q["runs"]) {
			if next["role"] == r["role"] && next["step"] == r["step"] && next["visit"] == r["visit"].(float64)+1 && !lost.IsZero() {
				longest = max(longest, moment(t, next["startedAt"]).Sub(lost))
			}
		}
	}
	return longest
}
