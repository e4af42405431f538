package repofile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// The names of the files, relative to the repository.
const (
	configFile = orchestration.RepoFolder + "/config.yaml"
	rolesDir   = orchestration.RepoFolder + "/roles"
)

// Limits for what is read.
const (
	maxText   = 64 << 10  // of a text for a role
	maxConfig = 16 << 10  // of config.yaml: the YAML parser takes its time for hostile files
	maxNames  = 256 << 10 // of the list of files
	maxFiles  = 100
)

// Found is what a commit has. A file with a fault does not count.
type Found struct {
	// File is nil if there is nothing, or something wrong.
	File *orchestration.RepoFile
	// Config is what the user is asked to trust: the files in full, and every fault.
	Config record.RepoConfig
}

// Read reads the files of a commit. The error is git's or ctx's; whatever is wrong with
// the files is a fault in Found.Config.
func Read(ctx context.Context, c workspace.Contents) (Found, error) {
	r := reader{config: record.RepoConfig{Own: true}}
	err := c.ListIn(ctx, orchestration.RepoFolder, maxNames, r.entry)
	switch {
	case errors.Is(err, workspace.ErrMany):
		r.config.Faults = nil // those of the files that were listed say less
		r.fault("%s holds too many files: keep config.yaml and roles in it, and put everything else in another folder", orchestration.RepoFolder)
	case err != nil:
		return Found{}, fmt.Errorf("list %s: %w", orchestration.RepoFolder, err)
	}
	texts, err := r.texts(ctx, c)
	if err != nil {
		return Found{}, err
	}
	file := r.file(texts)
	file.Commit = c.Commit
	found := Found{Config: r.config.Sealed()}
	if len(r.config.Faults) == 0 && len(r.wanted) > 0 {
		found.File = &file
	}
	return found, nil
}

// reader reads the files of one commit.
type reader struct {
	config record.RepoConfig
	wanted []workspace.Entry
}

func (r *reader) fault(format string, args ...any) {
	const most = 20
	if len(r.config.Faults) < most {
		r.config.Faults = append(r.config.Faults, fmt.Sprintf(format, args...))
	}
}

// entry chooses what is read. Other files of the folder are nobody's: a later version may
// know them.
func (r *reader) entry(e workspace.Entry) {
	role, isRole := strings.CutPrefix(e.Name, rolesDir+"/")
	switch {
	case e.Name == orchestration.RepoFolder, e.Name == rolesDir:
		r.fault("%s is %s: it must be a folder", e.Name, kindOf(e.Mode))
		return
	case e.Name != configFile && !isRole:
		return
	case isRole && !roleOf(role).Agent():
		r.fault("%.200q names no role: its name must be one of %s", e.Name, strings.Join(roleFiles(), ", "))
		return
	case e.Mode == "120000", e.Mode == "160000":
		r.fault("%s is %s: it must be a plain file", e.Name, kindOf(e.Mode))
		return
	case e.Size > most(e.Name):
		r.fault("%s has %d KiB: at most %d", e.Name, (e.Size+1023)>>10, most(e.Name)>>10)
		return
	case len(r.wanted) >= maxFiles:
		return // there are fewer roles
	}
	r.wanted = append(r.wanted, e)
}

func most(name string) int64 {
	if name == configFile {
		return maxConfig
	}
	return maxText
}

func kindOf(mode string) string {
	switch mode {
	case "120000":
		return "a link"
	case "160000":
		return "a submodule"
	default:
		return "a file"
	}
}

// roleOf returns the role that a file of rolesDir is for; "": none.
func roleOf(name string) orchestration.Role {
	role, is := strings.CutSuffix(name, ".md")
	if !is {
		return ""
	}
	return orchestration.Role(role)
}

func roleFiles() []string {
	var names []string
	for _, role := range orchestration.Roles {
		if role.Agent() {
			names = append(names, string(role)+".md")
		}
	}
	return names
}

// texts reads the chosen files, by name.
func (r *reader) texts(ctx context.Context, c workspace.Contents) (map[string]string, error) {
	var blobs []string
	for _, e := range r.wanted {
		blobs = append(blobs, e.Blob)
	}
	read := make([][]byte, len(blobs))
	err := c.Read(ctx, blobs, func(n int, piece []byte) {
		if int64(len(read[n])+len(piece)) <= most(r.wanted[n].Name) {
			read[n] = append(read[n], piece...)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", orchestration.RepoFolder, err)
	}
	texts := map[string]string{}
	for i, e := range r.wanted {
		switch {
		case int64(len(read[i])) != e.Size:
			r.fault("%s cannot be read: git does not have its content here", e.Name)
			continue
		case !utf8.Valid(read[i]) || slices.Contains(read[i], 0):
			r.fault("%s is no text in UTF-8", e.Name)
			continue
		}
		texts[e.Name] = string(read[i])
		sum := sha256.Sum256(read[i])
		r.config.Files = append(r.config.Files, record.WantedFile{Path: e.Name, Sum: hex.EncodeToString(sum[:])})
		r.config.List = append(r.config.List, record.Want{File: e.Name, Kind: wantKind(e.Name), Name: path.Base(e.Name), Text: string(read[i])})
	}
	return texts, nil
}

func wantKind(name string) string {
	if name == configFile {
		return "setting for quests"
	}
	return "text for a role"
}

// file makes the settings of the texts.
func (r *reader) file(texts map[string]string) orchestration.RepoFile {
	var file orchestration.RepoFile
	if text, is := texts[configFile]; is {
		var faults []string
		file, faults = Parse(text)
		for _, f := range faults {
			r.fault("%s", f)
		}
	}
	for _, e := range r.wanted {
		text, is := texts[e.Name]
		if e.Name == configFile || !is || strings.TrimSpace(text) == "" {
			continue
		}
		role := roleOf(path.Base(e.Name))
		if err := checkText(role, text); err != nil {
			r.fault("%s: %v", e.Name, err)
			continue
		}
		if file.Texts == nil {
			file.Texts = map[orchestration.Role]string{}
		}
		file.Texts[role] = text
	}
	return file
}
