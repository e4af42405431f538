package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/process"
)

// largestConversation is the size in bytes from which on a stored conversation is not
// read. One of 60,000 tokens has some hundred kilobytes.
const largestConversation = 64 << 20

var plainSession = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

// copyConversation copies the conversation that a session is to begin with to where the
// CLI looks for it: the CLI keeps conversations by working directory, and in the sandbox an
// agent sees only those of its own. It returns the copy; "": none is needed. A conversation
// that is not there, or not whole, is an *agents.NoConversation. Only the folder where the
// session worked is asked: an agent can change the copy in its own.
func (r *Runner) copyConversation(spec agents.Spec) (string, error) {
	if spec.ForkOf == "" {
		return "", nil
	}
	home := process.Variable(r.cfg.Environ, "HOME")
	if !filepath.IsAbs(home) || !plainSession.MatchString(spec.ForkOf) {
		return "", &agents.NoConversation{Why: "cannot be found"}
	}
	_, folder, err := conversations(home, spec.Dir)
	if err != nil {
		return "", err
	}
	projects, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return "", fmt.Errorf("look for the conversation to go on from: %w", err)
	}
	defer func() { _ = projects.Close() }()
	parents := projectFolder(spec.ForkDir)
	if real, err := filepath.EvalSymlinks(spec.ForkDir); err == nil {
		parents = projectFolder(real)
	}
	text, err := readPlain(projects, filepath.Join(parents, spec.ForkOf+".jsonl"))
	if err == nil {
		err = checkConversation(text, spec)
	}
	if err != nil || parents == filepath.Base(folder) {
		return "", err
	}
	name := filepath.Join(folder, spec.ForkOf+".jsonl")
	if err := writeSecret(name, text); err != nil {
		return "", fmt.Errorf("copy the conversation to go on from: %w", err)
	}
	return name, nil
}

// readPlain reads a regular file of at most largestConversation bytes. An agent can write
// in the folder of its conversations, so it may be a link, or a pipe that nobody writes to.
func readPlain(in *os.Root, name string) ([]byte, error) {
	unread := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return &agents.NoConversation{Why: "is not there any more"}
		}
		return &agents.NoConversation{Why: "cannot be read: " + err.Error()}
	}
	info, err := in.Lstat(name)
	if err != nil {
		return nil, unread(err)
	}
	if !info.Mode().IsRegular() {
		return nil, &agents.NoConversation{Why: "is no plain file: " + name}
	}
	f, err := in.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unread(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, largestConversation+1))
	if err != nil {
		return nil, unread(err)
	}
	if len(text) > largestConversation {
		return nil, &agents.NoConversation{Why: "is too large to read: " + name}
	}
	return text, nil
}

// checkConversation checks that a conversation is whole, and of the run's repository: an
// agent's program says itself which session it has opened.
func checkConversation(text []byte, spec agents.Spec) error {
	if !bytes.HasSuffix(text, []byte("\n")) {
		return &agents.NoConversation{Why: "is cut off"}
	}
	for line := range bytes.Lines(text) {
		if !json.Valid(line) { // not gjson, whose stack grows with the depth, until the server ends
			return &agents.NoConversation{Why: "is cut off or damaged"}
		}
		if dir := gjson.GetBytes(line, "cwd"); dir.Exists() && !ofQuest(dir.String(), spec) {
			return &agents.NoConversation{Why: "is of another repository: " + dir.String()}
		}
	}
	return nil
}

// ofQuest reports whether a directory is one in which agents of the run's quest work: in
// the repository, or in a tree of the quest.
func ofQuest(dir string, spec agents.Spec) bool {
	for _, folder := range []string{spec.Repo, trees(spec)} {
		real, err := filepath.EvalSymlinks(folder)
		if within(dir, folder) || err == nil && within(dir, real) {
			return true
		}
	}
	return false
}

// trees returns the folder with the trees of the run's quest, which has the quest's name;
// in the repository itself it is the run's directory.
func trees(spec agents.Spec) string {
	for dir := spec.Dir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == spec.QuestID {
			return dir
		}
	}
	return spec.Dir
}

func within(dir, folder string) bool {
	rel, err := filepath.Rel(folder, dir)
	return err == nil && filepath.IsLocal(rel)
}
