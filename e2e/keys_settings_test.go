package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

// setting is one key of git's configuration whose value may be a program.
type setting struct {
	key    string
	values []string // from the most dangerous one to one that git accepts
}

// keyPrograms has a different program for every key, so a program that is started shows the
// key.
type keyPrograms struct {
	t   testing.TB
	dir string
}

func newKeyPrograms(t testing.TB) *keyPrograms {
	t.Helper()
	a := &keyPrograms{t, filepath.Join(t.TempDir(), "canary")}
	for _, hook := range hooks {
		a.link(filepath.Join("hooks", hook))
		a.link(filepath.Join("template", "hooks", hook))
	}
	a.put("attributes", attributes)
	a.put("included", included(a, "included"))
	a.put("waiting", included(a, "waiting"))
	return a
}

// canaryName is in the path of each of these programs, to find them among all started
// programs.
const canaryName = "/canary/"

// attributes name the drivers that the keys configure.
const attributes = "* filter=evil diff=evil merge=evil\n*.proc filter=process\n*.inc filter=included diff=included merge=included\n*.wait filter=waiting\n"

// hooks are those of githooks(5).
var hooks = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive",
	"post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate",
	"fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change"}

func (a *keyPrograms) put(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := e2etest.WriteProgram(path, []byte(text), 0o755); err != nil {
		a.t.Fatal(err)
	}
}

// link makes a program: it passes its input on, as a filter does.
func (a *keyPrograms) link(name string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if _, err := os.Lstat(path); err != nil {
		a.put(name, "#!/bin/sh\nexec cat\n")
	}
	return path
}

// program returns the program of a key.
func (a *keyPrograms) program(key string) string {
	return a.link(regexp.MustCompile(`[^A-Za-z0-9.-]`).ReplaceAllString(key, "_"))
}

// undocumented are keys that "git help --config" does not list, at least in some
// releases.
var undocumented = []string{"filter.<driver>.process", "filter.<driver>.required", "merge.default", "gpg.ssh.program", "trailer.<name>.command",
	"trailer.<name>.cmd", "tar.<name>.command", "hook.<name>.command", "hook.<name>.event", "core.gitproxy", "uploadpack.packObjectsHook",
	"remote.<name>.vcs", "submodule.<name>.path", "submodule.<name>.ignore", "extensions.partialClone", "extensions.worktreeConfig",
	"diff.<driver>.trustExitCode", "credential.<url>.helper", "core.virtualFilesystem", "core.preCommand", "lfs.<url>.access",
	"lfs.customtransfer.<name>.path", "lfs.extension.<name>.clean", "lfs.standalonetransferagent", "http.<url>.sslKey", "promisor.acceptFromServer"}

// conditions are the forms of includeIf.
var conditions = []string{"gitdir:/", "gitdir:**", "gitdir/i:**/WORKTREES/**", "gitdir:**/worktrees/**", "onbranch:**", "onbranch:quest*/**", "hasconfig:remote.*.url:**"}

// settings returns all keys that this git knows, each with a program as its value.
// Names in use replace the placeholders.
func (a *keyPrograms) settings() []setting {
	a.t.Helper()
	out, err := exec.Command("git", "help", "--config").Output()
	if err != nil {
		a.t.Fatal(err)
	}
	var all []setting
	seen := map[string]bool{}
	for _, line := range append(strings.Split(string(out), "\n"), undocumented...) {
		if line = strings.TrimSpace(line); line == "" || strings.Contains(line, " ") || ours[line] {
			continue
		}
		for _, key := range a.spelled(line) {
			if !seen[strings.ToLower(key)] {
				seen[strings.ToLower(key)] = true
				all = append(all, setting{key, a.values(key)})
			}
		}
	}
	if len(all) < 600 {
		a.t.Fatalf("git names only %d keys", len(all))
	}
	slices.SortStableFunc(all, func(a, b setting) int { // includes come first, so that they do not hide other keys
		return strings.Compare(first(a.key), first(b.key))
	})
	return all
}

func first(key string) string {
	if strings.HasPrefix(key, "include") {
		return ""
	}
	return "x"
}

// ours are keys that the test itself needs, or that hide what others do.
var ours = map[string]bool{"core.repositoryFormatVersion": true, "core.bigFileThreshold": true, "core.worktree": true}

// spelled replaces a key's placeholders with names.
func (a *keyPrograms) spelled(key string) []string {
	name, section := "evil", strings.SplitN(key, ".", 2)[0]
	switch section {
	case "submodule":
		name = "mod"
	case "branch":
		name = "master"
	case "remote":
		name = "origin"
	}
	keys := []string{strings.NewReplacer("<name>", name, "<url>", "https://example.org/", "<base>", "ext::"+a.program("url.base"),
		"<pattern>", "refs/heads/*").Replace(key)}
	for placeholder, names := range map[string][]string{"<format>": {"openpgp", "ssh", "x509"}, "<cmd>": {"status", "diff", "log", "add", "merge"},
		"<condition>": conditions} {
		if strings.Contains(key, placeholder) {
			keys = nil
			for _, name := range names {
				keys = append(keys, strings.ReplaceAll(key, placeholder, name))
			}
		}
	}
	for n, key := range keys {
		key = regexp.MustCompile(`<[a-z-]+>`).ReplaceAllString(key, "evil")
		keys[n] = strings.ReplaceAll(strings.ReplaceAll(key, "alias.*", "alias.status"), ".*", ".evil")
		if strings.HasPrefix(key, "includeIf.hasconfig") {
			keys[n] = key
		}
	}
	if strings.HasPrefix(key, "filter.") && !strings.HasSuffix(key, "clean") && !strings.HasSuffix(key, "smudge") {
		return []string{strings.ReplaceAll(keys[0], "evil", "process")} // git fails if such a driver does not speak its protocol
	}
	return keys
}

// words are for keys of which git does not say that they are wrong.
var words = map[string]string{"core.bare": "false", "core.ignorestat": "false", "core.sparsecheckout": "false", "submodule.mod.ignore": "none", "core.prefersymlinkrefs": "false", "format.pretty": "oneline", "log.date": "iso", "diff.evil.cachetextconv": "false", "core.safecrlf": "false",
	"extensions.partialclone": "origin"}

// values returns the values to try for a key.
func (a *keyPrograms) values(key string) []string {
	program, small := a.program(key), strings.ToLower(key)
	first := program
	switch {
	case strings.HasPrefix(small, "alias."), strings.HasPrefix(small, "submodule.") && strings.HasSuffix(small, ".update"), strings.HasPrefix(small, "credential.") && strings.HasSuffix(small, "helper"):
		first = "!" + program
	case strings.HasSuffix(small, "insteadof"):
		first = "/"
	case strings.HasPrefix(small, "remote.") && strings.HasSuffix(small, "url"), strings.HasPrefix(small, "submodule.") && strings.HasSuffix(small, "url"):
		first = "ext::" + program
	case strings.HasPrefix(small, "protocol.") && strings.HasSuffix(small, "allow"):
		first = "always"
	case small == "core.hookspath":
		first = filepath.Join(a.dir, "hooks")
	case small == "init.templatedir":
		first = filepath.Join(a.dir, "template")
	case small == "core.attributesfile":
		first = filepath.Join(a.dir, "attributes")
	case strings.Contains(small, "quest*"), strings.Contains(small, "worktrees"): // it counts in trees of ours alone, so its driver is told nowhere else
		first = filepath.Join(a.dir, "waiting")
	case strings.HasPrefix(small, "include"):
		first = filepath.Join(a.dir, "included")
	}
	if value := words[small]; value != "" {
		return []string{value}
	}
	return []string{first, "true", "1"}
}

// included makes a configuration file for another one to include. It has drivers with
// this name.
func included(a *keyPrograms, name string) string {
	var all []setting
	for _, key := range []string{"filter." + name + ".clean", "filter." + name + ".smudge", "core.fsmonitor", "core.pager", "diff.external",
		"diff." + name + ".textconv", "merge." + name + ".driver", "gpg.program", "core.sshCommand"} {
		all = append(all, setting{key, []string{a.program(name + "-" + key)}})
	}
	return configText(all)
}

// configText formats settings as git's configuration. Each has its own line for the
// section, so key n is in line 2n.
func configText(all []setting) string {
	var b strings.Builder
	for _, s := range all {
		first, last := strings.Index(s.key, "."), strings.LastIndex(s.key, ".")
		section := s.key[:first]
		if last > first {
			section += ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.key[first+1:last]) + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, s.key[last+1:], s.values[0])
	}
	return b.String()
}

// looksOf are commands that read configuration and change nothing of value.
var looksOf = [][]string{{"status", "--porcelain=v2"}, {"diff", "--stat"}, {"log", "-1", "-p"}, {"add", "-A"}, {"write-tree"}, {"ls-files"},
	{"for-each-ref"}, {"rev-parse", "HEAD"}, {"branch"}, {"commit", "--dry-run", "-q", "-m", "x"}, {"merge", "-q", "HEAD"}, {"update-index", "--refresh"},
	{"merge-tree", "--write-tree", "HEAD", "HEAD"}, {"diff-index", "--cached", "HEAD"}, {"worktree", "list"}, {"hash-object", "-w", "a.txt"},
	{"commit-tree", "-m", "x", "HEAD^{tree}"}, {"update-ref", "refs/x/y", "HEAD"}, {"read-tree", "HEAD"}, {"checkout-index", "-a", "-f"}, {"gc", "--auto"}, {"rev-list", "HEAD"},
	{"pack-objects", "--all", "--stdout", "-q"}, {"upload-pack", "--http-backend-info-refs", "."}, {"receive-pack", "--http-backend-info-refs", "."}, {"stash", "list"}, {"checkout", "-q", "-f"}}

// acceptable gives every key the most dangerous value with which git itself still
// works. It returns keys without such a value separately: in one configuration they
// would prevent all others from being tried.
func (a *keyPrograms) acceptable(all []setting) (good, refused []setting) {
	a.t.Helper()
	dir := a.t.TempDir()
	shell(a.t, dir, "git init -q; echo a >a.txt; git add -A; git commit -q -m x; cp .git/config plain; echo b >b.txt")
	plain, err := os.ReadFile(filepath.Join(dir, "plain"))
	if err != nil {
		a.t.Fatal(err)
	}
	run := func(all []setting, args []string) (string, bool) {
		if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte(configText(all)+string(plain)), 0o644); err != nil {
			a.t.Fatal(err)
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
		var said bytes.Buffer
		cmd.Stderr = &said
		err := cmd.Run()
		return said.String(), err == nil
	}
	known := a.table()
	for _, s := range all {
		at := setting{s.key, s.values}
		if value := known[strings.ToLower(s.key)]; value == "-" {
			refused = append(refused, at)
			continue
		} else if value != "" && len(s.values) > 1 {
			at.values = []string{value}
		}
		good = append(good, at)
	}
	for _, args := range looksOf {
		if said, ok := run(nil, args); !ok {
			a.t.Fatalf("git %v fails by itself: %s", args, said)
		}
		for {
			said, ok := run(good, args)
			if ok {
				break
			}
			n := culprit(good, said, func(some []setting) bool { _, ok := run(some, args); return !ok })
			if next := good[n].values[1:]; len(next) > 0 {
				good[n].values = next
			} else {
				refused = append(refused, setting{good[n].key, all[slices.IndexFunc(all, func(s setting) bool { return s.key == good[n].key })].values})
				good = slices.Delete(good, n, n+1)
			}
		}
	}
	return good, refused
}

// table returns what an earlier run found out, to save time: the keys with the value
// that git accepts, or "-" if git accepts none. A key that is not in it, such as that
// of a newer git, is tried.
func (a *keyPrograms) table() map[string]string {
	a.t.Helper()
	known := map[string]string{}
	if os.Getenv("QUESTBOARD_KEYS") == "table" {
		return known
	}
	text, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		a.t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		key, value, _ := strings.Cut(line, "\t")
		known[strings.ToLower(key)] = value
	}
	return known
}

// writeTable stores the table for later runs.
func (a *keyPrograms) writeTable(good, refused []setting) {
	a.t.Helper()
	var lines []string
	for _, s := range good {
		if value := s.values[0]; value == "true" || value == "1" {
			lines = append(lines, s.key+"\t"+value+"\n")
		}
	}
	for _, s := range refused {
		lines = append(lines, s.key+"\t-\n")
	}
	slices.Sort(lines)
	if err := os.WriteFile("testdata/keys.txt", []byte(strings.Join(lines, "")), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// culprit returns the index of the setting that git's message names. If it names none,
// it is the last setting of the shortest list that fails.
func culprit(all []setting, said string, fails func([]setting) bool) int {
	if at := regexp.MustCompile(`(?:bad config line|at line) (\d+)`).FindStringSubmatch(said); at != nil {
		var line int
		if _, err := fmt.Sscan(at[1], &line); err == nil && line/2 >= 1 && line/2 <= len(all) && strings.Contains(said, ".git/config") {
			return line/2 - 1
		}
	}
	fatal := said
	if _, after, found := strings.Cut(said, "fatal: "); found {
		fatal = after
	}
	fatal = strings.ToLower(fatal)
	best := -1
	for n, s := range all {
		if strings.Contains(fatal, strings.ToLower(s.key)) && (best < 0 || len(s.key) > len(all[best].key)) {
			best = n
		}
	}
	if best >= 0 && (strings.Contains(fatal, "'"+strings.ToLower(all[best].key)+"'") || fails(all[best:best+1])) {
		return best
	}
	low, high := 0, len(all) // beginnings of these lengths: works, fails
	for high-low > 1 {
		if half := (low + high) / 2; fails(all[:half]) {
			high = half
		} else {
			low = half
		}
	}
	return high - 1
}
