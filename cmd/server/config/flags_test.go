package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/cmd/server/config"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/web"
)

// environment is getenv for a map, with a HOME.
func environment(values map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := values[name]; ok || name != "HOME" {
			return value
		}
		return "/home/quest"
	}
}

func TestDefaultsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	c, rest, err := config.Parse("serve", nil, environment(nil))
	if err != nil || len(rest) > 0 {
		t.Fatal(rest, err)
	}
	want := config.Config{Addr: "127.0.0.1:8420", Data: "/home/quest/.local/share/questboard", Slots: 3, Checks: engine.DefaultChecks(), Auth: web.AuthToken,
		Agent: "claude", Claude: "claude", Backoff: time.Minute, CrashBackoff: orchestration.DefaultCrashBackoff, StartTimeout: 30 * time.Second, StuckAfter: 10 * time.Minute, RunTimeout: 4 * time.Hour, Grace: 10 * time.Second, Beat: 10 * time.Second, Lease: 30 * time.Second}
	c.Given = nil
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// The help shows a default as text, and Parse sets it as a value. To set a flag to the
// default of the help must change nothing.
func TestTheHelpNamesTheDefaultsThatParseSets(t *testing.T) {
	t.Parallel()
	inWords := map[string]bool{"data": true, "peer-url": true, "checks": true, "claude": true, "token": true} // found when the server starts
	for _, command := range []string{"serve", "worker", "demo", "doctor", "status", "wait", "answer", "backup", "export"} {
		needed := []string{}
		if command == "worker" {
			repo := t.TempDir()
			if err := os.Mkdir(filepath.Join(repo, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
			needed = []string{"-server", "http://127.0.0.1:8420", "-key", "away.0123456789abcdef", "-repo", repo}
		}
		want, _, err := config.Parse(command, needed, environment(nil))
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		if want.Scenario == "" {
			want.Scenario = "full" // the simulated agent's own default
		}
		for _, f := range config.FlagsOf(command) {
			if f.Initial == "" || f.Initial == "none" || inWords[f.Name] {
				continue
			}
			got, _, err := config.Parse(command, append(slices.Clone(needed), "-"+f.Name, f.Initial), environment(nil))
			if err != nil {
				t.Errorf("%s: the help's default of -%s, %s: %v", command, f.Name, f.Initial, err)
				continue
			}
			if got.Scenario == "" {
				got.Scenario = "full"
			}
			if got.Given = want.Given; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: -%s %s is not the default\ngot  %+v\nwant %+v", command, f.Name, f.Initial, got, want)
			}
		}
	}
}

func TestTheEnvironmentStandsBehindEveryFlag(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"QUESTBOARD_ADDR": "127.0.0.1:9000", "QUESTBOARD_DATA": "/data", "QUESTBOARD_SLOTS": "7", "QUESTBOARD_CHECKS": "2", "QUESTBOARD_AGENT": "simulated",
		"QUESTBOARD_CLAUDE": "/opt/claude", "QUESTBOARD_MODEL": "sonnet", "QUESTBOARD_CLAUDE_ARGS": "--a 'b c'",
		"QUESTBOARD_AGENT_ENV": "GOPATH,GOCACHE", "QUESTBOARD_BACKOFF": "2s", "QUESTBOARD_CRASH_BACKOFF": "1s, 2m", "QUESTBOARD_START_TIMEOUT": "20s", "QUESTBOARD_STUCK_AFTER": "3m", "QUESTBOARD_RUN_TIMEOUT": "5h",
		"QUESTBOARD_SANDBOX": "true", "QUESTBOARD_SANDBOX_READ": "/usr:/bin", "QUESTBOARD_SANDBOX_WRITE": "/dev", "QUESTBOARD_GRACE": "7s", "QUESTBOARD_TOKEN": "0123456789abcdef", "QUESTBOARD_PUBLIC_URL": "https://quests.example",
	}
	want := config.Config{Addr: "127.0.0.1:9000", Data: "/data", Slots: 7, Checks: 2, Agent: "simulated", Claude: "/opt/claude", Model: "sonnet",
		ClaudeArgs: []string{"--a", "b c"}, AgentEnv: []string{"GOPATH", "GOCACHE"}, Sandbox: true, SandboxRead: []string{"/usr", "/bin"}, SandboxWrite: []string{"/dev"}, Backoff: 2 * time.Second, CrashBackoff: []time.Duration{time.Second, 2 * time.Minute}, StartTimeout: 20 * time.Second, StuckAfter: 3 * time.Minute,
		RunTimeout: 5 * time.Hour, Grace: 7 * time.Second, Beat: 10 * time.Second, Lease: 30 * time.Second, Auth: web.AuthToken, Token: "0123456789abcdef", PublicURL: "https://quests.example"}
	c, _, err := config.Parse("serve", nil, environment(env))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Given) != len(env) || c.Given["slots"] != "QUESTBOARD_SLOTS" {
		t.Errorf("where the values come from: %v", c.Given)
	}
	c.Given = nil
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	c, _, err = config.Parse("serve", []string{"-slots=5", "--agent", "claude"}, environment(env))
	if err != nil || c.Slots != 5 || c.Agent != "claude" || c.Given["slots"] != "flag" {
		t.Errorf("a flag does not win over the environment: %+v, %v", c, err)
	}
}

func TestXDGNamesTheDataDirectoryAndTheDemoHasItsOwn(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_DATA_HOME": "/xdg", "QUESTBOARD_DATA": "/mine"}
	for xdg, want := range map[string]string{"/xdg": "/xdg/questboard", "relative": "/home/quest/.local/share/questboard"} { // a relative one does not count
		if c, _, err := config.Parse("serve", nil, environment(map[string]string{"XDG_DATA_HOME": xdg})); err != nil || c.Data != want {
			t.Errorf("of %s the data directory is %s: %v", xdg, c.Data, err)
		}
	}
	c, _, err := config.Parse("demo", nil, environment(env))
	if err != nil || c.Data != "" || c.Agent != "simulated" {
		t.Errorf("the demo would use %+v, %v", c, err)
	}
}

func TestEveryFaultIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := config.Parse("serve", []string{
		"-addr", "8420", "-slots", "65", "-checks", "0", "-agent=robot", "-backoff", "soon", "-grace=-1s", "-stuck-after=0s", "-auth=open", "-nonsense",
		"-token=short", "-claude-args", "'open", "-agent-env=A=B", "-scenario=/does/not/exist", "-public-url=ftp://x", "-dev",
	}, environment(map[string]string{"QUESTBOARD_RUN_TIMEOUT": "x", "QUESTBOARD_DEMO_ANSWERS": "not of this command"}))
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("no faults but %v", err)
	}
	for _, part := range []string{
		`-addr: "8420" is not HOST:PORT`, "-slots: 65 is not 1 to 64", "-checks: 0 is not 1 to 64", `-agent: "robot"`, `-backoff: "soon"`, "-grace: -1s", "-stuck-after: 0s",
		`-auth: "open"`, "-nonsense", "-token: it is shorter", "-claude-args: a quotation mark", `-agent-env: "A=B"`, "-scenario:", "-public-url:",
		"QUESTBOARD_RUN_TIMEOUT:", "-dev: there is no",
	} {
		if n := strings.Count("\n"+strings.Join(faults, "\n"), "\n"+part) + strings.Count(strings.Join(faults, "\n"), "defined: "+part); n != 1 {
			t.Errorf("%q is named %d times in:\n%s", part, n, strings.Join(faults, "\n"))
		}
	}
}

func TestWhoeverIsNotOnThisMachineNeedsAPublicURLAndAToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		good bool
	}{
		{[]string{"-addr=127.0.0.1:0"}, true},
		{[]string{"-addr=[::1]:8420"}, true},
		{[]string{"-addr=localhost:8420", "-auth=none"}, true},
		{[]string{"-addr=0.0.0.0:8420"}, false},
		{[]string{"-addr=:8420"}, false},
		{[]string{"-addr=0.0.0.0:8420", "-public-url=https://quests.example"}, true},
		{[]string{"-addr=192.0.2.1:8420", "-public-url=https://quests.example", "-auth=none"}, false},
		{[]string{"-addr=127.0.0.1:8420", "-public-url=https://quests.example", "-auth=none"}, false},
		{[]string{"-addr=127.0.0.1:8420", "-public-url=https://quests.example", "-token=short"}, false},
		{[]string{"-addr=127.0.0.1:65536"}, false},
		{[]string{"-addr=127.0.0.1:0", "-token=with a space in it"}, false},
	} {
		if _, _, err := config.Parse("serve", c.args, environment(nil)); (err == nil) != c.good {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

func TestWordsKeepQuotedArgumentsTogether(t *testing.T) {
	t.Parallel()
	c, _, err := config.Parse("serve", []string{"-claude-args", ` --a  "b c" --d='e "f' '' g`}, environment(nil))
	want := []string{"--a", "b c", `--d=e "f`, "", "g"}
	if err != nil || !slices.Equal(c.ClaudeArgs, want) {
		t.Errorf("got %q, %v", c.ClaudeArgs, err)
	}
}

// Agents, git and sandboxes start in other folders, so they get absolute paths.
func TestRelativePathsAreMeantFromWhereTheServerStarts(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	scenario := filepath.Join("testdata", "relative.yaml")
	for args, env := range map[string]map[string]string{
		"-data=quests/data -scenario=" + scenario + " -agent=simulated -claude=bin/claude": nil,
		"-agent=simulated": {"QUESTBOARD_DATA": "quests/data", "QUESTBOARD_SCENARIO": scenario, "QUESTBOARD_CLAUDE": "bin/claude"},
	} {
		c, _, err := config.Parse("serve", strings.Fields(args), environment(env))
		got, want := []string{c.Data, c.Scenario, c.Claude}, []string{filepath.Join(here, "quests/data"), filepath.Join(here, scenario), filepath.Join(here, "bin/claude")}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q %v: %v, not %v; %v", args, env, got, want, err)
		}
	}
	if c, _, err := config.Parse("serve", nil, environment(nil)); err != nil || c.Claude != "claude" {
		t.Errorf("a name that is looked for became %s; %v", c.Claude, err)
	}
}

func TestFlagsMayStandBehindTheArguments(t *testing.T) {
	t.Parallel()
	c, rest, err := config.Parse("backup", []string{"copy.db", "-data", "/data", "--", "-odd"}, environment(nil))
	if err != nil || c.Data != "/data" || !slices.Equal(rest, []string{"copy.db", "-odd"}) {
		t.Errorf("%+v %q %v", c, rest, err)
	}
}

func TestArgumentsAreThoseOfTheUsageLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		usage string
		have  []string
		want  string
	}{
		{"", nil, ""},
		{"", []string{"x", "y"}, "unexpected argument \"x\"\nunexpected argument \"y\""},
		{"FILE", nil, "FILE is missing"},
		{"FILE", []string{""}, "FILE is missing"},
		{"FILE", []string{"a"}, ""},
		{"FILE", []string{"", "b"}, "FILE is missing\nunexpected argument \"b\""},
		{"[FILE]", nil, ""},
		{"[FILE]", []string{""}, "FILE is missing"}, // a script's variable that is not set
		{"QUESTION [TEXT]", nil, "QUESTION is missing"},
		{"QUESTION [TEXT]", []string{"q"}, ""},
		{"QUESTION [TEXT]", []string{"q", ""}, ""},
		{"QUESTION [TEXT]", []string{"q", "a", "b"}, "unexpected argument \"b\""},
	} {
		got := ""
		if err := config.CheckArguments(c.have, c.usage); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.have, c.usage, got, c.want)
		}
	}
}

// The last value of a flag wins, so agents would not be told how a run ends, or would not
// be asked about.
func TestArgumentsOfTheUserMayNotReplaceOurs(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--append-system-prompt=hi", "--append-system-prompt-file=x.md", "'--append-system-prompt' hi", "--settings={}", "--settings x.json", "--permission-prompt-tool=x"} {
		_, _, err := config.Parse("serve", []string{"-claude-args", flag}, environment(nil))
		if err == nil || !strings.Contains(err.Error(), "is Questboard's own") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
