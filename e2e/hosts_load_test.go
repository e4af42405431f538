package e2e_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// Hosts run many agents at once, with PostgreSQL, while tabs watch boards and output. Nothing is lost
// or doubled on the way. The long version (make soak-load) has 200 agents on five hosts, and judges
// how old a line is when a browser gets it.
func TestRunsOnHostsAreWatched(t *testing.T) {
	span, long := loadSpan(t, time.Second)
	machines, each, every := 2, 10, 100*time.Millisecond
	if long {
		machines, each, every = 5, 40, 500*time.Millisecond
	}
	begins := time.Duration(machines*each) * e2etest.Room(200*time.Millisecond) // all of them
	looks := e2etest.Room(10 * time.Second)                                     // the first line in every tab
	lines := int((span + begins + looks) / every)
	file := talking(t, lines, every)
	c := &loadedServer{lines: lines, quest: map[string]string{}, steps: map[string]string{}, workspace: "worktree"}
	c.launched = launch(t, []string{"QUESTBOARD_DB=" + storetest.SyncedPostgres(t)}, "-addr", "127.0.0.1:0", "-data", t.TempDir(),
		"-agent", "simulated", "-scenario", file, "-away", "-grace", "1s")
	c.repo = apiRepo(t)
	for i := range machines {
		c.startHost(t, fmt.Sprint("forge-", i), c.repo, file, "-slots", strconv.Itoa(each))
	}
	for range machines * each / 10 {
		c.plan("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9")
	}
	begun := time.Now()
	poll(t, begins, func() bool { return c.live() == machines*each }, c.said.String)
	t.Logf("%d agents on %d hosts after %v", machines*each, machines, time.Since(begun).Round(time.Second))
	tabs := c.tabs(24, true)
	poll(t, looks, func() bool { return look(tabs, c.lines).waiting == 0 }, func() string { return "a line in every tab" })
	for _, v := range tabs {
		v.measure()
	}
	before := c.used()
	<-time.After(span)
	seen, after := look(tabs, c.lines), c.used()
	server, others := after.since(before)
	t.Logf("line to tab: p50 %v, p99 %v, max %v, of %d lines", seen.at(.5), seen.at(.99), seen.at(1), len(seen.lates))
	t.Logf("server: %.2f cores, RSS %d MiB; everything else on this machine %.2f cores", server, after.rss, others)
	if seen.lost+seen.doubled+seen.ended > 0 || len(seen.lates) == 0 {
		t.Errorf("%d lines lost, %d doubled, %d sockets closed, %d lines seen", seen.lost, seen.doubled, seen.ended, len(seen.lates))
	}
	if limit := 400 * time.Millisecond; long && e2etest.Quiet() && seen.at(.99) > limit {
		t.Errorf("p99 from line to tab is %v, want %v", seen.at(.99), limit)
	}
}
