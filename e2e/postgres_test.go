package e2e_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"questboard/orchestration/storetest"
)

// On a host the whole demo works with PostgreSQL: TestTheDemoIsTheSameOnAHost.
func TestTheDemoOfAnErrandIsTheSameOnPostgreSQL(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	d := startDemo(t, "-scenario", "errand", "-data", data, "-db", storetest.Postgres(t))
	d.wardIsGreen(d.untilComplete())
	d.end()
	if left, _ := filepath.Glob(filepath.Join(data, "*.db*")); len(left) > 0 {
		t.Errorf("beside PostgreSQL there are %v", left)
	}
}

// Two agents work and one waits for an answer when the server ends. It goes on with another
// database.
func TestAQuestMovesToPostgreSQLInTheMiddle(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	m := startMortal(t, mortalScenario)
	m.quest = m.begin(m.repo, `,"plan":{"steps":[{"id":"a","title":"A","files":["a"]},{"id":"ask","title":"C","files":["c"]}]}`)
	before := m.until(m.quest, "one step is at work and one asks", func(q object) bool {
		return goesOn("codeweaver", "a")(q) && len(objects(q["questions"])) == 1
	})
	move := []string{"migrate-db", "-data", m.data, "-db", db}
	command(t, serverBinary(t), nil, move...).fails(t, 1, m.data, "another questboard", "works in this data directory")
	m.signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	moved := command(t, serverBinary(t), nil, move...)
	if moved.code != 0 || !regexp.MustCompile(`(?m)^quests +1 rows  sha256 [0-9a-f]{64}$`).MatchString(moved.stdout) {
		t.Fatalf("exit %d\n%s%s", moved.code, moved.stdout, moved.stderr)
	}
	command(t, serverBinary(t), nil, "serve", "-data", m.data, "-addr", "127.0.0.1:0").fails(t, 1, "its quests were moved to the PostgreSQL database", "start the server with -db")
	m.env = []string{"QUESTBOARD_DB=" + db}
	m.start()
	m.keeps(before, m.whole())
	m.post("/questions/"+objects(before["questions"])[0]["id"].(string)+"/answer", `{"answer":"yes"}`).want(200)
	q := m.until(m.quest, "both go on", func(q object) bool {
		return len(ofStep(q, "codeweaver", "a")) == 2 && len(ofStep(q, "codeweaver", "ask")) == 2 && goesOn("lawbringer", "review")(q)
	})
	m.assertTakenUp(q, ofStep(q, "codeweaver", "a")[0])
}

// itsLock is where PostgreSQL tells which session holds the lock of a database.
const itsLock = `FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// A server is cut off, and another one works with the database before it comes back. It can store
// nothing any more, so it ends its agents and itself.
func TestAServerThatAnotherOneReplacedEndsWithItsAgents(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	m := startMortal(t, mortalScenario, "QUESTBOARD_DB="+db)
	m.quest = m.begin(m.repo, `,"plan":{"steps":[{"id":"a","title":"A","files":["a"]}]}`)
	m.until(m.quest, "an agent is at work", goesOn("codeweaver", "a"))
	if len(alive(t, m.quest)) == 0 {
		t.Fatal("no process of the agent lives")
	}

	other, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close(context.Background()) })
	var key int64
	if err := other.QueryRow(t.Context(), "SELECT (classid::bigint << 32) + objid::bigint "+itsLock).Scan(&key); err != nil {
		t.Fatal(err)
	}
	poll(t, time.Minute, func() (held bool) { // it may come back in between
		if _, err := other.Exec(t.Context(), "SELECT pg_terminate_backend(pid) "+itsLock); err != nil {
			t.Fatal(err)
		}
		if err := other.QueryRow(t.Context(), "SELECT pg_try_advisory_lock($1)", key).Scan(&held); err != nil {
			t.Fatal(err)
		}
		return held
	}, func() string { return "another server has the database" })

	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("it goes on:\n%s", m.said.String())
	}
	if said := m.said.String(); !strings.Contains(said, "another questboard works with this database now: use that one") {
		t.Errorf("it said:\n%s", said)
	}
	poll(t, time.Minute, func() bool { return len(alive(t, m.quest)) == 0 }, func() string { return "its agent has ended" })
}

func TestCommandsKnowPostgreSQL(t *testing.T) {
	t.Parallel()
	binary, data, db := serverBinary(t), t.TempDir(), storetest.Postgres(t)
	env := []string{"QUESTBOARD_DB=" + db}
	if r := command(t, binary, nil, "migrate-db", "-data", data); r.code != 2 || !strings.Contains(r.stderr, "-db is missing: name the PostgreSQL database") {
		t.Errorf("without a database: exit %d\n%s", r.code, r.stderr)
	}
	command(t, binary, nil, "serve", "-data", data, "-db", "postgres://me:secret@127.0.0.1:1/x").fails(t, 1, "PostgreSQL database x at 127.0.0.1:1", "does not answer", "start PostgreSQL")
	command(t, binary, env, "backup", "-data", data, filepath.Join(data, "copy.db")).fails(t, 1, "pg_dump")
	command(t, binary, env, "restore", "-data", data).fails(t, 1, "pg_restore")
	d := startDemo(t, "-scenario", "errand", "-data", data, "-db", db)
	q := d.untilComplete()
	id, _ := q["id"].(string)
	exported := command(t, binary, env, "export", "-data", data, id) // beside the server
	if exported.code != 0 || len(exported.stdout) < 1000 {
		t.Errorf("export: exit %d, %d bytes\n%s", exported.code, len(exported.stdout), exported.stderr)
	}
	found := command(t, binary, env, "doctor", "-data", data, "-agent", "simulated")
	for _, want := range []string{`PostgreSQL +PostgreSQL database quests_\d+ at .*: version \d+.*, answers in .*, its clock is .* apart`, `in use by a server`, `backups +.*pg_dump`} {
		if !regexp.MustCompile(want).MatchString(found.stdout) {
			t.Errorf("doctor does not say %q:\n%s", want, found.stdout)
		}
	}
	d.end()
}
