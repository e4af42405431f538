package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// evilModule makes a repository "evil" in the folder in which it runs. Its own
// configuration names the trap as a filter, and it has a file that git would filter.
const evilModule = `
git init -q evil
cd evil
echo '* filter=evil' >.gitattributes
echo one >file
git add -A
git -c user.name=t -c user.email=t@example.org commit -q -m inner
git config filter.evil.clean '%CANARY%'
git config filter.evil.smudge '%CANARY%'
git config core.fsmonitor '%CANARY%'
echo two >file
cd ..
printf '[submodule "evil"]\n\tpath = evil\n\turl = ./evil\n' >.gitmodules
echo work >work.txt
`

// evilElsewhere hides the trap behind core.worktree. The module's own configuration
// names no program, but that of the folder to which it leads does.
const evilElsewhere = `
git init -q evil
echo one >evil/file
git -C evil add -A
git -C evil -c user.name=t -c user.email=t@example.org commit -q -m outer
mkdir evil/x
cd evil/x
git init -q
echo '* filter=evil' >.gitattributes
echo one >file
git add -A
git -c user.name=t -c user.email=t@example.org commit -q -m inner
git config filter.evil.clean '%CANARY%'
git config core.fsmonitor '%CANARY%'
echo two >file
cd ../..
git -C evil config core.worktree "$PWD/evil/x"
printf '[submodule "evil"]\n\tpath = evil\n\turl = ./evil\n' >.gitmodules
echo work >work.txt
`

// fillsGitlink is a check that fills a submodule of a plain clone.
const fillsGitlink = `#!/bin/sh
test -e evil/.git && exit 0
mkdir -p evil && cd evil && git init -q
echo '* filter=evil' >.gitattributes
echo one >file
git add -A
git -c user.name=t -c user.email=t@example.org commit -q -m inner
git config filter.evil.clean '%CANARY%'
git config core.fsmonitor '%CANARY%'
echo two >file
exit 0
`

// docs/hardening.md#git-and-the-sandbox, W1: our git never enters a repository within a
// tree, no matter who made it and how it is linked.
func TestOurGitNeverEntersARepositoryWithinATree(t *testing.T) {
	t.Parallel()
	bothWalls(t, func(t *testing.T, start func(string, ...string) *apiServer) {
		module, elsewhere, gitlink := newTrap(t), newTrap(t), newTrap(t)
		dir := t.TempDir()
		shell(t, dir, module.named(evilModule))
		module.assertStarts(dir, "-C", "evil", "status")
		repos := map[string]string{"module": apiRepo(t), "elsewhere": apiRepo(t), "gitlink": cloneWithGitlink(t, gitlink.named(fillsGitlink))}
		s := start(agentRuns(map[string]string{
			"module":    module.named(evilModule),
			"elsewhere": elsewhere.named(evilElsewhere),
			"gitlink":   "echo work >work.txt",
		}))
		for step, c := range map[string]trap{"module": module, "elsewhere": elsewhere, "gitlink": gitlink} {
			t.Run(step, func(t *testing.T) {
				t.Parallel()
				s, c := s.with(t), c.of(t)
				s.sayWhy(s.try(repos[step], step, `,"workspace":"worktree","ward":"test ! -e check.sh || sh check.sh"`))
				c.silent("a quest")
			})
		}
	})
}

// cloneWithGitlink makes a plain clone of a repository with this check and with an
// empty submodule, as after "git clone".
func cloneWithGitlink(t *testing.T, check string) string {
	t.Helper()
	from, to := apiRepo(t), filepath.Join(t.TempDir(), "clone")
	write(t, filepath.Join(from, "check.sh"), check)
	shell(t, from, `printf '[submodule "evil"]\n\tpath = evil\n\turl = ./evil\n' >.gitmodules
		git add -A
		git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),evil
		git commit -q -m linked
		git clone -q . '`+to+`'`)
	if err := os.MkdirAll(filepath.Join(to, "evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
