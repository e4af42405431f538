package e2e_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/mattn/go-sqlite3" // to damage rows in ways that the store would not
)

// damages are ways in which the rows of one quest may be damaged; ? is its id.
var damages = map[string]string{
	"a step's JSON is cut":          `UPDATE steps SET counts = '{"cra' WHERE quest_id = ? AND ord = 0`,
	"a step is gone":                `DELETE FROM steps WHERE quest_id = ? AND ord = 0`,
	"a line is gone":                `DELETE FROM steps WHERE quest_id = ? AND ord = -2`,
	"the request is gone":           `DELETE FROM documents WHERE quest_id = ?`,
	"the phase is unknown":          `UPDATE quests SET phase = 'nowhere' WHERE id = ?`,
	"a run's state is unknown":      `UPDATE runs SET state = 'undead' WHERE quest_id = ?`,
	"the limits are no JSON":        `UPDATE quests SET limits = '[' WHERE id = ?`,
	"a step names a missing run":    `UPDATE steps SET run_id = 'q-r99' WHERE quest_id = ? AND ord = 0`,
	"the first run is gone":         `DELETE FROM runs WHERE quest_id = ? AND ord = 0`,
	"a time is a word":              `UPDATE quests SET created_at = 'yesterday' WHERE id = ?`,
	"neither over nor not":          `UPDATE quests SET is_over = 'maybe', ended_at = 'x' WHERE id = ?`,
	"a step depends on nothing":     `UPDATE steps SET depends_on = '["nosuch"]' WHERE quest_id = ? AND ord = 0`,
	"bytes in place of a stage":     `UPDATE steps SET stage = x'00ff' WHERE quest_id = ? AND ord = 1`,
	"steps that wait in a ring":     `UPDATE steps SET depends_on = '["one","two"]', stage = 'nowhere' WHERE quest_id = ? AND ord >= 0`,
	"a requirement of another kind": `UPDATE documents SET requirements = '{"no":"list"}' WHERE quest_id = ?`,
}

const damagedPlan = `,"workspace":"shared","plan":{"steps":[{"id":"one","title":"One"},{"id":"two","title":"Two","dependsOn":["one"]}]}`

// One damaged quest never stops the others, neither at the start nor while they work.
// It is shown with what to do and never overwritten, and the remedy brings it back.
func TestOneDamagedQuestNeverStopsTheOthers(t *testing.T) {
	t.Parallel()
	data, repo := t.TempDir(), apiRepo(t)
	s := serveData(t, data)
	create := func(title string) string {
		id := s.begin(repo, fmt.Sprintf(`,"title":%q`, title)+damagedPlan)
		s.post("/quests/"+id+"/pause", `{"now":true}`).want(200)
		s.until(id, "no run goes on", func(q object) bool {
			for _, r := range objects(q["runs"]) {
				if r["state"] != "ended" && r["state"] != "queued" {
					return false
				}
			}
			return len(objects(q["runs"])) > 0
		})
		return id
	}
	quests, whole := map[string]string{}, object{}
	for name := range damages {
		quests[name] = create(name)
	}
	late := create("damaged while serving")
	good := s.begin(repo, `,"title":"good"`+strings.ReplaceAll(damagedPlan, `"one"`, `"quick"`))
	s.post("/quests/"+good+"/pause", `{"now":true}`).want(200)
	for _, id := range quests {
		whole[id] = s.get("/quests/" + id).want(200)["plan"]
	}
	s.signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	before := map[string]string{}
	for name, id := range quests {
		alter(t, data, damages[name], id)
		before[id] = rowsOf(t, data, id)
	}

	s = serveData(t, data)
	for name, id := range quests {
		q := s.get("/quests/" + id).want(200)
		reason := fmt.Sprint(q["wait"])
		if q["status"] != "damaged" || !strings.Contains(reason, "export -from BACKUP "+id) {
			t.Errorf("%s: %s, %s", name, q["status"], reason)
		}
		for _, path := range []string{"/pause", "/resume", "/abandon"} {
			if text, _ := s.post("/quests/"+id+path, "").refused(409); !strings.Contains(text, "is damaged") {
				t.Errorf("%s%s: %s", name, path, text)
			}
		}
	}
	list := s.get("/quests?limit=100").want(200)
	for name, id := range quests {
		if row := named(list["quests"], id); row["status"] != "damaged" {
			t.Errorf("%s: in the list: %s", name, jsonText(row))
		}
	}

	// Another process damages a quest while the server runs.
	alter(t, data, `UPDATE quests SET limits = '[', version = version + 1 WHERE id = ?`, late)
	if text, _ := s.post("/quests/"+late+"/resume", "").refused(409); !strings.Contains(text, "is damaged") {
		t.Errorf("damaged while serving: %s", text)
	}
	before[late] = rowsOf(t, data, late)

	// The other quests go on to their ends, and new ones begin.
	s.post("/quests/"+good+"/resume", "").want(200)
	fresh := s.begin(repo, strings.ReplaceAll(damagedPlan, `"one"`, `"quick"`))
	s.untilStatus(good, "complete")
	s.untilStatus(fresh, "complete")

	// The remedy: bring the quest back from the backup.
	lost := quests["a step is gone"]
	backups, err := filepath.Glob(filepath.Join(data, "backups", "exit-*.db"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups: %v, %v", backups, err)
	}
	command(t, serverBinary(t), nil, "export", "-data", data, lost).fails(t, 1, "is damaged")
	exported := command(t, serverBinary(t), nil, "export", "-from", backups[0], lost)
	if exported.code != 0 {
		t.Fatal(exported.stderr)
	}
	file := filepath.Join(t.TempDir(), "quest.json")
	write(t, file, exported.stdout)
	s.signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	for id, rows := range before {
		if after := rowsOf(t, data, id); after != rows {
			t.Errorf("%s was written over: from\n%s\nto\n%s", id, rows, after)
		}
	}
	if r := command(t, serverBinary(t), nil, "import", "-data", data, file); r.code != 0 {
		t.Fatal(r.stderr)
	}
	s = serveData(t, data)
	if q := s.get("/quests/" + lost).want(200); q["status"] != "paused" || jsonText(q["plan"]) != jsonText(whole[lost]) {
		t.Errorf("it came back as %s", jsonText(q))
	}
}

// A limit of cost that cannot be read does not mean that there is no limit. The server
// does not start, and the remedy that it names brings the limit back.
func TestADamagedSettingStopsTheStartWithItsRemedy(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := serveData(t, data)
	if r := s.send("PATCH", "/api/v1/settings", `{"budgetUsd":7.5}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.text)
	}
	s.signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	alter(t, data, `UPDATE settings SET value = '7.5.' WHERE name = ?`, "budget")
	r := command(t, serverBinary(t), nil, "serve", "-data", data, "-addr", "127.0.0.1:0")
	r.fails(t, 1, `the setting "budget" cannot be read`, filepath.Join(data, "questboard.db"))
	follow(t, data, r.stderr)
	if now := serveData(t, data).get("/settings").want(200); now["budgetUsd"] != 7.5 {
		t.Errorf("the settings are %s", jsonText(now))
	}
}

func alter(t *testing.T, data, query, id string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "questboard.db")+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done, err := db.Exec(query, id)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if n, _ := done.RowsAffected(); n == 0 {
		t.Fatalf("%s: no row", query)
	}
}

// rowsOf returns everything that is stored of a quest.
func rowsOf(t *testing.T, data, id string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "questboard.db")+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all []string
	for _, query := range []string{"SELECT * FROM quests WHERE id = ?", "SELECT * FROM documents WHERE quest_id = ?", "SELECT * FROM steps WHERE quest_id = ?",
		"SELECT * FROM runs WHERE quest_id = ?", "SELECT * FROM questions WHERE quest_id = ?", "SELECT * FROM events WHERE quest_id = ?"} {
		rows, err := db.Query(query, id)
		if err != nil {
			t.Fatal(err)
		}
		names, _ := rows.Columns()
		for rows.Next() {
			row, to := make([]any, len(names)), make([]any, len(names))
			for i := range row {
				to[i] = &row[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(row...))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return strings.Join(all, "\n")
}
