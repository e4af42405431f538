package e2e_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulesText has every entry of .gitmodules, each with a value that could do harm.
const modulesText = `[submodule "update"]
	path = update
	url = ext::%CANARY%
	update = !%CANARY%
	branch = -x
	ignore = none
	fetchRecurseSubmodules = true
	shallow = true
[submodule "../../hooks"]
	path = ../outside
	url = -u%CANARY%
[submodule "option"]
	path = -x
	url = --upload-pack=%CANARY%
[submodule "git"]
	path = .git/hooks
	url = ./.git/modules
`

// agentsRepository is the script of an agent. It makes a nested repository in its tree
// with all keys and hooks and, if it can, puts the same into git's own folder for the
// tree.
const agentsRepository = `
git init -q evil 2>/dev/null
echo one >evil/file
sed 's/=evil/=agents/g' .gitattributes >evil/.gitattributes
git -C evil add -A
git -C evil -c user.name=t -c user.email=t@example.org commit -q -m inner
sed 's/"evil"/"agents"/' evil.cfg >>evil/.git/config
mkdir -p evil/.git/hooks
cp hooks/* evil/.git/hooks/
echo two >evil/file
cat evil.cfg >>"$(git rev-parse --git-common-dir)/config"
cp hooks/* "$(git rev-parse --git-common-dir)/hooks/"
mkdir -p "$(git rev-parse --git-dir)/info"
cp .gitattributes "$(git rev-parse --git-dir)/info/attributes"
cp evil.cfg .gitconfig
printf '[submodule "evil"]\n\tpath = evil\n\turl = ./evil\n' >>.gitmodules
echo new >new.inc
echo new >new.wait
echo work >work.txt
`

// repository makes a repository in which every configuration has these keys: its own,
// that of its worktrees, that of a submodule, and a tracked file for agents. linked is
// a second worktree of it.
func (a *keyPrograms) repository(t *testing.T, all []setting) (main, linked string) {
	t.Helper()
	dir := t.TempDir()
	main, linked = filepath.Join(dir, "main"), filepath.Join(dir, "linked")
	text := configText(all)
	for name, text := range map[string]string{
		"main/.gitattributes": attributes, "main/.gitmodules": "[submodule \"mod\"]\n\tpath = mod\n\turl = ../mod\n",
		"main/a.txt": "a\n", "main/b.inc": "b\n", "main/evil.cfg": text, "mod/m.txt": "m\n",
		"main/.env":   "GIT_EXTERNAL_DIFF=" + a.program("env") + "\nGIT_SSH_COMMAND=" + a.program("env") + "\n",
		"main/.envrc": "export GIT_PAGER=" + a.program("envrc") + "\nexport GIT_CONFIG_GLOBAL=evil.cfg\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	for _, hook := range hooks {
		write(t, filepath.Join(main, "hooks", hook), "#!/bin/sh\nexec '"+a.program("agents-hook-"+hook)+"'\n")
	}
	shell(t, dir, `
chmod +x main/hooks/*
git init -q mod; git -C mod add -A; git -C mod commit -q -m module
cd main
git init -q
git add -A
mkdir .git/modules
git clone -q --separate-git-dir "$PWD/.git/modules/mod" ../mod mod
git update-index --add --cacheinfo "160000,$(git -C mod rev-parse HEAD),mod"
git commit -q -m first
git worktree add -q -b second ../linked
mkdir -p .git/info .git/hooks
cp .gitattributes .git/info/attributes
cp .gitattributes .git/worktrees/linked/attributes
cp '`+a.dir+`'/hooks/* .git/hooks/
git config core.repositoryFormatVersion 1
git config extensions.worktreeConfig true
for at in .git/config .git/config.worktree .git/worktrees/linked/config.worktree .git/modules/mod/config; do cat evil.cfg >>$at; done
touch -d '1 hour ago' a.txt b.inc ../linked/a.txt ../linked/b.inc`)
	return main, linked
}

// modules plays a quest in a repository with a hostile .gitmodules. git refuses it, and
// the product may refuse it as well.
func (s *traced) modules(t *testing.T, a *keyPrograms) {
	t.Helper()
	repo := apiRepo(t)
	write(t, filepath.Join(repo, ".gitmodules"), strings.ReplaceAll(modulesText, "%CANARY%", a.program("gitmodules")))
	shell(t, repo, `for at in update option; do git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),$at"; done
git add .gitmodules; git commit -q -m modules; mkdir update; git init -q update`)
	s.form(repo, "worktree")
	s.sayWhy(s.try(repo, "worktree", `,"ward":"`+keysCheck+`","workspace":"worktree"`))
}

// keyed plays the product with these keys: the form looks at the repository, and there
// is a quest in each mode, which is delivered if there is something to deliver.
func (s *traced) keyed(t *testing.T, a *keyPrograms, all []setting) (complaints []string) {
	t.Helper()
	main, linked := a.repository(t, all)
	for _, at := range []string{main, linked} {
		s.form(at, "worktree")
		s.form(at, "shared")
	}
	for repo, workspace := range map[string]string{main: "worktree", linked: "shared"} {
		q := s.try(repo, workspace, `,"ward":"`+keysCheck+`","workspace":"`+workspace+`"`)
		switch {
		case q == nil:
			complaints = append(complaints, "refused")
		case q["status"] != "complete":
			complaints = append(complaints, blockedWhy(q))
		case workspace == "worktree":
			if r := s.post("/quests/"+q["id"].(string)+"/deliver", `{"how":"merge"}`); r.status != 200 {
				complaints = append(complaints, r.text)
			}
		}
	}
	return complaints
}

const keysCheck = ": the check"

var keysScenario = agentRuns(map[string]string{"worktree": agentsRepository,
	"shared": agentsRepository + `cat evil.cfg >>"$(git rev-parse --git-dir)/config.worktree"` + "\n"})

// docs/hardening.md#git-and-the-sandbox, W1: git's configuration can name programs in
// many places, and a repository or an agent can write them. Our git still starts only
// git.
func TestNoKeyOfGitsConfigurationStartsAnything(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for name, flags := range map[string][]string{"plain": nil, "sandbox": {"-sandbox"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if flags != nil {
				needSandbox(t)
			}
			a := newKeyPrograms(t)
			good, refused := a.acceptable(a.settings())
			runs := 0
			round := func(t *testing.T, all []setting) (found, complaints []string) {
				s := startTraced(t, keysScenario, flags...)
				complaints = s.keyed(t, a, all)
				s.modules(t, a)
				found, ours := s.strangers(keysCheck)
				if runs++; ours < 10 {
					t.Errorf("only %d calls of git were seen", ours)
				}
				return found, complaints
			}
			found, complaints := round(t, good)
			for range 5 { // a key that the product refuses hides the others, so leave it out and try again
				n := refusedIndex(good, complaints)
				if n < 0 {
					break
				}
				t.Logf("refused for %s: %v", good[n].key, complaints)
				good = slices.Delete(good, n, n+1)
				more, now := round(t, good)
				found, complaints = append(found, more...), now
			}
			if len(complaints) > 0 {
				t.Errorf("it does not work with these keys, so they are not tried: %v", complaints)
			}
			if nameless := slices.ContainsFunc(found, func(s string) bool { return !strings.Contains(s, canaryName) }); nameless {
				n := culprit(good, "", func(some []setting) bool { found, _ := round(t, some); return len(found) > 0 })
				t.Logf("the last of the fewest keys that start something: %s = %s", good[n].key, good[n].values[0])
			}
			t.Logf("%d keys at once, %d left for `make soak-keys`, %d runs of the product", len(good), len(refused), runs)
			report(t, found)
		})
	}
}

// refusedIndex returns the index of the key that a refusal names; -1: none.
func refusedIndex(all []setting, complaints []string) int {
	text := strings.ToLower(strings.Join(complaints, " "))
	return slices.IndexFunc(all, func(s setting) bool {
		return strings.Contains(text, "'"+strings.ToLower(s.key)+"'") || strings.Contains(text, `"`+strings.ToLower(s.key)+`"`)
	})
}

func report(t *testing.T, found []string) {
	t.Helper()
	for n, what := range found {
		if n == 30 {
			t.Errorf("and %d more", len(found)-n)
			return
		}
		t.Errorf("our git started %s", what)
	}
}

// This shows that the traps work: a plain git starts many of the programs.
func TestAPlainGitStartsWhatTheKeysName(t *testing.T) {
	t.Parallel()
	needStrace(t)
	a := newKeyPrograms(t)
	good, _ := a.acceptable(a.settings())
	main, _ := a.repository(t, good)
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "--seccomp-bpf", "-s", "400", "-e", "signal=none", "-e", "trace=execve", "-o", trace, "/bin/sh", "-c",
		"echo b >a.txt; git status; git diff; git add -A; git commit -q -m x; git checkout -q -b quest/other; echo n >n.wait; git add n.wait; git log -p --show-signature; git fetch; git st; git -C mod status; true")
	cmd.Dir = main
	said, _ := cmd.CombinedOutput()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if call := callLine.FindStringSubmatch(line); call != nil && strings.Contains(call[2], canaryName) {
			seen[filepath.Base(call[2])] = true
		}
	}
	t.Logf("a plain git started %d of them: %s", len(seen), slices.Sorted(maps.Keys(seen)))
	for _, want := range []string{"core.fsmonitor", "filter.evil.clean", "included-filter.included.clean", "waiting-filter.waiting.clean", "diff.evil.command", "pre-commit"} {
		if !seen[want] {
			t.Errorf("%s was not started; these were: %v\n%.3000s", want, slices.Sorted(maps.Keys(seen)), said)
		}
	}
}
