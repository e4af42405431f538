package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hidden are ways to hide a filter from somebody who looks for it in .git/config. Each
// script runs in a repository whose f.txt has the attribute filter=evil. Then f.txt is
// changed to the same length, so that git must read it.
var hidden = map[string]string{
	// Before it is more text than anybody reads.
	"behind 5 MB": `
{ printf '[filter "a"]\n\tclean = '; head -c 5000000 /dev/zero | tr '\0' a; printf '\n'; } >>.git/config
git config filter.evil.clean '%CANARY%'
`,
	// It is in another repository, to which the first one leads.
	"in another worktree": `
git init -q ../other
cp .gitattributes f.txt ../other
git -C ../other add -A
git -C ../other commit -q -m other
echo two >../other/f.txt
git -C ../other config filter.evil.clean '%CANARY%'
git -C ../other config core.fsmonitor '%CANARY%'
git config core.worktree "$PWD/../other"
`,
	// It applies only on a branch or in a tree of ours.
	"in an include that waits": `
printf '[filter "evil"]\n\tclean = %CANARY%\n\tsmudge = %CANARY%\n[core]\n\thooksPath = hooks\n' >evil.cfg
git add evil.cfg
git commit -q -m include
for when in 'onbranch:quest*/**' 'onbranch:**/_quest' 'gitdir:**/worktrees/**' 'gitdir/i:**/WORKTREES/**' 'gitdir:**/git/**' 'hasconfig:remote.*.url:**'; do
	printf '[includeIf "%s"]\n\tpath = %s/evil.cfg\n' "$when" "$PWD" >>.git/config
done
`,
}

// prepared makes a repository that came with its .git, in which this script has run.
func prepared(t *testing.T, c trap, script string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	shell(t, dir, `git init -q
		echo '*.txt filter=evil' >.gitattributes
		mkdir below
		echo one >f.txt
		echo one >below/f.txt
		git add -A
		git commit -q -m first
		`+c.named(script)+`
		echo two >f.txt
		echo two >below/f.txt`)
	return dir
}

// docs/hardening.md#git-and-the-sandbox, W4: neither the form nor a quest runs a
// program that a repository configures, however it is hidden.
func TestNothingThatARepositoryConfiguresRuns(t *testing.T) {
	t.Parallel()
	bothWalls(t, func(t *testing.T, start func(string, ...string) *apiServer) {
		s := start(agentRuns(map[string]string{"only": "echo work >work.txt; echo work >>f.txt"}))
		for name, script := range hidden {
			c := newTrap(t)
			repo := prepared(t, c, script)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, c := s.with(t), c.of(t)
				for _, at := range []string{repo, filepath.Join(repo, "below")} {
					for _, workspace := range []string{"worktree", "shared"} {
						s.form(at, workspace)
					}
				}
				c.silent("looking at it in the form")
				for at, workspace := range map[string]string{repo: "worktree", filepath.Join(repo, "below"): "shared"} {
					c.forget()
					s.sayWhy(s.try(at, "only", `,"ward":"true","workspace":"`+workspace+`"`))
					c.silent("a quest in " + workspace + " mode in " + filepath.Base(at))
				}
			})
		}
	})
}

// This shows that the traps above work: a plain git runs each of them.
func TestTheHiddenFiltersWork(t *testing.T) {
	t.Parallel()
	for name, script := range hidden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTrap(t)
			dir := prepared(t, c, script)
			switch {
			case strings.HasPrefix(name, "in an include"):
				gitText(t, dir, "checkout", "-q", "-b", "quest/q1")
			case strings.HasPrefix(name, "in another"): // as one who follows core.worktree asks
				dir = filepath.Join(dir, "..", "other")
			}
			c.assertStarts(dir, "status")
		})
	}
}
