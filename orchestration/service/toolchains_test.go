package service_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration/service"
)

// tools returns a Toolchains whose PATH is a folder with these programs, and the folder.
func tools(t *testing.T, programs map[string]string) (*service.Toolchains, string) {
	t.Helper()
	bin := t.TempDir()
	for name, script := range programs {
		if err := e2etest.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &service.Toolchains{Environ: []string{"PATH=" + bin + ":relative:", "SECRET=1", "HOME=" + bin}}, bin
}

var goAndNode = []agents.BuildFile{{Path: "go.mod", Toolchain: "Go"}, {Path: "api/go.mod", Toolchain: "Go"},
	{Path: "package.json", Toolchain: "Node"}}

func tool(t *testing.T, all []agents.Tool, name string) agents.Tool {
	t.Helper()
	at := slices.IndexFunc(all, func(is agents.Tool) bool { return is.Name == name })
	if at < 0 {
		t.Fatalf("%s is not in %+v", name, all)
	}
	return all[at]
}

func TestToolsAreFoundAsRunsFindThem(t *testing.T) {
	t.Parallel()
	set, _ := tools(t, map[string]string{
		"go":   `echo "go version go1.26.8 $PWD $GOTOOLCHAIN $SECRET."; echo more`,
		"npm":  "exit 1",
		"node": `printf 'v22\033[2J%0500d' 1`,
	})
	got := set.Of(t.Context(), goAndNode, "/srv/shop")
	for name, want := range map[string]agents.Tool{
		"go":   {Toolchain: "Go", Name: "go", Version: "go version go1.26.8 / local ."},
		"node": {Toolchain: "Node", Name: "node", Version: "v22\uFFFD[2J" + strings.Repeat("0", 71) + "…"},
		"npm":  {Toolchain: "Node", Name: "npm"},
		"yarn": {Toolchain: "Node", Name: "yarn", Missing: true},
	} {
		if is := tool(t, got, name); is != want {
			t.Errorf("%+v, want %+v", is, want)
		}
	}
	if n := len(got); n != 5 {
		t.Errorf("%d tools: %+v", n, got)
	}
}

// A program that fails, hangs or prints without end has no version, and holds nobody.
func TestAToolThatMisbehavesHasNoVersion(t *testing.T) {
	t.Parallel()
	set, _ := tools(t, map[string]string{"go": "echo 'no default toolchain'; exit 1", "node": "/bin/sleep 600 & exec /bin/sleep 600"})
	set.Limit = 300 * time.Millisecond
	got := set.Of(t.Context(), goAndNode, "/srv/shop")
	for _, name := range []string{"go", "node"} {
		if is := tool(t, got, name); is.Version != "" || is.Missing || !is.Fails {
			t.Errorf("%+v", is)
		}
	}
}

// That a program was slow once, says nothing about the next time.
func TestAToolThatWasSlowIsAskedAgain(t *testing.T) {
	t.Parallel()
	set, _ := tools(t, map[string]string{"go": `[ -e "$HOME/slow" ] && echo one && exit; : >"$HOME/slow"; exec /bin/sleep 600`})
	set.Limit = 300 * time.Millisecond
	if is := tool(t, set.Of(t.Context(), goAndNode, "/srv/shop"), "go"); !is.Fails {
		t.Errorf("while it is slow: %+v", is)
	}
	set.Limit = time.Minute
	if is := tool(t, set.Of(t.Context(), goAndNode, "/srv/shop"), "go"); is.Version != "one" {
		t.Errorf("afterwards: %+v", is)
	}
}

// A PATH may lead into the repository, as after "source .venv/bin/activate". What is
// there may have been written by an agent.
func TestNoProgramOfTheRepositoryIsAsked(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "started")
	set, bin := tools(t, map[string]string{"go": ": >" + mark + "; echo 1"})
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(bin, "go"), filepath.Join(linked, "go")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bin, linked} {
		set.Environ = []string{"PATH=" + path}
		for _, repo := range []string{bin, filepath.Dir(bin)} {
			if is := tool(t, set.Of(t.Context(), goAndNode, repo), "go"); is.Version != "" || is.Missing {
				t.Errorf("%+v", is)
			}
		}
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("it was started")
	}
}

// A program is asked once, and again when it was replaced.
func TestAToolIsAskedAgainWhenItWasReplaced(t *testing.T) {
	t.Parallel()
	set, bin := tools(t, map[string]string{"go": `echo x >>"$HOME/asked"; echo one`})
	for range 3 {
		if is := tool(t, set.Of(t.Context(), goAndNode, "/srv/shop"), "go"); is.Version != "one" {
			t.Errorf("%+v", is)
		}
	}
	if asked, _ := os.ReadFile(filepath.Join(bin, "asked")); string(asked) != "x\n" {
		t.Errorf("asked %q", asked)
	}
	if err := os.Remove(filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	if err := e2etest.WriteProgram(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho another one\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if is := tool(t, set.Of(t.Context(), goAndNode, "/srv/shop"), "go"); is.Version != "another one" {
		t.Errorf("%+v", is)
	}
}
