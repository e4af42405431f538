package confine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"questboard/agents/confine"
	"questboard/e2e/e2etest"
)

const asForgetful = "as-forgetful"

// forget removes a home as a server that may open few files.
func forget(data string) int {
	const few = 256
	if err := errors.Join(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: few, Max: few}), confine.Forget(data, "q1")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// chain puts a chain of folders into the home of the quest.
func (p *place) chain(name string) {
	p.t.Helper()
	p.mkdir(p.data + "/homes/q1")
	root, err := os.OpenRoot(p.data + "/homes/q1")
	if err != nil {
		p.t.Fatal(err)
	}
	defer root.Close()
	if err := e2etest.Chain(root, name, 1000, 0o500); err != nil {
		p.t.Fatal(err)
	}
}

// The folders of an agent's home may be nested deeper than the server may have open files.
func TestADeepHomeIsRemovedWithFewOpenFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.chain("deep")
	if out, err := exec.Command(os.Args[0], asForgetful, p.data).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if left := confine.Homes(p.data); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// Other quests wait while a home is prepared, so what is in the way is not removed then.
func TestWhatIsInTheWayInAHomeIsMovedAside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.chain(".claude.json")
	p.chain(".claude.json.questboard-new")
	p.wrap(p.spec(p.repo), confine.Needs{Files: map[string][]byte{".claude.json": []byte("{}")}})
	if text, err := os.ReadFile(p.data + "/homes/q1/.claude.json"); string(text) != "{}" {
		t.Errorf("the file holds %q: %v", text, err)
	}
	if left, _ := filepath.Glob(p.data + "/homes/q1/.questboard-*/d"); len(left) != 2 {
		t.Errorf("aside are %q", left)
	}
}
