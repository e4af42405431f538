package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"questboard/orchestration/storetest"
)

// unitStarts is the command line that a systemd unit of the documentation starts.
func unitStarts(t *testing.T, unit string) []string {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join("..", "docs", "examples", unit))) {
		if command, is := strings.CutPrefix(strings.TrimSpace(line), "ExecStart=%h/.local/bin/questboard "); is {
			return strings.Fields(command)
		}
	}
	t.Fatalf("%s starts nothing", unit)
	return nil
}

// replaced replaces what an example says of a machine that is not this one.
func replaced(args []string, pairs ...string) []string {
	out := strings.NewReplacer(pairs...)
	var list []string
	for _, a := range args {
		list = append(list, out.Replace(a))
	}
	return list
}

// The units and the compose file of the documentation start a server and a worker that work
// together.
func TestTheExamplesForSystemdAndContainersWork(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Command     []string
			Environment map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join("..", "docs", "examples", "compose.yaml"))), &compose); err != nil {
		t.Fatal(err)
	}
	db := compose.Services["server"].Environment["QUESTBOARD_DB"]
	if !strings.HasPrefix(db, "postgres://questboard:") {
		t.Errorf("the server's database is %q", db)
	}
	for name, c := range map[string]struct {
		server, worker []string
		env            []string
	}{
		"systemd":    {unitStarts(t, "questboard.service"), unitStarts(t, "questboard-worker.service"), nil},
		"containers": {compose.Services["server"].Command, compose.Services["worker"].Command, []string{"QUESTBOARD_DB=" + storetest.Postgres(t)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, repo, clone := freeAddress(t), apiRepo(t), filepath.Join(t.TempDir(), "clone")
			if out, err := exec.Command("git", "clone", "-q", repo, clone).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			// The public URL stays: it says by which name others reach the server.
			args := replaced(c.server, "0.0.0.0:8420", addr, "http://server:8420", "http://"+addr)
			s := launch(t, append(c.env, "QUESTBOARD_ADDR="+addr), append(args, "-data", t.TempDir(), "-agent", "simulated", "-away")...)
			s.base = "http://" + addr
			key := s.post("/hosts", `{"name":"forge"}`).want(201)["key"].(string)
			work := replaced(c.worker, "https://quests.example", s.base, "http://server:8420", s.base, "/srv/app=%h/app", repo+"="+clone,
				"/srv/app", repo+"="+clone, "127.0.0.1:8420", freeAddress(t))
			w := &workerProcess{t: t, name: "forge", said: &lockedBuffer{}, args: append(work, "-data", t.TempDir()), env: append(os.Environ(), "QUESTBOARD_KEY="+key)}
			w.start()
			s.untilHost("forge", true)
			if host := s.get("/hosts/forge").want(200); name == "systemd" && (host["slots"] != 4.0 || jsonText(host["labels"]) != `["linux"]`) {
				t.Errorf("the host is %s", jsonText(host))
			}
			w.signal(syscall.SIGTERM)
			if err := w.cmd.Wait(); err != nil {
				t.Errorf("TERM ended the worker with %v\n%s", err, w.said.String())
			}
		})
	}
}
