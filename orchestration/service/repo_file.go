package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"questboard/agents/repofile"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// RepoFile is the repository's own file as a commit has it.
type RepoFile = repofile.Found

// repoFileOf reads the repository's own file from a branch or a commit; an empty base
// means what is checked out. A base that is not there is refused at the field "base".
func repoFileOf(ctx context.Context, git workspace.Git, dir, base string) (RepoFile, error) {
	contents, err := git.ContentsOf(ctx, dir, base)
	switch {
	case errors.Is(err, workspace.ErrNotGit), errors.Is(err, workspace.ErrNoCommit):
		return RepoFile{Config: record.RepoConfig{Own: true}.Sealed()}, nil
	case errors.Is(err, workspace.ErrNoRevision):
		return RepoFile{}, noBase(base, dir)
	case err != nil:
		return RepoFile{}, fmt.Errorf("read the own file of %s: %w", dir, err)
	}
	return repofile.Read(ctx, contents)
}

// RepoFile implements Repos.
func (r Repositories) RepoFile(ctx context.Context, dir, base string) (RepoFile, error) {
	if why := r.away(ctx, dir); why != "" {
		return RepoFile{}, refusedAt("repo", why)
	}
	return repoFileOf(ctx, r.git, dir, base)
}

// RepoFileState says whether the repository's own file counts for a new quest.
type RepoFileState string

// The states of a repository's own file.
const (
	RepoFileNone      RepoFileState = ""          // there is none
	RepoFileCounts    RepoFileState = "counts"    // the user trusts this content
	RepoFileUntrusted RepoFileState = "untrusted" // the user has not seen this content
	RepoFileChanged   RepoFileState = "changed"   // the user trusted another content
	RepoFileFaulty    RepoFileState = "faulty"    // something is wrong in it
)

// StateOf says whether the file of a repository counts.
func StateOf(f RepoFile, repo string, s record.Settings) RepoFileState {
	trust, _ := s.TrustOf(repo)
	_, known := trust.Last(f.Config)
	switch {
	case f.Config.Nothing():
		return RepoFileNone
	case len(f.Config.Faults) > 0 || f.File == nil:
		return RepoFileFaulty
	case trust.Covers(f.Config):
		return RepoFileCounts
	case known:
		return RepoFileChanged
	default:
		return RepoFileUntrusted
	}
}

// FieldFile is the field that Begin names in its refusal if the repository's own file is
// not as it was shown.
const FieldFile = "repoFile"

// The two ways in which a file that is there can have been shown.
const (
	shownCounts  = "counts:"
	shownIgnored = "ignored:"
)

// ShownFile names what a person was shown of a repository's own file: its content, by the
// hash, and whether it counts. Empty: there is none.
func ShownFile(hash string, state RepoFileState) string {
	switch state {
	case RepoFileNone:
		return ""
	case RepoFileCounts:
		return shownCounts + hash
	default:
		return shownIgnored + hash
	}
}

// fileDiffers says in what the repository's own file differs from what was shown.
func fileDiffers(shown, now string) error {
	_, wasHash, _ := strings.Cut(shown, ":")
	_, hash, _ := strings.Cut(now, ":")
	var why string
	switch {
	case shown == "":
		why = "The repository has a file of its own for quests there (.questboard), which you were not shown yet."
	case now == "":
		why = "The repository's own file, which you were shown, is not there any more: nothing of it applies."
	case wasHash != hash:
		why = "The repository's own file has another content than you were shown."
	case strings.HasPrefix(now, shownCounts):
		why = "The repository's own file counts now, because you have trusted it since you were shown it."
	default:
		why = "The repository's own file does not count any more, because you do not trust it now."
	}
	return &orchestration.Error{Code: orchestration.CodeConflict, Fields: map[string]string{FieldFile: why},
		Message: why + " Nothing was started. Read what applies now, then start the quest."}
}

// withFile fills in what the user left to the repository's own file, if that counts. It
// is read once, from the commit that the quest starts from. Agents that work in the
// repository itself start from what is checked out.
func (s Service) withFile(ctx context.Context, o BeginRequest) (orchestration.NewQuest, error) {
	n := o.NewQuest
	base := n.Branch
	if n.Workspace != orchestration.WorkspaceWorktree {
		base = ""
	}
	found, err := s.Repos.RepoFile(ctx, n.Repo, base)
	if err != nil && ctx.Err() == nil && orchestration.CodeOf(err) == "" {
		return n, refusedAt("repo", "its own settings (.questboard) cannot be read: "+OneLine(err.Error()))
	}
	if err != nil {
		return n, err
	}
	settings, err := s.Settings.Settings(ctx)
	if err != nil {
		return n, fmt.Errorf("read settings: %w", err)
	}
	state := StateOf(found, n.Repo, settings)
	if now := ShownFile(found.Config.Hash, state); o.Shown != nil && *o.Shown != now {
		return n, fileDiffers(*o.Shown, now)
	}
	n.FileState = string(state)
	if state != RepoFileCounts {
		return n, nil
	}
	return n.WithFile(found.File), nil
}
