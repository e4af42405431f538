package repofile_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"questboard/agents/repofile"
	"questboard/orchestration"
)

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	got, faults := repofile.Parse(`# how quests work here
check: "go vet ./... && go test ./..."
setup: npm ci
links: [node_modules, web/node_modules/]
copies:
  - .env
beforeMerge: make integration
limits:
  ward: 5
  runs: 900
slots:
  codeweaver: 2
  ward: 1
roles:
  codeweaver:
    agent: codex
    model: gpt-5
  siegemaster:
    model: opus
ports: 60
ask: [Bash(git push *), WebFetch]
size: quick
`)
	want := orchestration.RepoFile{Check: "go vet ./... && go test ./...", Setup: "npm ci", Links: []string{"node_modules", "web/node_modules"}, Copies: []string{".env"},
		BeforeMerge: "make integration", Limits: orchestration.Limits{Ward: 5, Runs: 900}, Slots: map[orchestration.Role]int{orchestration.Codeweaver: 2, orchestration.Ward: 1},
		Roles: orchestration.Programs{orchestration.Codeweaver: {Agent: "codex", Model: "gpt-5"}, orchestration.Siegemaster: {Model: "opus"}},
		Ports: 60, Ask: []string{"Bash(git push *)", "WebFetch"}, Size: orchestration.SizeQuick}
	if len(faults) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\n%q", got, faults)
	}
	for field, value := range reflect.ValueOf(want).Fields() {
		if value.IsZero() && field.Name != "Commit" && field.Name != "Texts" { // other files say these
			t.Errorf("no key of this file sets %s", field.Name)
		}
	}
}

func TestAnEmptyFileSaysNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n"} {
		if got, faults := repofile.Parse(text); len(faults) > 0 || !reflect.DeepEqual(got, orchestration.RepoFile{}) {
			t.Errorf("%q: %+v %q", text, got, faults)
		}
	}
}

// Each fault names the file, the line and the key, and says what would be right.
func TestABadFileNamesFileLineAndKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"check: make\nchek: make\n":                     `:2: there is no key "chek": the keys are check, setup, links, copies, beforeMerge, limits, slots, roles, ports, ask, size`,
		"check: make\nsiege: off\n":                     `:2: there is no key "siege"`,
		"tools: never\n":                                `:1: there is no key "tools"`,
		"agents: {}\n":                                  `:1: there is no key "agents"`,
		"limits:\n  wrad: 3\n":                          `:2: there is no key "limits.wrad": limits has the keys ward, crash`,
		"slots:\n  ward: 1\n  nobody: 1\n":              `:3: there is no key "slots.nobody": slots has the keys chaoswhisperer,`,
		"limits.ward: 3\n":                              `:1: there is no key "limits.ward"`,
		"check: 5\n":                                    ":1: check must be a text, not a number (in quotes it is a text)",
		"check: true\n":                                 ":1: check must be a text, not true or false (in quotes it is a text)",
		"check:\n":                                      ":1: check must be a text, not nothing",
		"check: [make, test]\n":                         ":1: check must be a text, not a list",
		"check: \"\"\n":                                 ":1: check is empty",
		"check: |\n  make\n  make test\n":               ":1: check must be one line",
		"check: \"a\\tb\\x07\"\n":                       ":1: check must be one line without control characters",
		"links: node_modules\n":                         ":1: links must be a list, such as [node_modules], not a text",
		"links: [1]\n":                                  ":1: links.0 must be a text",
		"links: [../x]\n":                               `:1: links: "../x" is not a path within the repository`,
		"copies: [.git/config]\n":                       `:1: copies: ".git/config" belongs to git`,
		"links: [a]\ncopies: [a]\n":                     ":2: copies: a is linked already",
		"limits: 3\n":                                   ":1: limits must have keys of its own (ward, crash",
		"limits:\n  ward: 0\n":                          ":2: limits.ward must be from 1 to 1000000, not 0",
		"limits:\n  ward: many\n":                       ":2: limits.ward must be a whole number from 1 to 1000000, not a text",
		"limits:\n  ward: 1.5\n":                        ":2: limits.ward must be a whole number",
		"slots:\n  codeweaver: 0\n":                     ":2: slots.codeweaver must be from 1 to 64, not 0",
		"slots:\n  codeweaver: 65\n":                    ":2: slots.codeweaver must be from 1 to 64, not 65",
		"slots:\n  codeweaver: 99999999999999999999\n":  ":2: slots.codeweaver must be",
		"ask: Bash(git push *)\n":                       ":1: ask must be a list",
		"ask:\n  - Bash(git push *)\n  - Bash\n":        ":2: ask: Bash matches everything",
		"ask: [git push]\n":                             `:1: ask: "git push" cannot be read: a rule is a tool with a use in brackets`,
		"ask: [\"Edit(/**)\"]\n":                        ":1: ask: Edit(/**) matches everything",
		"ask: [WebFetch, WebFetch]\n":                   ":1: ask: WebFetch is there twice",
		"ask: [7]\n":                                    ":1: ask.0 must be a text",
		"ports: 0\n":                                    ":1: ports must be from 1 to 200, not 0",
		"check: make\nports: -1\n":                      ":2: ports must be from 1 to 200, not -1",
		"ports: 201\n":                                  ":1: ports must be from 1 to 200, not 201",
		"ports: 99999999999999999999\n":                 ":1: ports must be",
		"ports: 20.0\n":                                 ":1: ports must be a whole number from 1 to 200, not 20.0",
		"ports: \"20\"\n":                               ":1: ports must be a whole number from 1 to 200, not a text",
		"size: huge\n":                                  `:1: size must be auto, errand, quick or full, not "huge"`,
		"check: make\nsize:\n":                          ":2: size must be a text, not nothing",
		"size: [errand]\n":                              ":1: size must be a text, not a list",
		"ports: many\n":                                 ":1: ports must be a whole number from 1 to 200, not a text",
		"ports:\n":                                      ":1: ports must be a whole number from 1 to 200, not nothing",
		"ports: null\n":                                 ":1: ports must be a whole number from 1 to 200, not nothing",
		"ports: true\n":                                 ":1: ports must be a whole number from 1 to 200, not true",
		"ports: [20]\n":                                 ":1: ports must be a whole number from 1 to 200, not a list",
		"ports:\n  ward: 20\n":                          ":2: ports must be a whole number from 1 to 200, not keys",
		"ports: 20\ncheck: make\nports: 40\n":           ":3: ",
		"check: make\nsetup: x\ncheck: make test\n":     ":3: ",
		"limits:\n  ward: 1\n  ward: 2\n":               ":3: ",
		"check: *a\n":                                   ":1: ",
		"check: &a make\n":                              ":1: check must be a text, not an anchor or an alias",
		"check: !!str 5\n":                              ":1: check must be a text, not a tag",
		"<<: {check: make}\n":                           ":1: ",
		"[check]: make\n":                               ":1: ",
		"check: make\n---\ncheck: make\n":               ":3: there is a second document",
		"- check\n":                                     ":1: the file must have keys, such as check: make test",
		"check: make\n  setup: x\n":                     ":",
		"check: \"make\n":                               ":1: ",
		"\tcheck: make\n":                               ":1: ",
		"links: " + strings.Repeat("[", 60_000) + "\n":  ":1: the values are nested too deeply",
		"links: [" + strings.Repeat("a, ", 101) + "]\n": ":1: links has ",
		"a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nlinks: [*c,*c]\n": `:1: there is no key "a"`,
		"links: &a [x, x]\ncopies: [*a, *a]\n":                      ":1: links must be a list, such as [node_modules], not an anchor or an alias",
		"ask: [Bash(" + strings.Repeat("x", 10_000) + ")]\n":        ":1: ask: a rule has 10006 characters, and 10,000 are allowed",
		"beforeMerge: " + strings.Repeat("x", 5000) + "\n":          ":1: beforeMerge is longer than 4096 characters",
	} {
		got, faults := repofile.Parse(text)
		all := strings.Join(faults, "\n")
		if !strings.Contains(all, ".questboard/config.yaml"+want) || !reflect.DeepEqual(got, orchestration.RepoFile{}) {
			t.Errorf("%.60q:\n%s\nwant %q (%+v)", text, all, want, got)
		}
	}
}

// Whatever 16 KiB hold, they are read in a moment.
func TestNoTextHoldsTheParserUp(t *testing.T) {
	t.Parallel()
	const most = 16 << 10
	var deeper strings.Builder
	for i := range 300 {
		deeper.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for _, text := range []string{"{", "[", "- ", "a: ", "? ", "&a ", "*a ", "!!a ", "\"", "|\n", "a:\n", "a: b\n", "%", "- - ", "\x00", "é", "{a: ", ": ", "#", "\n", "a: &a\n", "'", "--- \n", ", "} {
		begun := time.Now()
		_, _ = repofile.Parse(strings.Repeat(text, most/len(text)))
		_, _ = repofile.Parse("links: " + strings.Repeat(text, most/len(text)))
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%q took %v", text, took)
		}
	}
	if _, faults := repofile.Parse(deeper.String()); len(faults) == 0 {
		t.Error("300 levels are no fault")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("check: make\nlimits: {ward: 3}\n")
	f.Add("links: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 16<<10)]
		file, faults := repofile.Parse(text)
		if len(faults) > 0 && !reflect.DeepEqual(file, orchestration.RepoFile{}) {
			t.Errorf("faults, and still %+v", file)
		}
	})
}
