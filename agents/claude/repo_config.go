package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"questboard/orchestration/record"
)

// Limits for what is read of a directory. A directory beyond them is not trusted.
const (
	maxWantedFiles = 1000
	maxWantedBytes = 8 << 20
	maxWantedDepth = 12
	maxWantText    = 16 << 10 // of one want, as shown
)

// RepoConfig reads what a directory asks Claude Code to run or to load: .mcp.json and
// everything in .claude; the .claude of folders below, whose skills load when a file
// next to them is read; and the .mcp.json of folders above, which loads as well (both
// seen in 2.1.329). All of it is data here: nothing runs, no link leads out of the
// directory, and sizes are limited.
func RepoConfig(dir string) (record.RepoConfig, error) {
	root, err := openFolder(dir)
	if err != nil {
		return record.RepoConfig{}, fmt.Errorf("look at what %s wants to load: %w", dir, err)
	}
	defer root.Close()
	r := configReader{root: root, left: maxWantedBytes}
	r.look(".mcp.json", 0)
	r.look(".claude", 0)
	for _, name := range []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"} {
		if text := readRules(root, name); text != "" {
			r.want(name, record.WantRules, name, fmt.Sprintf("text for the agents, %d bytes", len(text)))
		}
	}
	r.below(".", 0)
	r.above(dir)
	return r.config.Sealed(), nil
}

// openFolder opens a folder and nothing else. Somebody may have replaced the folder with
// a pipe, and opening that would wait forever. With "/." the kernel refuses a pipe.
func openFolder(dir string) (*os.Root, error) { return os.OpenRoot(dir + "/.") }

type configReader struct {
	root *os.Root
	// place is where root is, for people; empty for the directory itself.
	place   string
	seen    int  // entries of folders below
	tooMuch bool // they were too many, and that was told
	config  record.RepoConfig
	left    int // bytes that may still be read
}

func (r *configReader) want(file, kind, name, text string) {
	r.config.List = append(r.config.List, record.Want{File: file, Kind: kind, Name: name, Text: text})
}

func (r *configReader) fault(format string, args ...any) {
	const most = 20
	if len(r.config.Faults) < most {
		r.config.Faults = append(r.config.Faults, fmt.Sprintf(format, args...))
	}
}

// notLoaded lists names within .claude that the CLI does not read as configuration:
// trees that it makes, and text that is listed as rules.
var notLoaded = []string{".claude/worktrees", ".claude/CLAUDE.md"}

// look reads a file, or everything in a folder. It follows links within the directory,
// as the CLI does.
func (r *configReader) look(name string, depth int) {
	if slices.Contains(notLoaded, name) || len(r.config.Files) > maxWantedFiles {
		return
	}
	info, err := r.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := r.root.Lstat(name); err == nil {
			r.fault("%s is a link to something that does not exist", r.place+name)
		}
	case err != nil:
		r.fault("%s cannot be looked at: it may be a link that leads out of the repository", r.place+name)
	case info.IsDir() && depth >= maxWantedDepth:
		r.fault("%s lies too deep", r.place+name)
	case info.IsDir():
		r.folder(name, depth)
	case !info.Mode().IsRegular():
		r.fault("%s is neither a file nor a folder", r.place+name)
	default:
		r.file(name)
	}
}

func (r *configReader) folder(name string, depth int) {
	dir, err := r.root.Open(name)
	if err != nil {
		r.fault("%s cannot be read", name)
		return
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxWantedFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		r.fault("%s cannot be read", name)
		return
	}
	slices.Sort(names)
	for _, entry := range names {
		r.look(path.Join(name, entry), depth+1)
	}
}

func (r *configReader) file(name string) {
	data, err := r.read(name)
	if name = r.place + name; err != nil {
		r.fault("%s: %s", name, err)
		return
	}
	sum := sha256.Sum256(data)
	r.config.Files = append(r.config.Files, record.WantedFile{Path: name, Sum: hex.EncodeToString(sum[:])})
	if len(r.config.Files) > maxWantedFiles {
		r.fault("there are more than %d files", maxWantedFiles)
		return
	}
	r.describe(name, data)
}

var errTooLarge = fmt.Errorf("larger than %d MiB in total: too large to review", maxWantedBytes>>20)

// read reads a file, which may have become a pipe since it was examined.
func (r *configReader) read(name string) ([]byte, error) {
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(r.left)+1))
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	if len(data) > r.left {
		r.left = 0
		return nil, errTooLarge
	}
	r.left -= len(data)
	return data, nil
}

// shown returns a file's text for people.
func shown(data []byte) string {
	if strings.ContainsRune(string(data), 0) {
		return fmt.Sprintf("no text, %d bytes", len(data))
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if len(text) > maxWantText {
		sum := sha256.Sum256(data)
		return strings.ToValidUTF8(text[:maxWantText], "") + fmt.Sprintf("\n[%d bytes more, SHA-256 of all %x]", len(text)-maxWantText, sum[:8])
	}
	return text
}
