package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// homeWithKey makes a home with a secret, and a repository below it.
func homeWithKey(t *testing.T) (home, repo string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".ssh", "id_rsa"), "CANARY-key\n")
	write(t, filepath.Join(home, "src", "other", "secret"), "CANARY-project\n")
	repo = filepath.Join(home, "src", "project")
	write(t, filepath.Join(repo, "sub", "a.txt"), "a\n")
	shell(t, repo, "git init -q; git add -A; git commit -q -m first")
	return home, repo
}

// startWithHome starts a server with -sandbox for a user with this home.
func startWithHome(t *testing.T, home, scenario string) *apiServer {
	t.Helper()
	needSandbox(t)
	file, data := filepath.Join(t.TempDir(), "scenario.yaml"), filepath.Join(home, ".local", "share", "questboard")
	write(t, file, scenario)
	s := launch(t, []string{"HOME=" + home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME="}, "-data", data, "-addr", "127.0.0.1:0",
		"-agent", "simulated", "-scenario", file, "-grace", "1s", "-slots", "8", "-sandbox")
	s.data = data
	return &s.apiServer
}

// docs/hardening.md#git-and-the-sandbox, W3: nothing that an agent makes in its
// workspace changes what the next confined program sees of the machine.
func TestNoAgentChoosesWhatIsMounted(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]string{
		"the keys":             "ln -s ../../../.ssh .git",
		"the whole home":       "ln -s ../../.. .git",
		"another project":      "ln -s ../../other .git",
		"our data":             "ln -s ../../../.local/share/questboard .git",
		"a worktree elsewhere": `git init -q; git config core.worktree "$(cd ../../..; pwd)"`,
		"a git file":           `echo "gitdir: $(cd ../../..; pwd)/.ssh" >.git`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, repo := homeWithKey(t)
			s := startWithHome(t, home, agentRuns(map[string]string{"only": `
mkdir -p ~/.ssh ~/src/other ~/.local/share/questboard
` + link + "\necho work >work.txt"}))
			s.sayWhy(s.try(filepath.Join(repo, "sub"), "only", `,"workspace":"shared","ward":"touch ran; `+
				`grep -a -o -s -r -h 'CANAR[Y]-[a-z]*\\|SQLite format' .git/ `+home+`/.ssh `+home+`/src/other `+home+`/.local >>stolen; true"`))
			if _, err := os.Stat(filepath.Join(repo, "sub", "ran")); err != nil {
				t.Log("the check did not run")
			}
			if stolen, _ := os.ReadFile(filepath.Join(repo, "sub", "stolen")); len(stolen) > 0 {
				t.Errorf("a confined program read %q", stolen)
			}
		})
	}
}

// docs/hardening.md#git-and-the-sandbox, W3: the same for anything that came with a
// repository.
func TestNoRepositoryChoosesWhatIsMounted(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]string{
		"objects through a tracked link": "ln -s ../../.ssh objects; git add -A; git commit -q -m linked; echo ../../objects >.git/objects/info/alternates",
		"objects of a link to a home":    `ln -s ../.. objects; git add -A; git commit -q -m linked; echo "$PWD/objects" >.git/objects/info/alternates`,
		"a worktree elsewhere":           `git config core.worktree ../../../.ssh`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, repo := homeWithKey(t)
			shell(t, repo, prepare)
			s := startWithHome(t, home, agentRuns(map[string]string{"only": `
grep -a -o -s -r -h 'CANAR[Y]-[a-z]*' ` + home + "/.ssh " + home + "/src/other " + repo + `/objects >stolen.txt
echo work >work.txt`}))
			if q := s.try(repo, "only", `,"workspace":"worktree","ward":"true"`); q != nil {
				s.sayWhy(q)
				stolen := onBranch(t, repo, q["id"].(string), "stolen.txt")
				for _, run := range objects(q["runs"]) {
					stolen += s.outputOf(run)
				}
				if strings.Contains(stolen, "CANARY-") {
					t.Errorf("a confined program read %q", stolen)
				}
			}
		})
	}
}

// A delivery to a linked worktree of the user works like one to the main worktree. git
// locks its HEAD, which is in another folder.
func TestALinkedWorktreeIsDeliveredToFromTheSandbox(t *testing.T) {
	t.Parallel()
	home, repo := homeWithKey(t)
	linked := filepath.Join(home, "src", "linked")
	shell(t, repo, "git worktree add -q -b side '"+linked+"'")
	s := startWithHome(t, home, agentRuns(map[string]string{"only": "echo work >work.txt"}))
	q := s.try(linked, "only", `,"workspace":"worktree","ward":"true"`)
	if q == nil || q["status"] != "complete" {
		t.Fatalf("it ends as %s", jsonText(q))
	}
	s.post("/quests/"+q["id"].(string)+"/deliver", `{"how":"merge"}`).want(http.StatusOK)
	if text, err := os.ReadFile(filepath.Join(linked, "work.txt")); err != nil || string(text) != "work\n" {
		t.Errorf("the worktree holds %q, %v", text, err)
	}
}
