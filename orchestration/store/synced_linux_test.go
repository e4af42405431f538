package store_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// After a power cut a server must not refuse its database because of a mark that was not on the
// disk, or because its data directory has lost its name.
func TestWhatIsBesideADatabaseIsOnTheDiskAsItIs(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("strace", "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("strace: %v %s", err, out)
		}
		t.Skipf("strace: %v %s", err, out)
	}
	inEachDatabase(t, func(t *testing.T, d database) {
		calls := callsOf(t, d)
		if !regexp.MustCompile(`^(write lock;truncate lock;sync lock;)+$`).MatchString(only(calls, "lock")) {
			t.Errorf("the lock file is not synced at last: %s", only(calls, "lock"))
		}
		if d.postgres == "" {
			return
		}
		if !strings.Contains(only(calls, "place.id", "dir"), "write place.id.part;sync place.id.part;rename place.id;sync dir;") {
			t.Errorf("the name of the directory is not synced: %s", only(calls, "place.id", "dir"))
		}
	})
}

// callsOf opens a database in another process and returns what that does with files of the data
// directory, in order: "write NAME;sync NAME;".
func callsOf(t *testing.T, d database) (calls []string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	child := exec.Command("strace", "-f", "-y", "-qq", "--seccomp-bpf", "-o", trace, "-e",
		"trace=write,pwrite64,ftruncate,fsync,rename,renameat,renameat2", os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+d.dir, crashPostgres+"="+d.postgres)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n') // it has opened, and committed
	out.Close()                                        // its next word ends it
	_ = child.Wait()
	text, unread := os.ReadFile(trace)
	if err != nil || unread != nil {
		t.Fatalf("it said %q: %v, %v", said, err, unread)
	}
	call := regexp.MustCompile(`^\d+ +(?:p?(write)\w*|f(truncate|sync)|(rename)\w*)\(.*?` + regexp.QuoteMeta(d.dir) +
		`(?:/([\w.]+))?[>"](?:.*` + regexp.QuoteMeta(d.dir) + `/([\w.]+)")?`)
	for line := range strings.Lines(string(text)) {
		m := call.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[4]
		if m[5] != "" { // what it is renamed to
			name = m[5]
		}
		if name == "" {
			name = "dir"
		}
		calls = append(calls, m[1]+m[2]+m[3]+" "+strings.TrimPrefix(name, "questboard.")+";")
	}
	return calls
}

// only joins the calls for files whose names begin with one of these.
func only(calls []string, names ...string) (text string) {
	for _, c := range calls {
		for _, name := range names {
			if _, of, _ := strings.Cut(c, " "); strings.HasPrefix(of, name) {
				text += c
			}
		}
	}
	return text
}
