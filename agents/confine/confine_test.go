package confine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/e2e/e2etest"
)

// place imitates a machine in a folder: it has a home, a data directory and a repository.
type place struct {
	t                *testing.T
	root, home, data string
	repo             string
	sandbox          *confine.Sandbox
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: root, home: root + "/home", data: root + "/home/.local/share/questboard", repo: root + "/home/src/app"}
	p.mkdir(p.data+"/worktrees/q1/s1", p.data+"/runs/q1-r1", p.data+"/git/r1/trees/worktrees/s1", p.repo+"/.git", p.repo+"/node_modules",
		p.home+"/.nvm/v24/bin", p.home+"/.nvm/v24/lib", p.home+"/.local/bin", p.home+"/.local/lib", p.home+"/go/bin", p.home+"/.ssh")
	p.write(p.data+"/git/r1/trees/worktrees/s1/gitdir", p.data+"/worktrees/q1/s1/.git\n")
	p.write(p.data+"/worktrees/q1/s1/.git", "gitdir: "+p.data+"/git/r1/trees/worktrees/s1\n")
	p.write(p.data+"/runs/q1-r1/mcp.json", "{}")
	p.sandbox = &confine.Sandbox{Bwrap: "/usr/bin/bwrap", Data: p.data, Home: p.home,
		Path: strings.Join([]string{p.home + "/.nvm/v24/bin", p.home + "/.local/bin", p.home + "/go/bin", "/usr/bin", ".", p.home, "/"}, ":"),
		Git:  p, Links: func(context.Context, string) ([]string, error) {
			return []string{"node_modules", "../../.ssh", "absent"}, nil
		}}
	return p
}

// Layout implements confine.Git. There is only one repository.
func (p *place) Layout(dir string) (confine.Layout, error) {
	if dir == p.repo || strings.HasPrefix(dir, p.repo+"/") {
		return confine.Layout{Top: p.repo, GitDir: p.repo + "/.git", Common: p.repo + "/.git"}, nil
	}
	return confine.Layout{}, nil
}

// TreesGit implements confine.Git.
func (p *place) TreesGit(string) (string, error) {
	return p.data + "/git/r1/trees", nil
}

func (p *place) mkdir(dirs ...string) {
	p.t.Helper()
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) spec(dir string) agents.Spec {
	return agents.Spec{RunID: "q1-r1", QuestID: "q1", Step: "s1", Dir: dir, Repo: p.repo}
}

// wrap returns bubblewrap's arguments about this place's files, one per line. It leaves
// out those about the machine, which differ from machine to machine.
func (p *place) wrap(spec agents.Spec, needs confine.Needs) []string {
	p.t.Helper()
	argv, err := p.sandbox.Wrap(p.t.Context(), spec, needs)
	if err != nil {
		p.t.Fatal(err)
	}
	var lines []string
	for i := 1; i < len(argv); {
		n := map[string]int{"--ro-bind": 3, "--ro-bind-try": 3, "--bind": 3, "--symlink": 3, "--setenv": 3,
			"--tmpfs": 2, "--proc": 2, "--dev": 2, "--cap-drop": 2, "--chdir": 2}[argv[i]]
		line := strings.Join(argv[i:i+max(1, n)], " ")
		if last := argv[i+max(1, n)-1]; n < 2 || argv[i] != "--tmpfs" && n == 2 || strings.Contains(line, p.root) || strings.HasPrefix(last, "/proc") || argv[i] == "--setenv" {
			lines = append(lines, strings.ReplaceAll(line, p.root, "ROOT"))
		}
		i += max(1, n)
	}
	return lines
}

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	e2etest.Golden(t, name+".golden", strings.Join(lines, "\n")+"\n")
}

func TestAWorktreeIsSeenWithOurGitReadOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mcp := p.data + "/runs/q1-r1/mcp.json"
	golden(t, "worktree", p.wrap(p.spec(p.data+"/worktrees/q1/s1"), confine.Needs{Read: []string{mcp}}))
}

func TestASharedFolderIsSeenWithItsGitReadOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.mkdir(p.root + "/extra read")
	p.mkdir(p.root + "/--bind")
	p.sandbox.Read, p.sandbox.Write = []string{p.root + "/extra read"}, []string{p.root + "/--bind"}
	golden(t, "shared", p.wrap(p.spec(p.repo), confine.Needs{}))
}

// bubblewrap looks up what it mounts by name. A program could put a link to a file of the user in the
// place of a folder of its home, for a later program of its quest, if it has no mount there itself.
func TestAllProgramsOfAQuestHaveTheSameFoldersOfItsHomeAsMounts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cli := p.home + "/.local/share/claude/versions/2/claude"
	p.mkdir(filepath.Dir(cli))
	p.write(cli, "")
	late := []string{p.home + "/.cargo/bin", p.home + "/notes/for/agents"}
	p.sandbox.Path += ":" + late[0]
	p.sandbox.Read = late[1:]
	sources := func(spec agents.Spec, needs confine.Needs) []string {
		var from []string
		for _, line := range p.wrap(spec, needs) {
			if words := strings.Fields(line); words[0] == "--bind" && strings.HasPrefix(words[1], "ROOT/home/.local/share/questboard/homes/q1") {
				from = append(from, words[1])
			}
		}
		return from
	}
	tree := p.spec(p.data + "/worktrees/q1/s1")
	all := sources(tree, confine.Needs{})
	if len(all) < 2 {
		t.Errorf("the home is %q", all)
	}
	for name, others := range map[string][]string{
		"an agent":                 sources(tree, confine.Needs{Read: []string{cli}}),
		"one that is tried":        sources(agents.Spec{RunID: "trial-1", QuestID: "q1", Dir: p.repo}, confine.Needs{}),
		"one in a shared folder":   sources(p.spec(p.repo), confine.Needs{}),
		"one without a repository": sources(agents.Spec{RunID: "q1-r1", QuestID: "q1", Dir: tree.Dir}, confine.Needs{}),
	} {
		if !slices.Equal(others, all) {
			t.Errorf("%s has %q, another %q", name, others, all)
		}
	}
	for _, dir := range late {
		p.mkdir(dir)
		if others := sources(tree, confine.Needs{}); !slices.Equal(others, all) {
			t.Errorf("after %s appeared a program has %q, others %q", dir, others, all)
		}
	}
	if err := os.RemoveAll(p.home + "/go/bin"); err != nil {
		t.Fatal(err)
	}
	if others := sources(tree, confine.Needs{}); !slices.Equal(others, all) {
		t.Errorf("after a folder of PATH went a program has %q, others %q", others, all)
	}
	// Once the home is gone, no program of the quest lives that could replace something.
	if err := p.sandbox.Forget("q1"); err != nil {
		t.Fatal(err)
	}
	other := tree
	other.QuestID = "q2"
	p.wrap(other, confine.Needs{})
	if again := sources(tree, confine.Needs{}); slices.Equal(again, all) {
		t.Errorf("what is known of a quest stays when its home is gone: %q", again)
	}
}

func TestNamesOfFilesAreData(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"--dir", "-", "a b", "line\nend", "--tmpfs /", "$(id)", "ü"} {
		p := newPlace(t)
		p.repo = filepath.Join(p.root, name)
		p.mkdir(p.repo + "/.git")
		argv, err := p.sandbox.Wrap(t.Context(), p.spec(p.repo), confine.Needs{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(argv, p.repo)
		if at < 0 || argv[at-1] != "--bind" || argv[at+1] != p.repo {
			t.Errorf("%q is no word of its own in %q", name, argv)
		}
		if slices.Contains(argv, name) {
			t.Errorf("%q stands alone in %q", name, argv)
		}
	}
}

// If an agent puts a link at a mount point, the link is replaced and not followed.
func TestLinksOfAnAgentDoNotLeadAMountAstray(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	own := p.data + "/homes/q1"
	p.mkdir(own, own+"/go")
	victim := p.root + "/victim"
	p.mkdir(victim)
	for _, name := range []string{".local", ".claude", "go/bin", "src"} {
		if err := os.Symlink(victim, filepath.Join(own, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.write(own+"/.nvm", "a file in the way")
	p.wrap(p.spec(p.repo), confine.Needs{Files: map[string][]byte{".claude.json": []byte("{}")}})
	if left, _ := os.ReadDir(victim); len(left) > 0 {
		t.Errorf("a link was followed: %v", left)
	}
	for _, name := range []string{".local", ".local/bin", ".claude", "go/bin", "src", ".nvm/v24"} {
		if info, err := os.Lstat(filepath.Join(own, name)); err != nil || !info.IsDir() {
			t.Errorf("%s is no folder: %v", name, err)
		}
	}
}

func TestAFileIsWrittenInThePlaceOfALink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	own := p.data + "/homes/q1"
	p.mkdir(own)
	victim := p.root + "/victim"
	p.write(victim, "mine")
	for _, name := range []string{".claude.json", ".claude.json.questboard-new"} {
		if err := os.Symlink(victim, filepath.Join(own, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.wrap(p.spec(p.repo), confine.Needs{Files: map[string][]byte{".claude.json": []byte("{}")}})
	if text, _ := os.ReadFile(victim); string(text) != "mine" {
		t.Errorf("the link was followed: %q", text)
	}
	if text, _ := os.ReadFile(own + "/.claude.json"); string(text) != "{}" {
		t.Errorf("the file holds %q", text)
	}
}

func TestAFolderThatHoldsTheHomeOrTheDataIsNoWorkspace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, dir := range []string{p.home, p.root, p.home + "/.local"} {
		_, err := p.sandbox.Wrap(t.Context(), agents.Spec{RunID: "r", QuestID: "q1", Dir: dir}, confine.Needs{})
		var not *agents.NotStarted
		if !errors.As(err, &not) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for _, quest := range []string{"", "..", "a/b"} {
		if _, err := p.sandbox.Wrap(t.Context(), agents.Spec{RunID: "r", QuestID: quest, Dir: p.repo}, confine.Needs{}); err == nil {
			t.Errorf("the quest %q has a home", quest)
		}
	}
}

// A path of the user may lead into a folder that an agent changes. It leads where it
// led at first, or it is not shown at all.
func TestAPathLeadsWhereItLedAtFirst(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	name, rules := p.home+"/.claude/CLAUDE.md", p.repo+"/claude/rules.md"
	p.mkdir(p.home+"/.claude", p.repo+"/claude")
	leads := func(want string) {
		t.Helper()
		if got, ok := p.sandbox.Leads(name); got != want || ok != (want != "") {
			t.Errorf("it leads to %q, want %q", got, want)
		}
	}
	link := func(to, at string) {
		t.Helper()
		_ = os.Remove(at)
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	leads("")
	p.write(rules, "rules")
	link(rules, name)
	leads(rules)
	link(p.home+"/.ssh", name)
	leads(rules)
	link(p.home+"/.ssh", rules)
	leads("")
	_ = os.Remove(rules)
	leads("")
	p.write(rules, "other rules")
	leads(rules)
}

func TestNoSandboxConfinesNothing(t *testing.T) {
	t.Parallel()
	var none *confine.Sandbox
	if wrap, err := none.Wrap(t.Context(), agents.Spec{}, confine.Needs{}); wrap != nil || err != nil {
		t.Errorf("%q %v", wrap, err)
	}
}

func TestTheHomeOfAQuestGoesWithIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	own := p.data + "/homes/q1/go/pkg/mod"
	p.mkdir(own)
	p.write(own+"/kept", "")
	if err := os.Chmod(own, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := p.sandbox.Forget("q1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.data + "/homes/q1"); err == nil {
		t.Error("the home is still there")
	}
	for _, quest := range []string{"", "..", "../runs", "/"} {
		if err := p.sandbox.Forget(quest); err == nil {
			t.Errorf("%q was removed", quest)
		}
	}
	if _, err := os.Lstat(p.data + "/runs"); err != nil {
		t.Error(err)
	}
}

// A program is often a link in a folder of PATH, which is seen as it is: bubblewrap could mount
// nothing at the link.
func TestALinkToAProgramInAFolderOfPathIsSeenAsItIs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	program, link := p.home+"/parts/agent", p.home+"/go/bin/agent"
	p.mkdir(p.home + "/parts")
	p.write(program, "")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	lines := p.wrap(p.spec(p.data+"/worktrees/q1/s1"), confine.Needs{Dir: p.home, Read: []string{link}})
	for want, is := range map[string]bool{
		"--ro-bind ROOT/home/parts/agent ROOT/home/parts/agent":  true,
		"--ro-bind ROOT/home/parts/agent ROOT/home/go/bin/agent": false,
		"--ro-bind ROOT/home/go/bin ROOT/home/go/bin":            true,
		"--chdir ROOT/home": true,
	} {
		if slices.Contains(lines, want) != is {
			t.Errorf("%q is among the arguments: %v, want %v:\n%s", want, !is, is, strings.Join(lines, "\n"))
		}
	}
}
