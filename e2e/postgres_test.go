package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"questboard/orchestration/storetest"
)

func TestTheDemoIsTheSameOnPostgreSQL(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	d := startDemo(t, "-data", data, "-db", storetest.Postgres(t))
	q := d.untilComplete()
	d.everyRoleAndSignal(q)
	d.wardIsGreen(q)
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
