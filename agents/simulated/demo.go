package simulated

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed demo/*/*.yaml
var demoParts embed.FS

//go:embed all:demorepo
var demoFiles embed.FS

// Demo is a built-in scenario, and the quest that belongs to it in a repository made by
// DemoRepo.
type Demo struct {
	Name    string // of the scenario
	Title   string
	Request string
	Ward    string // the check in the repository of DemoRepo
	Answer  string // the answer to the only question
}

// demos lists the built-in scenarios. The first one is played if none is named.
var demos = []Demo{
	{
		Name:  "full", // shows every role and every signal
		Title: "Add login and rate limiting to the notes API",
		Request: "Today everybody can read and write every note. Users should log in with a password and get a token; every " +
			"route but /health needs the token. Readers may only read. Each user has a number of requests a minute; one " +
			"more answers 429. Tokens expire after an hour, and logging out ends them at once. Errors are JSON. " +
			"Keep it in plain POSIX shell, with a test for each part.",
		Ward:   "./check.sh",
		Answer: "1. 429 with Retry-After",
	},
	{
		Name:    "errand", // one agent, the check and the merge
		Title:   "Let the health route say which version it is",
		Request: "GET /health answers \"ok\". It should also say the version, which is in the file VERSION: \"ok 1.2.0\".",
		Ward:    "./check.sh",
		Answer:  "As you like.",
	},
}

// DemoQuest returns the quest of a built-in scenario; of any other one the first. It has
// no gates, because a plan that waits for approval shows nothing.
func DemoQuest(scenario string) Demo {
	for _, d := range demos {
		if d.Name == scenario {
			return d
		}
	}
	return demos[0]
}

// Builtin reports whether the name of a scenario can only be a built-in one's: it is no
// path.
func Builtin(name string) bool { return !strings.ContainsAny(name, "./") }

// Open reads a scenario: a built-in one by its name, or a file. "" is the first built-in
// one.
func Open(name string) (*Scenario, error) {
	if !Builtin(name) {
		return Load(name)
	}
	var names []string
	for _, d := range demos {
		if name == d.Name || name == "" {
			return d.scenario(), nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("no built-in scenario is called %q; there are %s. For a file write a path, such as ./%s.yaml", name,
		strings.Join(names, " and "), name)
}

func (d Demo) scenario() *Scenario {
	var whole Scenario
	parts, err := fs.Glob(demoParts, "demo/"+d.Name+"/*.yaml") // in the order of their names
	if err != nil {
		panic("the built-in scenario " + d.Name + ": " + err.Error())
	}
	for _, name := range parts {
		raw, err := demoParts.ReadFile(name)
		if err != nil {
			panic("the built-in scenario: " + err.Error())
		}
		part, err := Parse(raw)
		if err != nil {
			panic("the built-in scenario, " + name + ":\n" + err.Error()) // a test parses it
		}
		whole.Entries = append(whole.Entries, part.Entries...)
	}
	return &whole
}

// The commit has its own author, no signature and no hooks, so that it does not depend
// on the user's settings.
const demoGit = `set -e
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init -q
git symbolic-ref HEAD refs/heads/main
git add .
git -c user.name=Questboard -c user.email=demo@questboard.invalid -c commit.gpgsign=false -c core.hooksPath=/dev/null \
    commit -q -m "A notes API that everybody may use"`

// DemoRepo makes the sample repository in dir, which must be empty or missing.
// It needs git and sh.
func DemoRepo(ctx context.Context, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("make demo repository: %s is not empty", dir)
	}
	err := fs.WalkDir(demoFiles, "demorepo", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel("demorepo", path)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, name)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		raw, err := demoFiles.ReadFile(path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if name == "check.sh" || name == "api" {
			mode = 0o755 // embedding forgets modes
		}
		return os.WriteFile(target, raw, mode)
	})
	if err != nil {
		return fmt.Errorf("make demo repository: %w", err)
	}
	output, code, err := shell(ctx, dir, demoGit)
	if err != nil {
		return fmt.Errorf("make demo repository: %w", err)
	}
	if code != 0 {
		return fmt.Errorf("make demo repository: git ended with %d: %s", code, output)
	}
	return nil
}
