package e2e_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/agents/claude"
	"questboard/orchestration"
)

// attempt is one tool call that a model tries. In its input, DIR is the run's directory
// and HOME that of the user.
type attempt struct {
	tool    string
	input   map[string]any
	allowed bool
}

func bash(command string, allowed bool) attempt {
	return attempt{"Bash", map[string]any{"command": command, "description": "try it"}, allowed}
}

// changes are calls of each tool that changes files, with an input that is right.
func changes(allowed bool) []attempt {
	return []attempt{
		{"Read", map[string]any{"file_path": "DIR/CLAUDE.md"}, true},
		{"Edit", map[string]any{"file_path": "DIR/CLAUDE.md", "old_string": "PLATYPUS", "new_string": "EMU"}, allowed},
		{"Edit", map[string]any{"file_path": "DIR/CLAUDE.md", "old_string": "animal", "new_string": "bird", "replace_all": true}, allowed},
		{"Write", map[string]any{"file_path": "DIR/made", "content": "x"}, allowed},
		{"ToolSearch", map[string]any{"query": "select:NotebookEdit,WebFetch,WebSearch,TaskStop"}, true},
		{"Read", map[string]any{"file_path": "DIR/note.ipynb"}, true},
		{"NotebookEdit", map[string]any{"notebook_path": "DIR/note.ipynb", "cell_id": "one", "new_source": "changed"}, allowed},
	}
}

// readings are what every role may do.
func readings() []attempt {
	all := []attempt{
		{"Glob", map[string]any{"pattern": "*.md"}, true},
		{"Grep", map[string]any{"pattern": "project"}, true},
		bash("git log -1 --format=%s", true), bash("git diff HEAD", true), bash("ls 2>/dev/null | sort | head -3", true),
		{agents.ToolPrefix + "get-quest", map[string]any{"part": "contract"}, true},
	}
	commands := map[string]string{"grep": "grep -n animal CLAUDE.md", "head": "head -1 CLAUDE.md", "tail": "tail -1 CLAUDE.md", "wc": "wc -l CLAUDE.md", "cat": "cat CLAUDE.md",
		"sort": "sort CLAUDE.md", "git blame": "git blame CLAUDE.md", "git show": "git show HEAD"}
	for _, told := range agents.RightsOf(orchestration.PathSeeker).Commands { // each that a role which reads is told of
		command := commands[told]
		if command == "" {
			command = told
		}
		all = append(all, bash(command, true))
	}
	return all
}

// ownTools are calls of the tools that belong to one role each.
func ownTools(role orchestration.Role) []attempt {
	return []attempt{
		{agents.ToolPrefix + "set-size", map[string]any{"size": "quick", "reason": "one feature"}, role == orchestration.ChaosWhisperer},
		{agents.ToolPrefix + "set-requirements", map[string]any{"requirements": []any{}}, role == orchestration.ChaosWhisperer},
		{agents.ToolPrefix + "plan-steps", map[string]any{"steps": []any{}}, role == orchestration.PathSeeker},
	}
}

// denied are what no role may do: the tools that bypass the server, and those that need a
// person's permission.
func denied(role orchestration.Role) []attempt {
	all := []attempt{
		{"Skill", map[string]any{"skill": "update-config"}, false},
		{"WebFetch", map[string]any{"url": "http://127.0.0.1:1/", "prompt": "x"}, false},
		{"WebSearch", map[string]any{"query": "questboard"}, false},
	}
	_, names := claude.Tools(role)
	for _, name := range names {
		if !strings.Contains(name, "(") && !slices.Contains([]string{"Edit", "Write", "NotebookEdit"}, name) {
			all = append(all, attempt{name, map[string]any{"command": "ls", "name": "away", "delaySeconds": 60}, false})
		}
	}
	return all
}

// Each role has its rights, although all see the same tools. The planners cannot change a
// file in any way that the CLI has, not even in its own memory. The other roles edit files
// and run commands. No role may use a tool that bypasses the server, or that of another
// role.
func TestRealCLIRightsPerRole(t *testing.T) {
	t.Parallel()
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		attempts := slices.Concat(readings(), denied(role), ownTools(role), changes(role.Writes()))
		if role.Writes() {
			attempts = append(attempts, bash("test -z \"$SECRET\" && echo x > made", true), bash("rm made", true))
		} else {
			for _, command := range []string{"touch made", "mkdir made", "rm CLAUDE.md", "sed -i s/animal/bird/ CLAUDE.md", "git log -1 > made", "git log -1; touch made",
				"git diff --output=made HEAD", "git log --output=made -1", "git branch made", "git stash", "go version", "find . -delete"} {
				attempts = append(attempts, bash(command, false))
			}
			attempts = append(attempts, attempt{"Write", map[string]any{"file_path": "MEMORY/MEMORY.md", "content": "x"}, false},
				attempt{"Write", map[string]any{"file_path": "DIR/../escaped/made", "content": "x"}, false})
		}
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			tryAll(t, role, attempts)
		})
	}
}

func tryAll(t *testing.T, role orchestration.Role, attempts []attempt) {
	var r *rig
	r = newRig(t, cliVersion, role, func(req agentstest.Request) agentstest.Reply {
		if req.N >= len(attempts) {
			return done(req)
		}
		return agentstest.Say(agentstest.Use(attempts[req.N].tool, r.placed(attempts[req.N].input)))
	})
	write(t, filepath.Join(r.spec.Dir, "note.ipynb"),
		`{"cells":[{"cell_type":"code","id":"one","execution_count":null,"metadata":{},"outputs":[],"source":["x"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
	before := contents(t, r.spec.Dir)
	if ended := r.play(); ended.End != orchestration.EndClean {
		t.Fatalf("ended %+v\n%s", ended, r.output())
	}
	for i, a := range attempts {
		text, isError := r.model.Requests()[i+1].LastResult()
		said := strings.HasPrefix(text, "Refused, nothing ran: ") || strings.Contains(text, "denied") || strings.Contains(text, "No such tool") || strings.Contains(text, "disabled") ||
			strings.HasPrefix(text, "Refused") && strings.Contains(text, "you may call signal-back, get-quest") ||
			strings.HasPrefix(text, "Execute skill") || strings.Contains(text, "requested permissions") // questions that nobody answers
		if isError == a.allowed || !a.allowed && !said {
			t.Errorf("%s %v: allowed = %v, want %v: %s", a.tool, a.input, !isError, a.allowed, text)
		}
	}
	tried := []string{signalBack, "Task", "TaskStop"} // see TestRealCLIMinionWorksWithinTheTurn; without work in the background there is nothing to stop
	for _, a := range attempts {
		tried = append(tried, a.tool)
	}
	first, _, _ := strings.Cut(r.output(), "\n")
	for _, tool := range gjson.Get(first, "tools").Array() {
		if !slices.Contains(tried, tool.String()) {
			t.Errorf("the CLI offers %s, and nobody knows whether %s may use it", tool, role)
		}
	}
	after := contents(t, r.spec.Dir)
	if changed := !maps.Equal(before, after); changed != role.Writes() {
		t.Errorf("files changed: %v\n%v\n%v", changed, before, after)
	}
	if kept, _ := filepath.Glob(filepath.Join(r.memory(), "*")); len(kept) > 0 {
		t.Errorf("the CLI's memory has %v", kept)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(r.spec.Dir), "escaped")); err == nil {
		t.Error("a file was made outside of the tree")
	}
}

// memory is where the CLI lets an agent write for later sessions.
func (r *rig) memory() string {
	return filepath.Join(r.home(), ".claude", "projects", strings.ReplaceAll(r.spec.Dir, "/", "-"), "memory")
}

// placed puts the run's places into the input of a tool call.
func (r *rig) placed(input map[string]any) map[string]any {
	out := maps.Clone(input)
	for key, value := range out {
		if text, is := value.(string); is {
			out[key] = strings.NewReplacer("DIR", r.spec.Dir, "MEMORY/", r.memory()+"/").Replace(text)
		}
	}
	return out
}

// contents returns the files of a folder, without git's.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// A folder of the tree that git takes for a repository has a program of its own. A reader
// that goes there by one call and looks at git by the next does not start it.
func TestRealCLIAReaderObeysNoRepositoryInTheTree(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldestCLI, cliVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ran := filepath.Join(t.TempDir(), "ran")
			d := door{files: map[string]string{
				"DIR/trap/HEAD": "ref: refs/heads/x\n", "DIR/trap/objects/x": "", "DIR/trap/refs/x": "", "DIR/trap/w/x": "",
				"DIR/trap/config": "[core]\n\trepositoryformatversion = 0\n\tworktree = w\n\tfsmonitor = \"touch '" + ran + "';:\"\n",
			}}
			_, results := tryAt(t, d, version, []attempt{bash("cd trap", true), bash("git status", true), bash("pwd", true)}, nil)
			if _, err := os.Stat(ran); err == nil {
				t.Error("the program ran")
			}
			if len(results) != 1 || !strings.Contains(results[1], "cannot use bare repository") { // git says it; nobody refused the command
				t.Errorf("results that are no success: %v", results)
			}
		})
	}
}
