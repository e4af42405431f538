package claude_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration"
)

// TestMain lets the test binary also act as the supervisor and as a CLI. As a CLI it
// answers as PLAY says, and records how it was called.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.Subcommand {
		os.Exit(process.Supervise(os.Args[2:]))
	}
	if play := os.Getenv("CLAUDE_CODE_PLAY"); play != "" {
		os.Exit(playCLI(play))
	}
	os.Exit(m.Run())
}

// called says how the imitated CLI was called.
type called struct {
	Args []string
	Env  []string
	MCP  string
	Mode os.FileMode
	Kept []string // the stored conversations that it finds
	// Found is what stands in them.
	Found map[string]string

	// Quoted as in Go, because JSON would replace broken UTF-8.
	Quoted      []string // Args
	Prompt, Dir string
}

func quoted(args []string) []string {
	var all []string
	for _, arg := range args {
		all = append(all, quotedOne(arg))
	}
	return all
}

// quotedOne quotes a text. It shortens a long one, and is equal for equal texts.
func quotedOne(s string) string {
	if len(s) > 1000 {
		return fmt.Sprintf("%d bytes, %x", len(s), sha256.Sum256([]byte(s)))
	}
	return strconv.Quote(s)
}

func playCLI(play string) int {
	version, login, _ := strings.Cut(play, "|")
	switch os.Args[1] {
	case "--version":
		fmt.Println(version)
	case "auth":
		fmt.Printf(`{"loggedIn": %v}`, login == "in")
	default:
		c := called{Args: os.Args[1:], Env: os.Environ(), Quoted: quoted(os.Args[1:])}
		prompt, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		c.Kept, _ = filepath.Glob(filepath.Join(os.Getenv("HOME"), ".claude", "projects", "*", "*.jsonl"))
		c.Found = map[string]string{}
		for _, name := range c.Kept {
			text, _ := os.ReadFile(name)
			c.Found[name] = string(text)
		}
		c.Prompt, c.Dir = quotedOne(string(prompt)), quotedOne(dir)
		for _, arg := range os.Args {
			if name, ok := strings.CutPrefix(arg, "--mcp-config="); ok {
				data, _ := os.ReadFile(name)
				info, _ := os.Stat(name)
				c.MCP, c.Mode = string(data), info.Mode().Perm()
			}
		}
		data, _ := json.Marshal(c)
		fmt.Printf(`{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["%s"]}`+"\n", agents.SignalTool)
		fmt.Printf(`{"type":"result","subtype":"success","is_error":false,"result":%q}`+"\n", data)
	}
	return 0
}

// configured returns a runner's configuration with the imitated CLI.
func configured(t *testing.T, play string) claude.Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	logs, err := runlog.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return claude.Config{
		Path:     exe,
		Environ:  []string{"CLAUDE_CODE_PLAY=" + play, "PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "AWS_REGION=x", "SECRET=1", "MINE=1"},
		Extra:    []string{"MINE"},
		RunsDir:  filepath.Join(data, "runs"),
		Sessions: session.Starter{Process: process.Starter{Exe: exe}, Logs: logs},
	}
}

func specOf(t *testing.T, role orchestration.Role) agents.Spec {
	t.Helper()
	return agents.Spec{
		RunID: "q1-r1", QuestID: "q1", Step: "s1", Role: role, Dir: t.TempDir(), Prompt: "-p --version",
		SessionID: "5f0e8c1e-0000-4000-8000-000000000001", Token: "the-token", MCPURL: "http://127.0.0.1:8420/mcp",
	}
}

type ignore struct{}

func (ignore) Told(orchestration.Told)  {}
func (ignore) SessionOpened(string)     {}
func (ignore) Progress(agents.Progress) {}
