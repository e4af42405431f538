package acp

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"questboard/agents"
	"questboard/agents/process"
)

// Gemini returns the Gemini CLI (npm @google/gemini-cli) as a program. Program is a path,
// or a name to look up in PATH.
func Gemini(program string) Program {
	return Program{
		Path: program, Args: []string{"--acp", "--approval-mode", "default"}, Variables: []string{"GEMINI_", "GOOGLE_"},
		Env: geminiEnv, Start: geminiStart, Refusal: geminiRefusal,
		// It does not end while a server of the user's keeps a connection open (seen in 0.61.0).
		Grace: 5 * time.Second,
		Least: "0.61.0", Update: "run `npm install -g @google/gemini-cli`",
		Install: "Install the Gemini CLI (npm install -g @google/gemini-cli), or put gemini on PATH.",
		Login:   "run `gemini` once in a terminal and sign in, or set GEMINI_API_KEY",
	}
}

// geminiStart lets Gemini start in the home, which is the same path in the sandbox: when it starts
// in a tree, it removes conversations about that tree which later runs resume (seen in 0.61.0).
func geminiStart(environ []string, home string, spec agents.Spec) string {
	if spec.Resume {
		keepConversation(cmp.Or(process.Variable(environ, "GEMINI_CLI_HOME"), home), spec.SessionID, time.Now().UTC())
	}
	return process.Variable(environ, "HOME")
}

// keepConversation gives the file of a conversation the name of an earlier minute. To load one, Gemini
// begins a file that is named after the minute and the session, and then reads it: a
// conversation of this minute would be overwritten (seen in 0.61.0).
func keepConversation(home, session string, now time.Time) {
	if len(session) < 8 || strings.Trim(session[:8], "0123456789abcdef") != "" {
		return // the agent chose it
	}
	root, err := os.OpenRoot(home) // in the sandbox an agent may have made links there
	if err != nil {
		return
	}
	defer root.Close()
	name := func(minute time.Time) string {
		return "session-" + minute.Format("2006-01-02T15-04") + "-" + session[:8] + ".jsonl"
	}
	const folders = ".gemini/tmp"
	// An agent may have put a pipe there, whose opening would wait for a writer.
	dir, err := root.OpenFile(folders, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer dir.Close()
	projects, _ := dir.Readdirnames(maxProjects) // those that could be read
	for _, project := range projects {
		chats := path.Join(folders, project, "chats")
		if file := path.Join(chats, name(now)); root.Link(file, path.Join(chats, name(now.Add(-time.Minute)))) == nil {
			_ = root.Remove(file)
		}
	}
}

// maxProjects is how many folders are looked into for a conversation. Gemini has one for each
// folder in which it worked, but an agent can make any number.
const maxProjects = 10_000

// geminiEnv returns what Gemini is told by its environment (seen in 0.61.0). In a folder that
// it does not trust it loads no MCP server, so it could not signal.
func geminiEnv([]string, agents.Spec, bool) map[string]string {
	return map[string]string{
		"GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_CLI_NO_RELAUNCH":     "true", // it would start itself again, for more memory
		"NO_BROWSER":                 "true",
	}
}

// geminiRefusal refuses a tree with configuration of Gemini, which names programs to start:
// trust is for the whole folder. A file .env could send the user's key to another address, and
// only the user's own settings turn it off.
func geminiRefusal(environ []string, spec agents.Spec) string {
	home := cmp.Or(process.Variable(environ, "GEMINI_CLI_HOME"), process.Variable(environ, "HOME"))
	own := filepath.Join(home, ".gemini")
	if why := refused("Gemini", configuration(spec.Dir, ".gemini", own)); why != "" {
		return why
	}
	env := configuration(spec.Dir, ".env", filepath.Join(home, ".env"))
	if env == "" || ignoresEnv(own) {
		return ""
	}
	return "there is a file " + env + ", whose variables Gemini would take, and they may send your key to another address: " +
		`remove it, set "advanced": {"ignoreLocalEnv": true} in ` + filepath.Join(own, geminiSettings) + ", or choose another agent"
}

const geminiSettings = "settings.json"

// ignoresEnv reports whether the user's settings let Gemini take no variables of a tree.
func ignoresEnv(own string) bool {
	root, err := os.OpenRoot(own)
	if err != nil {
		return false
	}
	defer root.Close()
	var settings struct {
		Advanced struct {
			IgnoreLocalEnv bool `json:"ignoreLocalEnv"`
		} `json:"advanced"`
	}
	data, err := root.ReadFile(geminiSettings)
	return err == nil && json.Unmarshal(data, &settings) == nil && settings.Advanced.IgnoreLocalEnv
}
