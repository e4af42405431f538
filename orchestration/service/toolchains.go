package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/repomap"
)

// Toolchains says which programs of toolchains runs find, and in which versions. It
// looks on the PATH of runs, asks in the sandbox if there is one, and never starts a
// program that is in the checkout with the quest's repository. A program is asked again when its file has
// changed.
type Toolchains struct {
	// Environ is the host's environment, Extra the names of further variables that runs
	// see.
	Environ, Extra []string
	// Confine returns the command line to put before a program that is asked. Nil, or
	// none: there is no sandbox.
	Confine func() []string
	// Limit is how long one program may take; 0: 5 s.
	Limit time.Duration

	mu    sync.Mutex
	asked map[string]string // path, size and time of change: version
}

// program is a program of a toolchain, with the arguments that make it say its version.
// Without any it is only looked for: it would take long, or load something.
type program struct {
	name string
	args []string
}

var programsOf = map[string][]program{
	"Go":        {{"go", []string{"version"}}},
	"Node":      {{"node", []string{"--version"}}, {"npm", nil}, {"pnpm", nil}, {"yarn", nil}},
	"Deno":      {{"deno", []string{"--version"}}},
	"Bun":       {{"bun", []string{"--version"}}},
	"Python":    {{"python3", []string{"--version"}}, {"pip", nil}, {"uv", nil}, {"poetry", nil}},
	"Rust":      {{"rustc", []string{"--version"}}, {"cargo", nil}},
	"Ruby":      {{"ruby", []string{"--version"}}, {"bundle", nil}},
	"Java":      {{"java", []string{"-version"}}, {"mvn", nil}, {"gradle", nil}},
	".NET":      {{"dotnet", nil}},
	"PHP":       {{"php", []string{"--version"}}, {"composer", nil}},
	"Elixir":    {{"mix", nil}},
	"C and C++": {{"cc", []string{"--version"}}, {"make", nil}, {"cmake", nil}},
	"Swift":     {{"swift", nil}},
	"Dart":      {{"dart", nil}},
	"make":      {{"make", nil}},
	"Docker":    {{"docker", nil}},
	"Nix":       {{"nix", nil}},
}

// Of returns the programs of the toolchains that build files name. It asks none that is
// in the folder except.
func (t *Toolchains) Of(ctx context.Context, builds []agents.BuildFile, except string) []agents.Tool {
	env := process.Environment(t.Environ, t.Extra, map[string]string{
		"GOTOOLCHAIN": "local", // otherwise the user's settings could make go load another version
	})
	path := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	var tools []agents.Tool
	done := map[string]bool{}
	for _, b := range builds {
		if done[b.Toolchain] {
			continue
		}
		done[b.Toolchain] = true
		for _, p := range programsOf[b.Toolchain] {
			tool := agents.Tool{Toolchain: b.Toolchain, Name: p.name}
			file, info := lookUp(path, p.name)
			switch {
			case info == nil:
				tool.Missing = true
			case p.args != nil && !isBelow(except, file) && !opensDialog(file):
				tool.Version = t.version(ctx, env, file, info, p.args)
				tool.Fails = tool.Version == ""
			}
			tools = append(tools, tool)
		}
	}
	return tools
}

// lookUp finds a program on a PATH, as a shell does.
func lookUp(path, name string) (file string, info os.FileInfo) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, info
		}
	}
	return "", nil
}

// isBelow reports whether a file, or what it leads to, is in a folder.
func isBelow(dir, file string) bool {
	names := []string{file}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		names = append(names, real)
	}
	dirs := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		for _, name := range names {
			if rel, err := filepath.Rel(dir, name); err != nil || filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// opensDialog reports whether a program may be a stand-in of macOS that asks the user to
// install the real one.
func opensDialog(file string) bool {
	return runtime.GOOS == "darwin" && filepath.Dir(file) == "/usr/bin"
}

// version returns what a program says of its version; "" if it does not.
func (t *Toolchains) version(ctx context.Context, env []string, file string, info os.FileInfo, args []string) string {
	key := fmt.Sprintf("%s %d %d", file, info.Size(), info.ModTime().UnixNano())
	t.mu.Lock()
	defer t.mu.Unlock() // two runs need not ask the same
	if said, known := t.asked[key]; known {
		return said
	}
	said, err := t.ask(ctx, env, file, args)
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return "" // the machine may only be busy: the next run asks again
	}
	if err != nil {
		said = ""
	}
	if t.asked == nil {
		t.asked = map[string]string{}
	}
	t.asked[key] = said
	return said
}

// ask starts the program in an empty place: a folder of a repository could say which
// version it must be, and make it load that.
func (t *Toolchains) ask(ctx context.Context, env []string, file string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(t.Limit, 5*time.Second))
	defer cancel()
	argv, dir := append([]string{file}, args...), "/"
	if t.Confine != nil {
		argv = append(t.Confine(), argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out bytes.Buffer
	most := &atMost{w: &out, left: 4 << 10}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, most, most // java writes to standard error
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it left something behind that holds its output open
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return repomap.Plain(line, 80), err
}

// atMost passes on a limited number of bytes and drops the rest.
type atMost struct {
	w    io.Writer
	left int
}

func (a *atMost) Write(b []byte) (int, error) {
	part := b[:min(len(b), a.left)]
	a.left -= len(part)
	if _, err := a.w.Write(part); err != nil {
		return 0, err
	}
	return len(b), nil
}
